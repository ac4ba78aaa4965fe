"""Known faults of media and of parts that hold their text deeper down, in the shapes of many providers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from opencollab_nb.messages import text_of
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping import Projection, ToolResultBudgetShaper, default_pipeline
from opencollab_nb.shaping.cut import text_chars
from opencollab_nb.shaping.flat import flat
from opencollab_nb.tokens.estimate import weigh
from opencollab_nb.tokens.measure import IMAGE_TOKENS
from tests.build import numbered, result, tool_step, user
from tests.shaping.tight import LONG, outcomes

OLD = [m for n in range(6) for m in tool_step(100 + n, LONG)]
PNG = "data:image/png;base64,"
WORDS = "word " * 20_000


def media(data: str) -> list[dict[str, Any]]:
    url, source = PNG + data, {"type": "base64", "media_type": "image/png", "data": data}
    return [
        {"type": "image_url", "image_url": {"url": url}},
        {"type": "image_url", "image_url": url},
        {"type": "input_image", "image_url": url},
        {"type": "computer_screenshot", "image_url": url},
        {"type": "image", "source": source},
        {"type": "image", "data": data, "mimeType": "image/png"},
        {"type": "tool_result", "content": [{"type": "image", "source": source}]},
        {"type": "resource", "resource": {"uri": "a", "mimeType": "image/png", "blob": data}},
        {"inline_data": {"mime_type": "image/png", "data": data}},
        {"inlineData": {"mimeType": "image/png", "data": data}},
        {"image": {"format": "png", "source": {"bytes": data}}},
        {"document": {"format": "pdf", "name": "a", "source": {"bytes": data}}},
        {"video": {"format": "mp4", "source": {"bytes": data}}},
        {"type": "input_audio", "input_audio": {"data": data, "format": "wav"}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": f"data:application/pdf;base64,{data}"}},
        {"type": "input_file", "filename": "a.pdf", "file_data": data},
        {"type": "output", "b64_json": data},
    ]


@pytest.mark.parametrize("shape", range(len(media(""))))
def test_fault_24_a_medium_weighs_the_same_in_every_provider_s_shape_however_long(shape: int) -> None:
    small, large = media("A" * 99)[shape], media("A" * 400_000)[shape]
    assert weigh(user([large])) == weigh(user([small]))
    assert IMAGE_TOKENS <= weigh(user([large])) < IMAGE_TOKENS + 30
    got = Projection(default_pipeline()).project(numbered([user([large])]), Pressure.of(32_000))
    assert not got.reports


NESTED: list[dict[str, Any]] = [
    {"type": "tool_result", "content": WORDS},
    {"type": "tool_result", "content": [{"type": "text", "text": WORDS}]},
    {"type": "tool_result", "content": [{"text": WORDS[:50_000]}, {"text": WORDS[50_000:]}]},
    {"type": "resource", "resource": {"uri": "a", "text": WORDS}},
    {"type": "refusal", "refusal": WORDS},
]


@pytest.mark.parametrize("part", NESTED, ids=lambda part: part["type"])
@pytest.mark.parametrize("beside", ["text", "input_text", None])
def test_fault_30_text_inside_a_part_is_counted_cut_and_rendered(part: Any, beside: str | None) -> None:
    parts = [part] if beside is None else [{"type": beside, "text": "the end"}, part]
    for window in (200_000, 16_000):
        [cut] = ToolResultBudgetShaper().shape([result(parts)], Pressure.of(window))
        assert 1_000 < text_chars(cut["content"]) <= 16_000
        assert text_of(cut).count("word") > 100
        assert {p["type"] for p in cut["content"]} == {beside or "text"}  # type: ignore[index, union-attr]
    assert "word word" in flat(result(parts))
    for _, after in outcomes([user("a"), *tool_step(1, parts), *OLD]):
        json.dumps(after)


def test_fault_33_a_part_that_holds_more_than_text_is_no_text_to_cut() -> None:
    mixed = {"type": "tool_result", "content": [{"type": "text", "text": "a"}, media("A" * 900)[0]]}
    thought = {"type": "reasoning", "content": [{"type": "reasoning_text", "text": "why " * 900}]}
    for opaque in (mixed, thought, {"type": "json", "json": {"a": [1]}}):
        parts = [{"type": "text", "text": WORDS}, opaque]
        [cut] = ToolResultBudgetShaper().shape([result(parts)], Pressure.of(200_000))
        assert cut["content"][1] == opaque  # type: ignore[index]
        assert text_chars(cut["content"]) <= 16_000
