"""The status line is seen where a request is looked at: in the map, and in the list of its messages."""

from __future__ import annotations

from pathlib import Path

from opencollab_nb.messages import text_of
from opencollab_nb.views.contents import ContextTable
from opencollab_nb.views.live_map import LiveMap
from tests.session.build import a_session, working


def test_map_and_context_show_the_line_that_no_transcript_holds(tmp_path: Path) -> None:
    session = a_session(tmp_path / "run", working(2), steering=True, max_steps=9)
    session.run(2)
    live = LiveMap(session)
    for event in session.trace.events:
        live.take(event)
    assert live.everything() is not None
    (tail,) = [sent for sent in map(live.sent, range(len(live))) if sent.state == "tail"]
    assert text_of(tail.message) == "[Status at step 2, by the harness] Steps left: 8."
    assert "[Status at step 3, by the harness] Steps left: 7." in repr(ContextTable.of(session))
    assert not any("[Status" in text_of(m) for m in session.transcript.messages)
