"""How summaries are read that a model would write: what counts as finished, which constraints are seen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb.models.simulated import profiles
from opencollab_nb.models.simulated.evidence import Evidence
from opencollab_nb.models.simulated.reading import View
from tests.models.simulated.world import plan

MARK = "[Context auto-compacted — summary of 30 earlier messages]\n"
LOGIN, MAIL = {"login-limit"}, {"mail-limit"}
SUMMARIES = [
    ("- Never touch the schema.\nCompleted: login-limit. Remaining: mail-limit.", LOGIN, True),
    ("Finished so far: `login-limit` (commit 3fa2). Next: `mail-limit`.", LOGIN, False),
    (
        "* login-limit: tests written, committed\n* mail-limit: reading the log, not yet committed",
        LOGIN,
        False,
    ),
    ("login-limit and mail-limit have been implemented and merged.", LOGIN | MAIL, False),
    ("I still have to do mail-limit; login-limit is complete.", LOGIN, False),
    ("The schema in schema.sql was read; it has one table.", set(), False),
    ("The user said that the schema may be changed if needed.", set(), False),
    ("Nothing has been completed. login-limit was attempted but failed.", set(), False),
    ("✅ login-limit ⏳ mail-limit", LOGIN, False),
    ("| login-limit | done |\n| mail-limit | open |", LOGIN, False),
    ("已完成：login-limit。The schema must not be changed。", LOGIN, True),
    ("The work on login-limits-2 is finished.", set(), False),
    ("mail: limit of production\nlogin-limit is in progress", set(), False),
]


def evidence(profile="ideal", seed=0):
    return Evidence(plan(), profiles()[profile], seed)


def view(*messages, weight=10):
    return View(messages, [weight] * len(messages))


def user(text):
    return {"role": "user", "content": text}


@pytest.mark.parametrize(("text", "finished", "constraint"), SUMMARIES)
def test_summaries_of_many_styles_are_read(text, finished, constraint):
    seen, judge = view(user(MARK + text)), evidence()
    assert {m.id for m in plan().milestones if judge.finished(seen, m)} == finished
    rule = plan().constraints["no-schema"]
    assert (judge.overlooked(seen, rule.seen, rule.text) is not None) == constraint


def test_what_the_user_tells_is_no_evidence_that_it_is_finished():
    assert not evidence().finished(view(user("login-limit is done")), plan().milestones[0])


def test_a_restatement_says_what_is_open():
    text = "[Restatement]\nGoal: x\nFinished (1): login-limit\nOpen (1): mail-limit"
    judge, seen = evidence(), view(user(text))
    assert [judge.finished(seen, m) for m in plan().milestones] == [True, False]


@pytest.mark.parametrize(
    ("lines", "finished"),
    [
        ("Goal: x\nConstraints:\n- y", []),
        ('Open (2): t1 "fix the lamp"; t2 "buy bread"', []),
        ('Finished (1): t1 "fix the lamp"\nOpen (0): none', []),
        ("Open (0): none", []),
        ('Finished (2): 1 earlier; t2 "mail-limit: x"\nOpen (0): none', [LOGIN, MAIL]),
        ('Finished (1): t2 "mail-limit: x"\nOpen (1): t1 "login-limit: x"', [MAIL]),
        ('Finished (1): 1 earlier\nOpen (1): t2 "mail-limit: x" [in progress]', [LOGIN]),
    ],
)
def test_a_list_of_todos_says_nothing_of_what_it_does_not_name(lines, finished):
    judge, wanted = evidence(), set().union(*finished)
    restated = view(user(f"[Restatement]\n{lines}"))
    call = {"id": "c", "type": "function", "function": {"name": "todo", "arguments": "{}"}}
    answered = view(
        {"role": "assistant", "content": "check: x", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": lines},
    )
    for seen in (restated, answered):
        assert {m.id for m in plan().milestones if judge.finished(seen, m)} == wanted


def test_a_note_in_a_summary_gives_a_fact_and_a_value_elsewhere_does_not():
    milestone = plan().milestones[0]
    assert evidence().fact(view(user(MARK + "- login-limit.limit = 47")), milestone, "limit") == "47"
    assert evidence().fact(view(user(MARK + "login refused after 47 tries")), milestone, "limit") == "47"
    assert evidence().fact(view(user("login refused after 47 tries")), milestone, "limit") is None


def test_the_nearest_of_several_mentions_counts():
    rule = plan().constraints["no-schema"]
    twice = view(user(rule.text), user("x"), user(rule.text), weight=50_000)
    once = view(user(rule.text), user("x"), user("y"), weight=50_000)
    judge = evidence("plain")
    assert judge.overlooked(twice, rule.seen, rule.text) == 0
    assert judge.overlooked(once, rule.seen, rule.text) > 0.1


def test_a_restatement_brings_a_far_constraint_near_as_much_as_it_is_heeded():
    rule = plan().constraints["no-schema"]
    restated = user(f"[Restatement]\nConstraints:\n- {rule.text}")
    far = view(user(rule.text), user("x"), restated, weight=100_000)
    assert evidence("plain").overlooked(far, rule.seen, rule.text) == 0
    hasty = evidence("hasty").overlooked(far, rule.seen, rule.text)
    assert hasty == pytest.approx(0.2 * 0.5)


@given(st.integers(0, 1000), st.text(max_size=8), st.integers(0, 400_000), st.integers(0, 400_000))
def test_nearer_text_never_turns_a_yes_into_a_no(seed, question, a, b):
    near, far = sorted((a, b))
    judge = evidence("hasty", seed)
    missed = [judge.chance(question) < judge.profile.overlooks(distance) for distance in (near, far)]
    assert missed != [True, False]


def test_chance_depends_on_seed_and_question_only():
    assert evidence("plain", 1).chance("a", 2) == evidence("hasty", 1).chance("a", 2)
    assert evidence("plain", 1).chance("a", 2) != evidence("plain", 2).chance("a", 2)
    assert 0.45 < sum(evidence().chance(k) for k in range(2_000)) / 2_000 < 0.55
