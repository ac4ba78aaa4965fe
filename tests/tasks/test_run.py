"""Whole runs of the quickstart task under our own chains."""

import hashlib
import json
from itertools import pairwise

import pytest

from opencollab_nb.models.simulated import SimulatedModel
from opencollab_nb.summarizers import ExtractiveSummarizer
from opencollab_nb.tasks import load_task

TASK = load_task("quickstart")


def rounds(session, layer):
    return [e for e in session.trace.of("session.history_compaction") if e["layer"] == layer]


def digest(session):
    sent = [session.request(step).wire for step in range(1, session.steps + 1)]
    return hashlib.sha256(json.dumps(sent, ensure_ascii=False).encode()).hexdigest()


class Forgetful:
    """A new model for every call."""

    simulated = True
    max_output_tokens = None

    def __init__(self, make):
        self.make = make
        self.name, self.window, self.label = make().name, make().window, make().label

    def reply(self, request, *, cancel=None):
        return self.make().reply(request, cancel=cancel)


def uncached(session):
    """Input tokens as reported at each step."""
    return [u["input_tokens"] for u in session.trace.of("usage") if u["purpose"] == "step"]


@pytest.fixture(scope="module")
def swapped(tmp_path_factory):
    """The tutorial's run: the default chain, and `summarize` from the middle on."""
    session = TASK.session(path=tmp_path_factory.mktemp("run") / "swapped")
    session.run(18)
    session.use("summarize")
    session.use_summarizer(ExtractiveSummarizer())
    session.run()
    yield session
    session.close()


def test_with_the_default_chain_the_task_gets_done_after_rounds_of_clearing(tmp_path):
    session = TASK.session(path=tmp_path / "run")
    assert session.run() == "done"
    assert TASK.passed(session.workspace)
    assert rounds(session, "ToolOutputClearShaper")
    report = TASK.judge(session)
    assert (report.done, report.claims, report.violations) == (1, True, 0)
    assert TASK.plan.steps <= report.steps <= TASK.max_steps
    assert 0 < report.rework < 30
    assert report.cached_tokens > report.input_tokens / 2
    session.close()


def test_after_the_swap_one_summary_follows_and_the_task_gets_done(swapped):
    assert swapped.state == "done"
    assert TASK.passed(swapped.workspace)
    cleared, compacted = rounds(swapped, "ToolOutputClearShaper"), rounds(swapped, "AutoCompactShaper")
    assert cleared[0]["step"] <= 18 < compacted[0]["step"]
    assert any(e["covered"] and e["summary"] for e in compacted)
    assert TASK.judge(swapped).violations == 0


def test_each_reply_reads_as_a_line_of_honest_work(swapped):
    lines = [m["content"].split("\n")[0] for m in swapped.transcript.messages if m["role"] == "assistant"]
    ids = [m.id for m in TASK.plan.milestones]
    assert all(line.partition(":")[0] in (*ids, "check", "aside") for line in lines[:-1])
    assert lines[-1] == "All milestones are finished."
    assert max(map(len, lines)) < 110


def test_a_new_model_for_every_call_gives_the_same_requests_byte_for_byte(swapped, tmp_path):
    model = Forgetful(lambda: SimulatedModel(TASK.plan, "plain", 0, window=TASK.window))
    session = TASK.session(model, path=tmp_path / "run", shell="allow")
    session.run(18)
    session.use("summarize")
    session.use_summarizer(ExtractiveSummarizer())
    session.run()
    assert digest(session) == digest(swapped)
    assert uncached(session) == uncached(swapped)
    session.close()


def test_without_shaping_the_window_overflows_and_the_run_says_so(tmp_path):
    session = TASK.session(path=tmp_path / "run", policy="no_history_compaction")
    state = session.run()
    report = TASK.judge(session)
    assert (state, report.claims) == ("stopped(overflow)", False)
    assert report.done < 1
    session.close()


def test_a_larger_window_is_never_worse_for_one_that_overlooks_nothing(tmp_path):
    reports = []
    for window in (10_000, 16_000, 64_000):
        session = TASK.session(profile="ideal", window=window, path=tmp_path / str(window))
        session.run()
        reports.append(TASK.judge(session))
        session.close()
    assert [r.done for r in reports] == sorted(r.done for r in reports)
    assert [r.violations for r in reports] == [0, 0, 0]
    completed = [r for r in reports if r.done == 1]
    for small, large in pairwise(completed):
        assert large.steps <= small.steps * 1.02
        assert large.rework <= max(small.rework * 1.05, small.rework + 3)
    assert reports[-1].steps == TASK.plan.steps
