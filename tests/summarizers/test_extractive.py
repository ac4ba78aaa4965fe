import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb.messages import text_of
from opencollab_nb.shaping.flat import flat
from opencollab_nb.shaping.summary import SummaryRequest, refusal
from opencollab_nb.summarizers import ExtractiveSummarizer
from opencollab_nb.summarizers.sections import COMMITTED, FINISHED, NOTES, SHARES, USER, parsed, written
from opencollab_nb.tokens.estimate import estimate
from tests.build import assistant, call, result, tool_step, user

BULK = "The log goes on about nothing in particular. " * 40


def request(*messages, former=None, anchors=(), max_tokens=1_000):
    text = "\n\n".join(map(flat, messages))
    return SummaryRequest(text, list(messages), anchors, former, max_tokens)


def summary(*messages, **settings):
    return ExtractiveSummarizer().summarize(request(*messages, **settings)).text


def milestone(number, *, wait=30):
    name = f"login-rule{number}"
    commit = (
        f"git add -A && git commit -qm '{name}: tests' && git log -1 --format=%s || echo nothing to commit"
    )
    return [
        assistant(f"{name}: reading on.", call("file_read", {"path": f"logs/rule{number}.log"})),
        result(BULK),
        assistant(
            f"{name}: writing.\n- {name}.wait = {wait}",
            call("file_write", {"path": f"tests/test_{number}.py"}),
        ),
        result("written"),
        assistant(f"{name}: keeping it.", call("bash", {"command": commit})),
        result(f"{name}: tests"),
    ]


def says_finished(text, name):
    """How a careful reader takes it: a clause with the name and a word for done, with no word for open."""
    done = re.compile(r"(?i)\b(done|finished|committed)\b")
    doubt = re.compile(r"(?i)\b(todo|pending|still|next|not|open|failed)\b")
    clauses = re.split(r"\n|(?<=[.;])\s", text)
    return any(
        re.search(rf"(?<![\w-]){name}(?![\w-])", c) and done.search(c) and not doubt.search(c)
        for c in clauses
    )


def test_the_users_words_stand_word_for_word():
    words = "Use tabs.\n\nNotes:\nNever touch shop/schema.sql; port 8080 stays."
    text = summary(user(words), *milestone(1))
    assert parsed(text)[USER] == [words]
    assert " ".join(words.split()) in " ".join(text.split())


def test_finished_work_notes_and_files_are_kept():
    text = summary(*milestone(1), *milestone(2, wait=45))
    assert parsed(text)[COMMITTED] == ["login-rule1: tests", "login-rule2: tests"]
    assert "login-rule1.wait = 30" in text
    assert "login-rule2.wait = 45" in text
    assert "tests/test_1.py (changed)" in text
    assert "logs/rule1.log (read)" in text


def test_what_is_not_finished_is_not_called_finished():
    refused = [
        assistant("a-1: going on", call("bash", {"command": "git commit -qm 'a-1: tests'"})),
        result("Error: no space left on device"),
        assistant("b-1: not finished yet", call("bash", {"command": "git commit -qm 'b-1: tests'"})),
        result("nothing to commit, working tree clean"),
        assistant("c-1: to be done next", call("bash", {"command": "cat notes.txt"})),
        result("c-1: tests"),
    ]
    text = summary(*refused, *milestone(4))
    assert parsed(text)[COMMITTED] == ["login-rule4: tests"]
    assert not any(says_finished(text, name) for name in ("a-1", "b-1", "c-1", "login-rule4"))


def test_a_line_that_says_so_counts_as_finished():
    text = summary(user(BULK), assistant("a-1: finished."), assistant("b-1: finished? not yet."))
    assert says_finished(text, "a-1")
    assert not says_finished(text, "b-1")


def test_a_commit_carries_the_label_of_the_words_beside_it():
    first = tool_step(
        1, "[main 1a2b3c4] fees: first part", args={"command": "git commit -m 'fees: first part'"}
    )
    first[0] = {**first[0], "content": "surcharge-fuel: committing this part."}
    listed = tool_step(2, "1a2b3c4 fees: first part", args={"command": "git log --oneline"})
    text = summary(user(BULK), *first, *listed)
    assert parsed(text)[COMMITTED] == ["fees: first part [surcharge-fuel]"]
    assert not says_finished(text, "surcharge-fuel")


def test_a_commit_whose_result_was_cleared_counts():
    step = [
        assistant("", call("bash", {"command": "git commit -m 'a-1: tests'"})),
        result("[Old tool result content cleared]"),
    ]
    assert parsed(summary(user(BULK), *step))[COMMITTED] == ["a-1: tests"]


def test_a_listed_log_counts_and_a_listed_value_changes():
    step = tool_step(
        1, "1a2b3c4 (HEAD -> main) a-1: tests\n5d6e7f8 a-2: tests", args={"command": "git log --oneline"}
    )
    text = summary(user(BULK), *step, assistant("a-1.wait = 3"), assistant("It is a-1.wait = 4, after all."))
    assert parsed(text)[COMMITTED] == ["a-1: tests", "a-2: tests"]
    assert parsed(text)[NOTES] == ["a-1.wait = 4"]


def test_errors_are_named_and_readings_left_out():
    text = summary(*tool_step(1, f"{BULK}\nE   AssertionError: 30 != 45\n{BULK}"), user("x" * 10))
    assert "AssertionError: 30 != 45" in text
    assert BULK[:40] not in text


def test_what_stays_anyway_is_not_repeated():
    assert "Fix it all" not in summary(user("Fix it all"), *milestone(1), anchors=("Please:  Fix it\nall",))


def test_44_a_summary_of_summaries_stays_flat_and_bounded():
    former, sizes = None, []
    for number in range(20):
        former = summary(user(f"Rule {number}: keep it."), *milestone(number), former=former)
        sizes.append(len(former))
        assert all(former.count(f"{heading}:\n") <= 1 for heading in SHARES)
    assert "- login-rule0: tests\n" in former
    assert "login-rule19.wait = 30" in former
    assert "Rule 0: keep it." in former
    assert estimate(former) <= 1_000
    assert max(sizes[10:]) <= 2 * max(sizes[5:10])


def test_a_foreign_summary_is_carried_on_a_while():
    former = "## Intent\nFix the parser.\n## Facts\nport = 8080"
    text = summary(*milestone(1), former=former)
    assert "Fix the parser." in text
    assert "port = 8080" in text
    assert summary(*milestone(2), former=text).count("Fix the parser.") == 1


def test_a_giant_instruction_is_cut_and_the_rest_still_stands():
    text = summary(user("Do this. " * 5_000), *milestone(1), max_tokens=300)
    assert text.startswith("The user said:\n- Do this.")
    assert "- login-rule1: tests\n" in text
    assert "login-rule1.wait = 30" in text


def test_the_same_request_gives_the_same_text_and_names_its_version():
    asked = request(*milestone(1))
    assert ExtractiveSummarizer().summarize(asked) == ExtractiveSummarizer().summarize(asked)
    assert "extractive 1" in ExtractiveSummarizer().fingerprint
    assert ExtractiveSummarizer().fingerprint != ExtractiveSummarizer(fill_ratio=0.5).fingerprint


def test_content_in_parts_and_broken_arguments_are_read():
    parts = [
        {"type": "text", "text": "Look at this: " + BULK},
        {"type": "image_url", "image_url": {"url": "data:"}},
    ]
    text = summary(
        user(parts), assistant(None, call("file_read", "{broken")), result([{"type": "text", "text": BULK}])
    )
    assert "Look at this" in text


words = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=300)


def talk(draw_texts, seed):
    chance, out = random.Random(seed), []
    for number, text in enumerate(draw_texts):
        if chance.random() < 0.4:
            out.append(user(text))
        else:
            out += [
                assistant(text, call("bash", {"command": text, "path": text}, f"c{number}")),
                result(text, f"c{number}"),
            ]
    return out


@given(st.lists(words, max_size=12), st.integers(0, 99), st.integers(1, 400), st.one_of(st.none(), words))
def test_it_is_within_its_tokens_and_shorter_than_what_it_stands_for(texts, seed, max_tokens, former):
    asked = request(*talk(texts, seed), former=former, max_tokens=max_tokens)
    text = ExtractiveSummarizer().summarize(asked).text
    assert estimate(text) <= max_tokens
    assert len(text) <= len(asked.text) + len(former or "")
    text.encode()


@given(
    st.dictionaries(
        st.sampled_from(list(SHARES)), st.lists(st.sampled_from(["a = 1", "b: c", "(x)"]), min_size=1)
    )
)
def test_sections_are_read_back_as_they_were_written(sections):
    assert parsed(written(sections)) == sections


@pytest.mark.parametrize("size", [0, 1, 3])
def test_too_little_to_summarize_gives_an_empty_text_that_is_refused(size):
    answer = ExtractiveSummarizer().summarize(request(user("x" * size)))
    assert answer.text == ""
    assert refusal(answer)


def test_finished_is_never_read_from_a_result_that_only_quotes():
    quoting = tool_step(
        1, "1a2b3c4 login-rule9: tests\nlogin-rule9: finished", "file_read", {"path": "notes.md"}
    )
    assert not {COMMITTED, FINISHED} & set(parsed(summary(*quoting, user(BULK))))
    assert text_of(quoting[1])
