"""The audit: every change of the context, where its originals are, and the request of any moment."""

from __future__ import annotations

from collections import Counter

import pandas as pd
import pytest

from opencollab_nb.budget.audit import COLUMNS, audit
from opencollab_nb.budget.recorded import requests_sent
from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import wire
from tests.budget.recorded_runs import RUNS, a_run


@pytest.mark.parametrize(("task", "how"), RUNS)
def test_every_event_that_changed_a_context_is_a_row(task: str, how: str) -> None:
    session = a_run(task, how)
    table = session.audit()
    assert isinstance(table, pd.DataFrame)
    assert tuple(table.columns) == COLUMNS
    kinds = Counter(event["kind"] for event in session.trace.events)
    rows = Counter(table["what"])
    assert rows["compaction"] + rows["offload"] == kinds["session.history_compaction"] > 0
    assert rows["restatement"] == kinds["restatement"] > 0
    assert rows["anchor"] == kinds["anchor"] > 0
    assert rows["handoff"] == kinds["handoff"] == 1
    assert list(table["n"]) == sorted(table["n"])


def test_a_row_tells_when_by_which_layer_and_where_the_originals_are() -> None:
    session = a_run("quickstart", "summarized")
    table = session.audit()
    cleared = table[table["what"] == "compaction"].iloc[0]
    event = session.trace.events[cleared["n"]]
    assert (cleared["layer"], cleared["step"]) == (event["layer"], event["step"])
    assert cleared["tokens_after"] < cleared["tokens_before"]
    assert cleared["where"] == f"transcript.jsonl, messages {cleared['ids']}"
    assert cleared["sent"]


def test_a_summary_is_named_by_its_text_and_the_version_of_its_summarizer() -> None:
    table = a_run("quickstart", "summarized").audit()
    summarized = table[table["layer"] == "AutoCompactShaper"]
    assert len(summarized) > 1
    assert summarized["summary_version"].str.fullmatch("[0-9a-f]{12}").all()
    assert summarized["summary_version"].nunique() == len(summarized), "each summary is another text"
    assert summarized["prompt_version"].nunique() == 1, "all were written by the same summarizer"
    rest = table[table["layer"] == "ToolOutputClearShaper"]
    assert len(rest)
    assert rest["summary_version"].isna().all()


def test_what_a_step_that_was_cut_off_had_made_is_told_as_not_sent() -> None:
    session = a_run()
    events = [dict(event) for event in session.trace.events]
    layer = next(e for e in events if e["kind"] == "session.history_compaction")
    cut = {**events[-1], "kind": "state", "state": "stopped(by user)", "detail": ""}
    events.insert(layer["n"] + 1, cut)
    events = [{**event, "n": n} for n, event in enumerate(events)]
    table = audit(events, session.transcript.messages)
    rows = table[table["what"] == "compaction"]
    assert list(rows["sent"])[:1] == [False]
    assert rows["sent"].sum() == len(rows) - 1


@pytest.mark.parametrize(("task", "how"), RUNS)
def test_replay_gives_the_very_request_of_each_step(task: str, how: str) -> None:
    session = a_run(task, how)
    table = session.audit()
    for step in range(1, session.steps + 1, 6):
        moment = table.replay(step)
        request = session.request(step)
        assert list(moment) == request.messages
        assert moment.tokens == session.at(step).tokens
        assert moment.originals == session.transcript.messages[: session.at(step).stored]
    assert "messages sent" in repr(moment)
    assert "<li>" in moment._repr_html_()


def test_requests_built_from_the_record_are_those_of_the_session() -> None:
    session = a_run("quickstart", "summarized")
    sent = list(requests_sent(session.trace.events, session.transcript.messages))
    assert len(sent) == len(session.trace.of("request"))
    for one in sent:
        assert [wire(m) for m in one.messages] == session.request(one.step).messages


def test_replay_of_a_step_that_sent_nothing_says_which_did() -> None:
    table = a_run().audit()
    with pytest.raises(
        UsageProblem, match="no request was sent at step 9999; requests were sent at steps 1 to"
    ):
        table.replay(9_999)


def test_a_part_of_the_table_can_still_be_verified() -> None:
    table = a_run().audit()
    assert table[table["what"] == "offload"].verify()
    assert table.head(2).replay(1)


def test_events_that_are_no_run_are_refused() -> None:
    with pytest.raises(UsageProblem, match="no run"):
        audit([{"kind": "say", "n": 0, "step": 0}], [])
