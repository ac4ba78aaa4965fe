"""Runs whose requests end with a restatement are compared with what it weighs."""

from __future__ import annotations

from pathlib import Path

from opencollab_nb import pressure_curve, what_if
from opencollab_nb.budget.context_budget import ContextBudget
from opencollab_nb.budget.offload import OffloadShaper
from tests.session.directed import Reporting, directed


def test_the_run_s_own_chain_gives_the_run_s_own_curve(tmp_path: Path) -> None:
    session = directed(
        tmp_path / "run", model=Reporting(4), window=14_000, budget=ContextBudget(restate_every=3)
    )
    session.run(30)
    sent = session.trace.of("request")
    assert {e["tail"]["meta"]["reason"] for e in sent if e["tail"]} >= {"interval", "compaction"}
    points = pressure_curve(session, *session.chain.shapers)
    assert all(abs(p.tokens - e["tokens"]) <= 1 for p, e in zip(points, sent, strict=True))
    acted = [(e["step"], e["layer"]) for e in session.trace.of("session.history_compaction")]
    assert [(p.step, layer) for p in points for layer in p.layers] == acted


def test_a_what_if_holds_the_restatement_on_both_sides(tmp_path: Path) -> None:
    session = directed(
        tmp_path / "run", model=Reporting(1), window=200_000, budget=ContextBudget(restate_every=1)
    )
    session.run(6)
    found = what_if(session, *session.chain.shapers, step=6)
    assert (found.tokens_before, found.tokens_after) == (session.at(6).tokens, session.at(6).tokens)
    coming = what_if(session, OffloadShaper(), *session.chain.shapers[1:])
    assert coming.tokens_after == session.pressure.snapshot().tokens(session.request().shaped)
