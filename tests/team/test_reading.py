"""Reading a team file: one that is no team, as long as may be, is refused in seconds."""

from __future__ import annotations

import time

import pytest

from opencollab_nb.errors import SpecificationError
from opencollab_nb.team import read_team
from opencollab_nb.team.reading import MOST_KNOWN, unknown

ROLES = "entry: role0\nroles:\n" + "".join(f"  role{n}: {{prompt: P.}}\n" for n in range(600))


def test_thousands_of_unknown_names_are_refused_without_looking_for_what_is_nearest_to_each() -> None:
    names = ", ".join(f"rol{n}x" for n in range(6_000))
    begun = time.perf_counter()
    with pytest.raises(SpecificationError, match="6000 faults") as refused:
        read_team(f"{ROLES}topology:\n  message:\n    role0: [{names}]\n")
    assert time.perf_counter() - begun < 60
    assert len(str(refused.value)) < 20_000


def test_a_message_lists_some_of_many_known_names() -> None:
    known = [f"role{n}" for n in range(MOST_KNOWN + 5)]
    assert unknown("role", "zzz", known).endswith("role59 and 5 more")
