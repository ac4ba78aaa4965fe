"""How members come to have sessions."""

from __future__ import annotations

from pathlib import Path

import pytest

from opencollab_nb.budget.steering import TITLE
from opencollab_nb.messages import text_of
from tests.team.build import a_team, model, outcomes, reply, seats, send


@pytest.mark.parametrize("steering", [None, True, False])
def test_members_hear_what_is_left_unless_that_is_switched_off(tmp_path: Path, steering: bool | None) -> None:
    a, b = model([reply(send("b", "Go.")), "Done."]), model(["Done."])
    given = {} if steering is None else {"steering": steering}
    team = a_team(tmp_path / "t", {"a": a, "b": b}, seats("a", "b"), **given)
    team.run()
    for asked in (a.requests[1], b.requests[0]):
        said = [text for m in asked.messages if (text := text_of(m)).startswith(TITLE)]
        assert len(said) == (steering is not False)
    assert not any(text_of(m).startswith(TITLE) for m in team.members["a"].session.transcript.messages)


def test_a_run_in_threads_ends_with_every_end_handed_on(tmp_path: Path) -> None:
    for n in range(12):
        a = model([reply(send("b", "Go."), send("c", "Go.")), *["Done."] * 4])
        team = a_team(
            tmp_path / str(n), {"a": a, "b": model(["B."]), "c": model(["C."])}, seats("a", "b", "c")
        )
        assert team.start().wait() == "done"
        assert outcomes(team) == dict.fromkeys("abc", "finished")
        team.close()
