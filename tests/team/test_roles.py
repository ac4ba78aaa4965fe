"""What a team's file says of a role reaches its requests."""

from __future__ import annotations

from pathlib import Path

from opencollab_nb.team import Team
from tests.team.build import look, model, reply, send

FILE = {
    "entry": "a",
    "budget": {"tokens": 5_000},
    "roles": {"a": {"prompt": "You plan."}, "b": {"prompt": "You test.", "temperature": 0}},
    "topology": {"message": {"a": ["b"]}},
}


def test_each_role_is_asked_at_its_own_temperature(tmp_path: Path) -> None:
    models = {"a": model([reply(send("b", "Do it.")), "Done."]), "b": model([reply(look()), "Tested."])}
    team = Team(FILE, task="Build it.", model=models, path=tmp_path / "t")
    team.run()
    asked = {name: {request.temperature for request in one.requests} for name, one in models.items()}
    assert asked == {"a": {None}, "b": {0.0}}


def test_members_are_steered_where_the_team_is(tmp_path: Path) -> None:
    models = {"a": model([reply(send("b", "Do it.")), "Done."]), "b": model([reply(look()), "Tested."])}
    team = Team(FILE, task="Build it.", model=models, path=tmp_path / "t", steering=True, max_steps=9)
    team.run()
    tails = [str(request.messages[-1]["content"]) for request in models["b"].requests]
    assert [tail.partition("]")[2] for tail in tails] == [
        " Steps left: 9. Tokens left: 5,000.",
        " Steps left: 8. Tokens left: 4,900.",
    ]
