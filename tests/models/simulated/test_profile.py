import pytest
from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb.errors import SpecificationError, UnknownName
from opencollab_nb.models.simulated import Profile, profiles
from opencollab_nb.models.simulated.profile import profile_named

# The figures that the README of the simulated agent states.
STATED = {
    "ideal": (1, 1, 1, 0, 1, "narrow", 1, 3, 0),
    "plain": (1, 0.8, 1, 0.4, 0.7, "narrow", 1, 3, 0.35),
    "careful": (1, 0.95, 1, 0.8, 1, "narrow", 1, 3, 0.2),
    "hasty": (1, 0.6, 0.8, 0.1, 0.3, "whole", 0.95, 3, 0.5),
}


@pytest.mark.parametrize("name", STATED)
def test_the_shipped_profiles_have_the_stated_settings(name):
    p = profiles()[name]
    settings = (p.tempted, p.obeys_summaries, p.heeds_restatement, p.notes, p.checks_first, p.rereads)
    assert (*settings, p.tool_reliability, p.patience, p.most) == STATED[name]


def test_every_profile_is_printed_with_all_its_settings():
    assert profiles()["hasty"].to_dict() == {
        "name": "hasty",
        "tempted": 1,
        "obeys_summaries": 0.6,
        "heeds_restatement": 0.8,
        "notes": 0.1,
        "checks_first": 0.3,
        "rereads": "whole",
        "tool_reliability": 0.95,
        "patience": 3,
        "near_tokens": 4000,
        "far_tokens": 64000,
        "most": 0.5,
        "tokenizer_ratio": 1.1,
    }


@given(st.integers(0, 500_000), st.integers(0, 500_000))
def test_what_is_farther_is_never_overlooked_less(a, b):
    plain = profiles()["plain"]
    near, far = sorted((a, b))
    assert 0 <= plain.overlooks(near) <= plain.overlooks(far) <= plain.most


def test_an_unknown_profile_is_refused_with_the_nearest_name():
    with pytest.raises(UnknownName, match="unknown profile 'plan'; did you mean 'plain'"):
        profile_named("plan")


def test_settings_that_cannot_be_are_refused():
    with pytest.raises(UnknownName, match="narrow"):
        Profile(rereads="wide")
    with pytest.raises(SpecificationError, match=r"far \(5\) must be more than near \(9\)"):
        Profile(near_tokens=9, far_tokens=5)
