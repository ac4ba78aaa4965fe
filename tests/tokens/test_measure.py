from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb.tokens.estimate import estimate, weigh
from opencollab_nb.tokens.measure import FRAME_TOKENS, IMAGE_TOKENS, measured_schemas
from tests.build import assistant, call, result, user

LONG = "word " * 600


@pytest.mark.parametrize("size", [10, 3_000_000])
@pytest.mark.parametrize(
    "image",
    [
        lambda data: {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}},
        lambda data: {"type": "input_image", "image_url": f"data:image/png;base64,{data}"},
        lambda data: {"type": "image", "source": {"type": "base64", "data": data}},
        lambda data: {"type": "input_file", "file_data": data},
        lambda data: {"inline_data": {"mime_type": "image/png", "data": data}},
        lambda data: {"type": "computer_screenshot", "image_url": f"data:image/png;base64,{data}"},
    ],
)
def test_fault_24_an_image_costs_the_same_whatever_its_encoding(image, size):
    message = user([{"type": "text", "text": "look"}, image("A" * size)])
    frames = weigh(message) - estimate("look") - IMAGE_TOKENS
    assert 2 * FRAME_TOKENS <= frames <= 3 * FRAME_TOKENS


@pytest.mark.parametrize(
    "part",
    [
        {"type": "text", "text": LONG},
        {"type": "input_text", "text": LONG},
        {"type": "output_text", "text": LONG, "annotations": []},
        {"type": "refusal", "refusal": LONG},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": LONG}]},
        {"type": "reasoning", "content": None, "summary": [], "text": LONG},
        {"type": "thinking", "thinking": LONG, "signature": "abc"},
        {"type": "tool_result", "content": [{"type": "text", "text": LONG}]},
        {"type": "tool_use", "name": "bash", "input": {"command": LONG}},
        {"type": "file_search_call", "results": [{"text": LONG}]},
        {"type": "document", "source": {"type": "text", "data": LONG}},
        {"type": "never seen", "payload": {"deep": [LONG]}},
        LONG,
        [LONG],
    ],
)
def test_faults_30_33_38_every_kind_of_part_is_counted(part):
    assert weigh(result([part])) >= estimate(LONG)


def test_fault_39_unknown_keys_are_counted():
    plain = assistant("short")
    assert weigh({**plain, "reasoning_content": LONG}) == weigh(plain) + estimate(LONG)
    assert weigh({**plain, "details": {"notes": [LONG]}}) > weigh(plain) + estimate(LONG)


def test_private_data_weighs_nothing():
    assert weigh(user(LONG, id=7, source="user", note=LONG)) == weigh(user(LONG))


def test_calls_are_counted_with_their_arguments_whatever_their_form():
    text = json.dumps({"content": LONG})
    by_text, by_object = (assistant(None, call("file_write", text)) for _ in range(2))
    by_object["tool_calls"][0]["function"]["arguments"] = {"content": LONG}
    assert weigh(by_text) == weigh(by_object) >= estimate(text)


def test_encrypted_reasoning_weighs_less_than_its_characters_suggest():
    sealed = "gAAAA" + "Zx9_" * 3_000
    for part in ({"type": "reasoning", "encrypted_content": sealed}, {"type": "reasoning", "data": sealed}):
        assert weigh(assistant([part])) < len(sealed) / 5 < estimate(sealed)


def test_encrypted_reasoning_weighs_at_most_the_output_reported_with_it():
    parts = [{"type": "reasoning", "encrypted_content": "gAAAA" + "Zx9_" * 3_000}] * 2
    bare = weigh(assistant([{"type": "reasoning"}] * 2))
    assert weigh(assistant(parts, output_tokens=120)) == bare + 120
    assert weigh(assistant(parts, output_tokens=90_000)) == weigh(assistant(parts))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
        max_leaves=12,
    )
)
def test_fault_38_no_content_makes_counting_fail(content):
    for message in (user(content), assistant("") | {"anything": content}):
        assert weigh(message) >= FRAME_TOKENS


def test_fault_66_schemas_are_counted():
    schema = {"type": "function", "function": {"name": "grep", "description": LONG}}
    assert measured_schemas([schema] * 40, estimate) >= 40 * estimate(LONG)
