"""A what-if with a target of its own."""

from __future__ import annotations

import pytest

from opencollab_nb import pressure_curve, what_if
from opencollab_nb.errors import UsageProblem
from opencollab_nb.policy import Policy
from opencollab_nb.shaping import OldHistorySnipShaper
from tests.compare.runs import pressed


@pytest.mark.parametrize("step", [None, 20])
def test_a_target_of_its_own_is_what_a_policy_with_it_would_give(step: int | None) -> None:
    session = pressed()
    asked = what_if(session, "default", step=step, target_ratio=0.4)
    assert asked.target == round(0.4 * asked.trigger)
    assert asked.after == what_if(session, Policy("default", target_ratio=0.4), step=step).after
    assert asked.tokens_after < what_if(session, "default", step=step).tokens_after


def test_a_lower_target_gives_a_lower_curve_and_beats_that_of_the_policy() -> None:
    session = pressed()
    low, high = (pressure_curve(session, OldHistorySnipShaper(), target_ratio=r) for r in (0.4, 0.9))
    assert sum(p.tokens for p in low) < sum(p.tokens for p in high)
    assert pressure_curve(session, Policy("default", target_ratio=0.9), target_ratio=0.4) == pressure_curve(
        session, Policy("default", target_ratio=0.4)
    )


@pytest.mark.parametrize("ratio", [0, 0.1, 1, "half", True])
def test_a_target_that_is_none_is_refused(ratio: object) -> None:
    with pytest.raises(UsageProblem, match=r"from 0\.3 to 0\.95"):
        what_if(pressed(steps=2), "default", target_ratio=ratio)
