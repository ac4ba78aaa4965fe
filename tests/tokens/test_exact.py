from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb.tokens.exact import Encoder, chunks, count_message, encoding_for
from opencollab_nb.tokens.measure import FRAME_TOKENS, IMAGE_TOKENS
from tests.build import assistant, call, user

GPT = encoding_for("gpt-4o")


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gpt-4o", "o200k_base"),
        ("openai/gpt-4o", "o200k_base"),
        ("azure/openai/GPT-4o-mini", "o200k_base"),
        ("ft:gpt-4o:mine", "o200k_base"),
        ("gpt-oss-120b", "o200k_base"),
        ("gpt-4", "cl100k_base"),
        ("openai/gpt-3.5-turbo", "cl100k_base"),
    ],
)
def test_known_models_are_counted_exactly_with_and_without_a_provider(model, name):
    encoder = encoding_for(model)
    assert (encoder.name, encoder.exact) == (name, True)


@pytest.mark.parametrize("model", [None, "", "/", "claude-sonnet-4-5", "simulated", "gpt2", "davinci"])
def test_other_models_fall_back_to_o200k_base_labelled_estimated(model):
    encoder = encoding_for(model)
    assert (encoder.name, encoder.exact, repr(encoder)[-10:]) == ("o200k_base", False, "estimated>")
    assert encoder.count("tokens, counted") == GPT.count("tokens, counted")


@pytest.mark.parametrize("text", ["<|endoftext|>", "<|im_start|>", "<|fim_prefix|>", "<|endofprompt|>"])
def test_fault_59_special_token_text_is_plain_text(text):
    for encoder in (GPT, encoding_for("gpt-4")):
        assert encoder.count(f"a{text}b") > encoder.count("a" + "b") + 2


def test_fault_60_cjk_is_counted():
    assert GPT.count("你好世界" * 25) == 50, "two tokens a greeting: exact, and no error"


def test_fault_87_lone_surrogates_count_as_the_replacement_character():
    assert GPT.count("a" + chr(0xD83E)) == GPT.count("a\ufffd")
    assert GPT.count(chr(0xD83E) + chr(0xDD8A)) == GPT.count("🦊")


def test_each_distinct_text_is_encoded_once():
    encoded = []

    def encode(text: str) -> bytes:
        encoded.append(text)
        return text.encode()

    encoder = Encoder("bytes", encode, exact=True)
    for text in ["one", "two", "one", "o" + "ne", "three" * 200, "three" * 200]:
        encoder.count(text)
    assert encoded == ["one", "two", "three" * 200]


@pytest.mark.parametrize("unit", [" ", " \t", "\n", "a", "é", "你", "🦊", " " * 300_000 + "x"])
def test_a_million_characters_without_a_break_are_counted(unit):
    text = unit * (1_000_000 // len(unit))
    assert 0 < GPT.count(text) <= 4 * len(text)
    assert 0 < encoding_for("gpt-4").count(text) <= 4 * len(text)


def test_cutting_a_long_text_costs_nothing_where_it_has_blanks():
    text = "def f(x):\n    return x + 1  # naïve, 你好\n\n\n" * 8_000
    whole = len(encoding_for("gpt-4o")._encode(text))
    assert len(chunks(text)) > 3
    assert GPT.count(text) == whole


@given(st.text(alphabet="ab .\n\t/é你'", min_size=1, max_size=60), st.integers(1, 4))
def test_pieces_put_together_are_the_text(unit, times):
    text = unit * (times * 100_000 // len(unit) + 1)
    pieces = chunks(text)
    assert "".join(pieces) == text
    assert max(map(len, pieces)) <= 100_000
    assert len(pieces) < 20


def test_a_message_is_framed_like_the_local_estimate():
    message = user(
        [{"type": "text", "text": "hello world"}, {"type": "image_url", "image_url": {"url": "x"}}]
    )
    assert count_message(message, GPT) == FRAME_TOKENS * 2 + GPT.count("hello world") + IMAGE_TOKENS
    acting = assistant(None, call("bash", {"command": "ls"}))
    assert count_message({**acting, "reasoning_content": "so"}, GPT) == count_message(acting, GPT) + 1
