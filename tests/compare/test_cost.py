"""Cost with prompt caching, and how well the next request's input is predicted."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb import compare, load
from opencollab_nb.budget.prices import Prices, known_prices
from opencollab_nb.compare import Caching, predictions
from opencollab_nb.compare.cost import caching_of
from opencollab_nb.errors import UsageProblem
from opencollab_nb.tokens.usage import Usage
from opencollab_nb.transcript import Origin, Sent, Transcript
from tests.compare.test_table import imported, talk

MEDIAN, NINTH = 0.05, 0.15
REPORTING = (
    "pi/before-compaction.jsonl",
    "claude-code/swebench-glm47flash-sqlglot-4415.jsonl",
    "claude-code/swebench-haiku-briefcase-2212.jsonl",
    "claude-code/swebench-haiku-faker-2151.jsonl",
    "claude-code/swebench-haiku45-ml-scientific-hard.jsonl",
    "codex/rollout-2025-09-16T14-12-31-613a9a68-8816-40b2-a2d4-041ade599da6.jsonl",
    "inspect/2025-05-12T20-27-36-04-00_browser.json",
    "litellm-completion-log/claude-sonnet-4",
)


@given(
    st.integers(0, 300_000),
    st.integers(0, 300_000),
    st.integers(0, 5_000),
    st.integers(1, 2_048),
    st.booleans(),
)
def test_the_parts_are_all_of_the_input(
    tokens: int, prefix: int, minimum: int, block: int, writes: bool
) -> None:
    cache = Caching(minimum, block, writes=writes)
    parts = cache.parts(tokens, prefix)
    assert sum(parts) == tokens
    assert min(parts) >= 0
    assert parts.cached_tokens % block == 0
    assert parts.cached_tokens <= prefix
    assert parts.cached_tokens == 0 or prefix >= minimum
    assert writes or parts.write_tokens == 0


@pytest.mark.parametrize("wrong", [{"minimum_tokens": -1}, {"block_tokens": 0}, {"block_tokens": True}])
def test_a_block_and_a_minimum_are_whole_numbers(wrong: dict[str, int]) -> None:
    with pytest.raises(UsageProblem, match=next(iter(wrong))):
        Caching(**wrong)


def test_writes_are_charged_where_they_have_a_price() -> None:
    claude, gpt = known_prices("claude-sonnet-4-20250514"), known_prices("gpt-4o")
    assert claude is not None
    assert gpt is not None
    assert claude.write is not None
    assert claude.write > claude.input
    assert gpt.write is None
    assert caching_of("x", write_price=claude.write).writes
    assert not caching_of("gpt-4o").writes
    assert claude.of(1_000_000, 400_000, 0, 200_000) == pytest.approx(
        0.4 * claude.input + 0.4 * claude.cached + 0.2 * claude.write
    )


def test_a_price_without_steps_is_what_its_source_says_at_any_length() -> None:
    from genai_prices import Usage as Priced
    from genai_prices import calc_price

    prices = known_prices("claude-sonnet-4-20250514")
    assert prices is not None
    assert prices.model is None
    usage = Priced(
        input_tokens=90_000, cache_read_tokens=50_000, cache_write_tokens=30_000, output_tokens=900
    )
    expected = float(calc_price(usage, "claude-sonnet-4-20250514").total_price)
    assert prices.of(90_000, 50_000, 900, 30_000) == pytest.approx(expected)


def test_a_chain_that_moves_the_beginning_pays_for_it() -> None:
    prices = {"input": 3.0, "cached": 0.3, "write": 3.75, "output": 15.0}
    caching = Caching(1_024, 1, writes=True)
    frame = compare(talk(), ["default"], window=16_000, prices=prices, caching=caching)
    for _, run in frame.groupby("mode"):
        moved = run[(run["layers"] != "") & (run["step"] > 1)]
        still = run[(run["layers"] == "") & (run["step"] > 1)]
        assert moved["write_tokens"].mean() > 2 * still["write_tokens"].mean()
    row = frame.iloc[5]
    parts = (row["uncached_tokens"], row["cached_tokens"], row["write_tokens"], row["output_tokens"])
    each = (3.0, 0.3, 3.75, 15.0)
    assert row["dollars"] == pytest.approx(sum(n * p for n, p in zip(parts, each, strict=True)) / 1e6)


def test_without_a_cache_all_input_is_charged_in_full() -> None:
    frame = compare(talk(), [None], window=64_000, caching=Caching(serves=False), prices=Prices(1, 1, 1))
    assert (frame["uncached_tokens"] == frame["tokens"]).all()


def growing(reported: list[int]) -> Transcript:
    return imported(
        talk(len(reported), chars=6_000), [Usage(tokens) if tokens else None for tokens in reported]
    )


def test_a_prediction_uses_no_report_but_those_before_it() -> None:
    known = [30_000 + 2_500 * n for n in range(8)]
    first = predictions(growing(known))
    changed = predictions(growing([*known[:5], *(tokens * 3 for tokens in known[5:])]))
    assert list(first["predicted_tokens"][:5]) == list(changed["predicted_tokens"][:5])
    assert list(first["step"]) == list(range(2, 9))
    assert first["error_ratio"].abs().max() < 0.05


def test_a_request_without_a_report_is_not_in_the_distribution() -> None:
    assert list(predictions(growing([30_000, 0, 35_000, 0]))["step"]) == [3]


def test_files_without_reports_are_named_as_such() -> None:
    with pytest.raises(UsageProblem, match="no usage to check against"):
        predictions(talk(3))
    alone = Transcript.of(talk(1), origin=Origin("chat", "a", "a", (Sent(2, 2, Usage(9_000)),)))
    with pytest.raises(UsageProblem, match="no usage to check against"):
        predictions(alone)


@pytest.mark.parametrize("file", REPORTING)
def test_the_next_request_s_input_is_predicted(file: str, shared: Path) -> None:
    errors = predictions(load(shared / "transcripts" / file))["error_ratio"].abs()
    assert errors.median() <= MEDIAN
    assert errors.quantile(0.9) <= NINTH
