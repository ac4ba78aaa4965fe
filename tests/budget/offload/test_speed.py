"""Five megabytes are offloaded at once and take two kilobytes; figures by `measure`."""

from __future__ import annotations

import json
import time

import pytest

from opencollab_nb.budget.offload import OffloadShaper, read_result
from opencollab_nb.messages import id_of, wire
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping import Projection, ShaperPipeline, ToolResultBudgetShaper
from tests.budget.offload.texts import hostile, log, pytest_output, table, talk

MOST_SECONDS = 0.1
SLACK = 10
"""Other work shares the machine."""
TEXTS = hostile() | {
    "log": log(100_000),
    "pytest": pytest_output(110_000),
    "JSON": table(110_000),
    "numbered": "".join(f"{number:5d}\tdef f_{number}(): pass\n" for number in range(160_000)),
}


def measure(name: str) -> tuple[float, int]:
    """Seconds of this thread to offload the text, and bytes that are left in the request."""
    messages, pressure = talk(TEXTS[name]), Pressure.of()
    begun = time.thread_time()
    shaped = OffloadShaper().shape(messages, pressure)
    seconds = time.thread_time() - begun
    return seconds, len(json.dumps(wire(shaped[2]), ensure_ascii=False).encode())


@pytest.mark.parametrize("name", TEXTS)
def test_five_megabytes_take_little_time_and_two_kilobytes(name: str) -> None:
    assert len(TEXTS[name]) >= 3_900_000
    seconds, left_bytes = measure(name)
    assert seconds <= SLACK * MOST_SECONDS
    assert left_bytes <= 2_048


@pytest.mark.parametrize("name", TEXTS)
def test_any_of_it_can_be_read(name: str) -> None:
    answer = read_result({2: talk(TEXTS[name])[2]}, id=2, offset=900, limit=3)
    assert answer.startswith("  900\t")
    assert len(answer) <= 8_000


def test_the_next_requests_cost_nothing_in_either_mode() -> None:
    messages = talk(TEXTS["log"])
    for mode in ("sticky", "stateless"):
        projection = Projection(ShaperPipeline(OffloadShaper(), ToolResultBudgetShaper()), mode)
        projection.project(messages, Pressure.of())
        begun = time.thread_time()
        for number in range(20):
            more = [{"role": "assistant", "content": f"{n}"} for n in range(number + 1)]
            shaped = projection.project([*messages, *more], Pressure.of()).messages
        assert time.thread_time() - begun <= SLACK * MOST_SECONDS
        assert [id_of(m) for m in shaped][:4] == [0, 1, 2, 3]
        assert len(str(shaped[2]["content"])) < 2_048


if __name__ == "__main__":
    for known in TEXTS:
        took_seconds, size_bytes = measure(known)
        print(
            f"{known:16} {len(TEXTS[known]):>9,} chars  {1_000 * took_seconds:5.0f} ms  {size_bytes:,} bytes"
        )
