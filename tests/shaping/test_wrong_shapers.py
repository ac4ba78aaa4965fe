"""Shapers with a fault: each is caught by the law it breaks, on a small transcript."""

from __future__ import annotations

from typing import Any

import pytest

from opencollab_nb.errors import UsageProblem
from opencollab_nb.shaping import check_shaper
from tests.shaping.wrong import WRONG, CapsByTheNumberOfResults, drops_old_results

SMALL_MESSAGES = 8


@pytest.mark.parametrize(("law", "shaper"), WRONG, ids=[getattr(s, "__name__", "") for _, s in WRONG])
def test_a_wrong_shaper_is_caught_by_its_law_on_a_small_transcript(law: str, shaper: Any) -> None:
    report = check_shaper(shaper() if isinstance(shaper, type) else shaper)
    assert not report
    assert law in report.failures, report
    failure = report.failures[law]
    assert failure.why
    assert len(failure.messages) <= SMALL_MESSAGES, report
    assert law in repr(report)


def test_there_are_two_dozen_of_them_and_every_law_has_one() -> None:
    assert len(WRONG) >= 24
    assert len({law for law, _ in WRONG}) == 9


def test_a_class_is_not_a_shaper() -> None:
    with pytest.raises(UsageProblem, match=r"is no shaper.*: give CapsByTheNumberOfResults\(\)$"):
        check_shaper(CapsByTheNumberOfResults)


def test_two_checks_with_one_seed_are_equal() -> None:
    one, two = check_shaper(drops_old_results), check_shaper(drops_old_results)
    assert repr(one) == repr(two)
    assert one.failures.keys() == two.failures.keys()
