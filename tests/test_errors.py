"""Errors name the culprit, the value and what to do next."""

from __future__ import annotations

import pytest

from opencollab_nb import errors
from opencollab_nb.errors import OpenCollabError, StepCancelled, UnknownName, nearest


@pytest.mark.parametrize("typo", ["stpe", "setp", "tsep", "STPE"])
def test_letters_that_changed_places_are_found(typo: str) -> None:
    assert nearest(typo, ["run", "stop", "step", "pause"]) == "step"


def test_a_name_like_none_has_no_nearest() -> None:
    assert nearest("xyzzy", ["run", "stop"]) is None
    assert nearest("anything", []) is None


def test_an_unknown_name_is_told_with_the_nearest_and_all_known_ones() -> None:
    told = str(UnknownName("policy", "defualt", ["default", "summarize"]))
    assert told == "unknown policy 'defualt'; did you mean 'default'? Known: default, summarize"


def test_every_error_is_in_the_tree_that_stands_at_the_top() -> None:
    tree = errors.__doc__ or ""
    for name in errors.__all__:
        kind = getattr(errors, name)
        if isinstance(kind, type):
            assert name in tree
            assert issubclass(kind, OpenCollabError) or kind is StepCancelled


def test_a_cancelled_step_is_not_eaten_by_except_exception() -> None:
    assert not issubclass(StepCancelled, Exception)
