"""Our chains in the outside suite `compaction-conformance-kit`: planted rules and facts over five rounds."""

from __future__ import annotations

from typing import Any

import pytest

from tests.compare.conformance import CHAINS, ChainCompactor

kit = pytest.importorskip("compaction_kit", reason="pip install compaction-conformance-kit (extra `test`)")
ROUNDS = 5


def report_of(policy: str, **settings: Any) -> Any:
    budget, planted = settings.pop("budget_fraction", None), settings.pop("planted", {})
    compactor = ChainCompactor(policy, **settings)
    return kit.check_compactor(compactor, rounds=ROUNDS, budget_fraction=budget, **planted)


def survival_of(report: Any) -> dict[str, list[float]]:
    return {finding.canary_type: finding.curve for finding in report.findings}


@pytest.mark.parametrize("policy", CHAINS)
@pytest.mark.parametrize("window", [1_024, 8_192])
def test_what_a_user_of_a_session_said_survives_every_round(policy: str, window: int) -> None:
    report = report_of(policy, said_by_user=True, window=window)
    kit.assert_no_flags(report)
    assert survival_of(report) == {one.value: [1.0] * ROUNDS for one in kit.CanaryType}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_so_it_does_in_sessions_whose_words_and_values_change(seed: int) -> None:
    session, canaries = kit.build_generated_session(seed)
    report = report_of("summarize", said_by_user=True, planted={"session": session, "canaries": canaries})
    assert all(finding.final_survival == 1.0 for finding in report.findings)


def test_words_that_are_never_taken_may_be_more_than_a_budget_allows() -> None:
    report = report_of("default", said_by_user=True, budget_fraction=0.3)
    assert not report.budget_compliant
    assert report.budget_checks[0].final_survived == report.budget_checks[0].final_total


@pytest.mark.parametrize("policy", CHAINS)
def test_in_a_list_without_labels_an_extractive_summary_keeps_what_its_room_allows(policy: str) -> None:
    kept = []
    for window in (2_048, 8_192, 16_384):
        curves = survival_of(report_of(policy, said_by_user=False, window=window)).values()
        assert all(curve == sorted(curve, reverse=True) for curve in curves)
        kept.append(sum(curve[-1] for curve in curves) / len(curves))
    assert kept == sorted(kept)
    assert kept[0] < 0.5
    assert kept[-1] == 1.0
