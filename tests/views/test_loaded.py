"""`%oc load, replay, compare`, and the verbs that show a loaded transcript as they show a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from opencollab_nb.compare import compare, what_if
from opencollab_nb.views import names_of
from tests.views.cells import run
from tests.views.loaded_files import STEPS, loaded


@pytest.fixture
def held(shell: InteractiveShell) -> InteractiveShell:
    names_of(shell).loaded.put("a", loaded())
    return shell


def value(ran: Any) -> Any:
    assert ran.error is None, ran.err
    return ran.value


def a_file(path: Path) -> Path:
    messages = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    path.write_text("\n".join(map(json.dumps, messages)))
    return path


def test_load_names_what_it_opens_and_says_what_can_be_asked(shell: InteractiveShell, tmp_path: Path) -> None:
    ran = run(shell, f'%oc load "{a_file(tmp_path / "my log.jsonl")}"')
    assert len(value(ran)) == 2
    assert "@my-log is loaded: %oc @my-log at 1" in ran.out
    assert "2 messages" in ran.shown[0]["text/plain"]
    assert "<table>" in ran.shown[0]["text/html"]
    assert "my-log" in repr(value(run(shell, "%oc agents")))
    (tmp_path / "no.txt").write_text("nothing")
    ran = run(shell, f'%oc load "{tmp_path}" --name runs')
    assert "no.txt" in repr(ran.value)
    assert "load what?" in run(shell, "%oc load").problem
    assert "unknown format" in run(shell, "%oc load x --format pie").problem


def test_a_transcript_of_a_variable_and_one_of_several_answer_to_their_names(held: InteractiveShell) -> None:
    from opencollab_nb.importers.collection import Transcripts

    held.user_ns["mine"], held.user_ns["runs"] = loaded("mine"), Transcripts([loaded("b"), loaded("c")])
    assert "step 2 as" in repr(value(run(held, "%oc @mine at 2")))
    assert value(run(held, "%oc @a.0 transcript")).messages[0]["content"] == "Look."
    assert "'runs' holds 2 transcripts: say which, as in @runs.0" in run(held, "%oc @runs at 2").problem
    assert value(run(held, "%oc @runs.1 transcript")).path == "c"
    assert "counted from 0: there is no 'runs.2'" in run(held, "%oc @runs.2 at 1").problem


def test_at_and_context_show_what_the_original_agent_sent_with_its_summary(held: InteractiveShell) -> None:
    view = value(run(held, "%oc @a at 12"))
    text, page = repr(view), view._repr_html_()
    for shown in (text, page):
        assert "step 12 as the original agent sent it" in shown
        assert "[what was done until then]" in shown
        assert "reported 1,600" in shown
    table = value(run(held, "%oc @a context --step 12"))
    assert table.counts == {"verbatim": 11, "summary": 1, "summarized": 12}
    assert "the request of step 12" in repr(table)
    assert "summarized" in repr(value(run(held, "%oc @a context 3 --step 12")))
    assert "no message 30" in run(held, "%oc @a context 30 --step 12").problem
    assert "its model calls are 1 to 16" in run(held, "%oc @a at 17").problem


def test_whatif_shows_a_chain_from_the_first_call_on_beside_what_was_recorded(held: InteractiveShell) -> None:
    found = value(run(held, "%oc whatif default --step 12 --window 8_000"))
    expected = what_if(loaded(), "default", step=12, window=8_000, afresh=False)
    assert found.found.tokens_after == expected.tokens_after
    assert found.found.before == expected.before
    assert [point.step for point in found.curve] == list(range(1, STEPS + 1))
    assert found.runs[0].tokens[:2] == [900, 1_600], "what was reported"
    for shown in (repr(found), found._repr_html_()):
        assert "as recorded" in shown
        assert "weighed by the reports" in shown
    figure = value(run(held, "%oc @a whatif OldHistorySnipShaper --window 8_000 --figure"))
    assert len(figure.data) >= 2


def test_verbs_that_need_a_run_say_how_to_get_one(held: InteractiveShell) -> None:
    assert "%oc replay a makes a session of it" in run(held, "%oc @a step").problem
    assert "%oc load PATH" in run(held, "%oc step").problem
    assert "is neither loaded (loaded: a) nor a file" in run(held, "%oc replay b").problem


def test_replay_makes_a_session_that_is_current_and_notes_where_the_run_would_differ(
    held: InteractiveShell,
) -> None:
    session = value(run(held, "%oc replay a --window 8_000"))
    assert names_of(held).current == "a-replay"
    assert session.task == "Mend it."
    assert session.pressure.window == 8_000
    value(run(held, "%oc run"))
    assert session.state == "done" or session.steps == STEPS
    from opencollab_nb.views.snapshot import Snapshot

    snapshot = Snapshot.of(session)
    assert session.trace.of("notice")
    assert "the newest at step" in snapshot.text()
    assert snapshot.state["notices"][0][0] == session.trace.of("notice")[0]["step"]
    # Run again, the cell ends the session that it had made.
    assert "closed the former agent 'a-replay'" in run(held, "%oc replay a").out
    assert session.closed
    names_of(held).find("a-replay").close()


def test_compare_gives_the_frame_of_compare_and_without_chains_a_panel(held: InteractiveShell) -> None:
    chains = "default | none | ToolOutputClearShaper(keep_recent=2) OldHistorySnipShaper"
    found = value(run(held, f"%oc compare a --chains '{chains}' --window [8_000,16_000] --mode sticky"))
    frame = compare(loaded(), ["default", None], window=[8_000, 16_000], mode="sticky")
    same = found.frame[found.frame["chain"].isin(["default", "no shaping"])]
    assert list(same["tokens"]) == list(frame["tokens"])
    assert found.frame["chain"].nunique() == 3
    assert "no shaping" in repr(found)
    assert "nobody knows" in repr(found)
    with pytest.raises(ValueError, match="unknown figure"):
        found.figure("pie")
    panel = value(run(held, "%oc compare a"))
    assert "transcripts: a.jsonl (1 of 1 ticked)" in repr(panel)
    assert "compare what?" in run(held, "%oc compare --chains default").problem
    assert "takes tokens from 1_024 up" in run(held, "%oc compare a --window [5,x] --chains default").problem
