"""What a summarizer is asked and answers, and when its answer is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass

import pytest

from opencollab_nb.errors import LayerDeclined
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping import Summary, SummaryRequest
from opencollab_nb.shaping.flat import anchors_of, chunks
from opencollab_nb.shaping.summary import (
    ask,
    fingerprint_of,
    refusal,
    repeats_itself,
    summary_message,
    summary_text,
)
from opencollab_nb.tokens.usage import Usage
from tests.build import assistant, call, numbered, result, system, task, user
from tests.shaping.summarizers import first_words

REQUEST = SummaryRequest("USER: hi", [])


def test_a_plain_string_and_a_summary_are_both_answers() -> None:
    assert ask(lambda request: "  short  ", REQUEST) == Summary("short")
    full = Summary("short", Usage(10, 0, 3), "stop", "m")
    assert ask(lambda request: full, REQUEST) == full


def test_an_object_with_summarize_is_a_summarizer() -> None:
    class Mine:
        def summarize(self, request: SummaryRequest) -> str:
            return request.text

    assert ask(Mine(), REQUEST).text == "USER: hi"


@pytest.mark.parametrize("answer", [None, 3, ["a"], b"a", Summary(None)])  # type: ignore[arg-type]
def test_any_other_answer_is_declined(answer: object) -> None:
    with pytest.raises(LayerDeclined, match="needed is a str or a Summary"):
        ask(lambda request: answer, REQUEST)  # type: ignore[arg-type,return-value]


@pytest.mark.parametrize(
    ("summary", "why"),
    [
        (Summary(""), "no text"),
        (Summary("text", finish_reason="length"), "cut off"),
        (Summary("text", finish_reason="max_tokens"), "cut off"),
        (Summary("text", finish_reason="tool_calls"), "called a tool"),
        (Summary("", finish_reason="tool_use"), "called a tool"),
        (Summary("text", finish_reason="content_filter"), "withheld"),
        (Summary("First. " + "And then I check it again. " * 30), "over and over"),
    ],
)
def test_what_is_no_finished_summary_is_refused(summary: Summary, why: str) -> None:
    assert why in (refusal(summary) or "")


def test_a_list_of_similar_lines_is_not_taken_for_a_model_in_a_loop() -> None:
    assert not repeats_itself("\n".join(f"- test_{n} passes again" for n in range(60)))
    assert not repeats_itself("done. " * 50)
    assert repeats_itself("\n- test passes again" * 60)


def test_text_that_cannot_be_encoded_is_made_sendable() -> None:
    text = ask(lambda request: "half \ud83e pair", REQUEST).text
    json.dumps(text, ensure_ascii=False).encode()


def test_a_title_that_the_summarizer_repeats_is_left_out() -> None:
    former = summary_message("The bug is in a.py.", [[1, 2]])
    assert (
        ask(lambda request: str(former["content"]) + "\nFixed.", REQUEST).text
        == "The bug is in a.py.\nFixed."
    )
    assert summary_text(former) == "The bug is in a.py."


def test_the_title_says_how_many_messages_and_that_it_is_background() -> None:
    content = str(summary_message("s", [[1, 3], [7, 7]])["content"])
    assert content.startswith("[Context auto-compacted — summary of 4 earlier messages]")
    assert "Background, not instructions" in content
    assert "newer" in content


def test_text_is_flat_with_every_call_and_result_named() -> None:
    calls = [call("grep", {"pattern": "x"}, "a"), call("bash", {"command": "ls"}, "b")]
    messages = numbered(
        [user("look"), assistant("I look.", *calls), result("found", "a"), result("files", "b")]
    )
    [chunk] = chunks(messages, 10_000, Pressure.of())
    assert chunk.text == (
        "USER: look\n\n"
        'ASSISTANT: I look.\nCALL of grep: {"pattern": "x"}\nCALL of bash: {"command": "ls"}\n\n'
        "RESULT of grep: found\n\nRESULT of bash: files"
    )
    assert chunk.messages == messages


def test_chunks_keep_groups_whole_and_fit() -> None:
    pressure = Pressure.of()
    step = [assistant(None, call()), result("word " * 500)]
    messages = numbered([*step * 9, user("x" * 90_000)])
    parts = list(chunks(messages, 2_000, pressure))
    assert [m for part in parts for m in part.messages] == messages
    assert len(parts) > 3
    assert all(len(part.messages) % 2 == 0 for part in parts[:-1])
    assert all(pressure.weight([user(part.text)]) <= 2_100 for part in parts)
    assert "chars left out" in parts[-1].text


def test_anchors_are_the_pinned_texts_without_the_systems() -> None:
    messages = [system(), task("Fix it."), user("chat"), user("x" * 9_000, priority=90)]
    anchors = anchors_of(messages)
    assert anchors[0] == "Fix it."
    assert len(anchors) == 2
    assert len(anchors[1]) < 2_100


def test_the_fingerprint_of_a_function_is_the_same_in_another_process() -> None:
    code = (
        "from tests.shaping.summarizers import first_words;"
        "from opencollab_nb.shaping.summary import fingerprint_of; print(fingerprint_of(first_words))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == fingerprint_of(first_words)
    assert fingerprint_of(lambda request: "a") != fingerprint_of(lambda request: "b")


def test_the_fingerprint_of_an_object_is_its_own_or_its_fields() -> None:
    @dataclass(frozen=True)
    class Mine:
        words: int = 3

        def summarize(self, request: SummaryRequest) -> str:
            return "s"

    @dataclass(frozen=True)
    class Named(Mine):
        fingerprint: str = "model 3, prompt 4"

    assert fingerprint_of(Named()) == "model 3, prompt 4"
    assert fingerprint_of(Mine(3)) != fingerprint_of(Mine(4))
