"""The status line of a team's members: on unless it is switched off."""

from __future__ import annotations

from pathlib import Path

import pytest

from opencollab_nb.budget.steering import TITLE
from opencollab_nb.messages import text_of
from tests.team.build import a_team, model, reply, seats, send, texts


@pytest.mark.parametrize("steering", [None, True, False])
def test_members_hear_what_is_left_unless_that_is_switched_off(tmp_path: Path, steering: bool | None) -> None:
    a, b = model([reply(send("b", "Go.")), "Done."]), model(["Done."])
    given = {} if steering is None else {"steering": steering}
    team = a_team(tmp_path / "t", {"a": a, "b": b}, seats("a", "b"), **given)
    team.run()
    for asked in (a.requests[1], b.requests[0]):
        said = [text for m in asked.messages if (text := text_of(m)).startswith(TITLE)]
        assert len(said) == (steering is not False)
    assert not any(text.startswith(TITLE) for text in texts(team, "a"))
