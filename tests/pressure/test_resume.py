from __future__ import annotations

import json
import subprocess
import sys

import pytest

from opencollab_nb.pressure import ContextPressure
from opencollab_nb.tokens.usage import Usage
from tests.build import user

MESSAGES = [user("some words " * n) for n in range(1, 200)]
TOOLS = [{"type": "function", "function": {"name": "grep"}}]


@pytest.mark.parametrize("model", [None, "gpt-4o"])
def test_a_fresh_process_weighs_exactly_the_same(model):
    pressure = ContextPressure(64_000, model=model, tools=TOOLS)
    for reported in (70_001, 69_999, 71_003):
        assert pressure.observe(MESSAGES, Usage(reported if model is None else reported // 2)) is None
    pressure.learn(48_000)
    script = f"""
import json, sys
from opencollab_nb.pressure import ContextPressure
state, messages = json.load(sys.stdin)
pressure = ContextPressure(64_000, model={model!r}, tools={TOOLS!r})
assert pressure.restore(state) is None
now = pressure.snapshot()
print(json.dumps([pressure.to_dict(), [now.weigh(m) for m in messages], now.tokens(messages), now.trigger]))
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=json.dumps([pressure.to_dict(), MESSAGES]),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    now = pressure.snapshot()
    weights = [now.weigh(m) for m in MESSAGES]
    assert done.stdout.strip() == json.dumps([pressure.to_dict(), weights, now.tokens(MESSAGES), now.trigger])


def test_the_next_report_is_judged_as_the_first_process_would_have():
    pressure, other = ContextPressure(200_000), ContextPressure(200_000)
    pressure.observe(MESSAGES, Usage(60_000))
    pressure.observe(MESSAGES, Usage(200_000))
    other.restore(json.loads(json.dumps(pressure.to_dict())))
    assert pressure.observe(MESSAGES, Usage(201_000)) == other.observe(MESSAGES, Usage(201_000))
    assert pressure.to_dict() == other.to_dict()


def test_a_ratio_to_another_measure_is_not_taken_over_and_said_so():
    counted, local = ContextPressure(model="gpt-4o"), ContextPressure(16_000)
    counted.observe(MESSAGES, Usage(45_000))
    assert "measured by o200k_base, these by local" in local.restore(counted.to_dict())
    assert (local.window, local.ratio, local.observed) == (128_000, 1.0, 0)


@pytest.mark.parametrize("state", [{}, {"window": 5}, {**ContextPressure().to_dict(), "ratio": "much"}])
def test_what_is_no_stored_pressure_is_refused(state):
    with pytest.raises(ValueError, match="not a stored pressure"):
        ContextPressure().restore(state)
