"""The four checks that every task must pass: they show that its figures mean what they say."""

import pytest

from opencollab_nb.tasks import checks, known, load_task
from tests.tasks.parts import beginning

# Who sees nothing, or wrong values, does each thing several times; a part of a long task shows it.
BEGINNINGS = {checks.tempted: 24, checks.blind: 6, checks.misled: 6}


@pytest.mark.parametrize("name", known())
@pytest.mark.parametrize("check", [checks.reference, checks.tempted, checks.blind, checks.misled])
def test_every_task_passes_its_four_checks(name, check):
    task = load_task(name)
    if check in BEGINNINGS:
        task = beginning(task, BEGINNINGS[check])
    result = check(task)
    assert result.holds, str(result)
    assert result.report.simulated
    assert "profile ideal, seed 0" in result.report.model


def test_an_altered_value_is_known_again_in_what_is_written():
    import re

    seen = set()
    text = "limit is 30 seconds"
    hit = re.search(r"limit is (\d+)", text)
    assert checks.with_other_value(hit, seen) == "limit is 930"
    assert seen == {"930"}
