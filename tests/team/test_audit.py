"""The audit of a team: every member and every role has its row, and the sums are those of the records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.errors import TranscriptError, UsageProblem
from opencollab_nb.team import Role, Team, TeamSpec, Topology
from opencollab_nb.team.audit import audit
from opencollab_nb.team.file import read_team
from opencollab_nb.team.written import as_data
from opencollab_nb.tokens.usage import Usage
from tests.session.build import Tools, echo
from tests.team.build import a_team, act, look, model, reply, seats, send, spawn, wait

PRICES = {"input": 2.0, "cached": 1.0, "output": 10.0}


@pytest.fixture
def three_seats(tmp_path: Path) -> Team:
    """One seat that finishes, one that runs out, one that nobody writes to."""
    first = model([reply(send("b", "Do it.")), reply(wait()), "All done."])
    second = model([reply(act("file_read", text="x"), act("file_write", text="y"), look(), text="Half.")] * 5)
    team = a_team(
        tmp_path / "t",
        {"a": first, "b": second, "c": model([])},
        seats("a", "b", "c", b=250),
        workspace=Tools(file_read=echo, file_write=echo),
    )
    assert team.run() == "done"
    return team


def column(frame: Any, name: str) -> list[Any]:
    return [None if value != value else value for value in frame[name].tolist()]


def test_the_run_opens_with_the_declared_organisation(three_seats: Team) -> None:
    first = three_seats.trace.events[0]
    assert first["kind"] == "organisation"
    told = three_seats.audit().organisation
    assert read_team(told["spec"]) == three_seats.spec
    assert (told["rule"], told["pool_tokens"], told["task"]) == ("declared", 20_250, "Build it.")


def test_every_member_has_its_row_in_each_table_and_who_never_acted_too(three_seats: Team) -> None:
    told = three_seats.audit()
    for frame in (told.roles, told.behaviour, told.results, told.cost, told.members):
        assert column(frame, "member") == ["a", "b", "c"]
    assert column(told.results, "outcome") == ["finished", "ran out", "never acted"]
    assert column(told.results, "result") == ["All done.", "Half.", None]
    assert column(told.roles, "entry") == [True, False, False]
    assert column(told.roles, "parent") == [None, "a", None]
    assert column(told.roles, "may_message") == ["b, c", "a, c", "a, b"]


def test_behaviour_counts_what_worked_and_what_did_not(three_seats: Team) -> None:
    row = three_seats.audit().behaviour.set_index("member")
    assert row["steps"].tolist() == [3, 3, 0]
    assert row.loc["a", ["calls", "sent", "received", "waits"]].tolist() == [2, 1, 1, 1]
    assert row.loc["b", ["calls", "failed_calls", "reads", "edits"]].tolist() == [9, 3, 3, 3]
    assert row.loc["b", ["sent", "refusals"]].tolist() == [0, 1]
    assert row.loc["c"].tolist() == [0] * len(row.columns)


def test_costs_are_those_of_the_ledger_and_of_the_sessions(three_seats: Team) -> None:
    told = three_seats.audit(PRICES)
    cost = told.cost.set_index("member")
    books = three_seats.ledger.books
    assert cost["used"].tolist() == [books[name].spent for name in "abc"] == [300, 300, 0]
    assert cost["granted"].tolist() == [10_000, 250, 10_000]
    assert (cost["input_tokens"] + cost["output_tokens"]).tolist() == [300, 300, 0]
    assert cost["dollars"].tolist() == pytest.approx([(270 * 2 + 30 * 10) / 1e6] * 2 + [0])
    run = told.run.iloc[0]
    assert run["used"] == three_seats.ledger.spent_tokens
    assert run["dollars"] == pytest.approx(cost["dollars"].sum())
    assert [run[name] for name in ("members", "finished", "ran_out", "never_acted", "not_ended")] == [
        3,
        1,
        1,
        1,
        0,
    ]
    assert (run["state"], run["steps"]) == ("done", 6)


def test_without_known_prices_there_are_no_dollars_and_a_wrong_one_is_refused(three_seats: Team) -> None:
    told = three_seats.audit()
    assert column(told.cost, "dollars") == [None] * 3
    assert column(told.run, "dollars") == [None]
    with pytest.raises(UsageProblem, match="no prices of 'nobody-knows-me'"):
        three_seats.audit("nobody-knows-me")


def test_a_role_that_nobody_was_spawned_for_has_its_row(tmp_path: Path) -> None:
    topology = Topology(spawn=(("lead", "coder"), ("lead", "tester")))
    spec = TeamSpec(
        "lead", (Role("lead", "You lead."), Role("coder", "You code."), Role("tester", "You test.")), topology
    )
    lead = model(
        [reply(spawn("Do A.", "coder"), spawn("Do B.", "coder")), reply(wait()), reply(wait()), "Done."]
    )
    team = Team(
        spec,
        task="Build it.",
        model={"lead": lead, "coder": model(["A.", "B."]), "tester": model([])},
        budget_tokens=60_000,
        path=tmp_path / "t",
    )
    team.run()
    told = team.audit()
    assert column(told.results, "member") == ["lead", "coder", "coder-2", "tester"]
    assert column(told.results, "outcome") == ["finished", "finished", "finished", "never acted"]
    assert column(told.behaviour, "spawned") == [2, 0, 0, 0]
    assert column(told.roles, "task")[:3] == ["Build it.", "Do A.", "Do B."]
    assert told.cost["granted"].isna().tolist() == [False, False, False, True]
    assert told.run.iloc[0]["spawned"] == 2


def test_the_audit_of_a_resumed_team_is_the_same(three_seats: Team) -> None:
    before = three_seats.audit(PRICES)
    three_seats.close()
    again = Team.resume(three_seats.path, workspace=Tools(file_read=echo, file_write=echo))
    after = again.audit(PRICES)
    assert as_data(again.spec) == as_data(three_seats.spec)
    for name in ("behaviour", "results", "cost"):
        assert getattr(before, name).equals(getattr(after, name)), name
    again.close()


def test_before_the_first_step_every_row_is_there(tmp_path: Path) -> None:
    team = a_team(tmp_path / "t", {"a": model([]), "b": model([])}, seats("a", "b"))
    told = team.audit()
    assert column(told.results, "outcome") == ["never acted", "never acted"]
    assert column(told.cost, "used") == [0, 0]


def test_compactions_and_the_model_that_answered_are_told_and_no_endpoint(tmp_path: Path) -> None:
    lines = [reply(act("file_read", text="word ", times=2_000), text=str(n)) for n in range(6)]

    class Named(type(model([]))):  # type: ignore[misc]
        label, base_url = "house model", "https://private.example/v1"

    named = Named([*lines, "Done."], usage=lambda _request: Usage(90, 0, 10))
    team = a_team(tmp_path / "t", {"a": named}, seats("a"), workspace=Tools(file_read=echo), window=8_000)
    team.run()
    told = team.audit()
    assert column(told.behaviour, "compactions")[0] > 0
    assert column(told.behaviour, "tokens_shaped_away")[0] > 0
    assert column(told.roles, "model") == ["house model"]
    assert "private.example" not in repr(told.members.to_dict())


def test_it_is_shown_as_text_and_as_escaped_html(tmp_path: Path) -> None:
    team = Team(
        seats("a", "b"), task="<b>Build</b> it.", model=model(["Done <script>."]), path=tmp_path / "t"
    )
    team.run()
    told = team.audit()
    assert repr(told).startswith("team team, declared rule, 20,000 tokens: <b>Build</b> it.\n")
    assert "never acted" in repr(told)
    page = told._repr_html_()
    assert "<script" not in page
    assert "<b>Build" not in page
    assert "&lt;b&gt;Build" in page


def test_a_record_that_opens_with_something_else_is_no_audit() -> None:
    class Empty:
        class trace:
            events: tuple[Any, ...] = ()

        path = "somewhere"

    with pytest.raises(TranscriptError, match="does not open with the declared organisation"):
        audit(Empty())  # type: ignore[arg-type]
