from __future__ import annotations

import base64
import random
import string

from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb.tokens.estimate import dense_chars, estimate

PROSE = "The quick brown fox jumps over the lazy dog, and the build stays green. " * 40


def test_ascii_weighs_about_three_characters_a_token():
    assert estimate(PROSE) == -(-len(PROSE) // 3)


def test_fault_60_cjk_weighs_about_one_token_a_character():
    assert estimate("你好世界" * 25) == 100


def test_fault_25_base64_inside_text_weighs_twice_what_prose_does():
    noise = base64.b64encode(random.Random(0).randbytes(75_000)).decode()
    assert 0.6 < estimate(noise) / len(noise) < 0.7
    assert estimate("data:image/png;base64," + "A" * 1_000_000) > 600_000


def test_fault_25_base64_broken_into_lines_is_dense_too():
    noise = base64.encodebytes(random.Random(0).randbytes(30_000)).decode()
    assert estimate(noise) > 0.6 * len(noise)


def test_code_paths_and_rulers_are_not_dense():
    paths = "\n".join(f"src/package/module_{n}/test_file.py" for n in range(300))
    assert dense_chars(paths) == dense_chars("=" * 5_000) == dense_chars(PROSE) == 0


@given(st.text(max_size=50), st.text(max_size=50))
def test_a_text_weighs_no_more_than_its_parts_and_no_less_than_either(one, other):
    assert max(estimate(one), estimate(other)) <= estimate(one + other) <= estimate(one) + estimate(other)


@given(st.text(string.ascii_letters + " \n", max_size=2_000), st.integers(0, 2_000), st.integers(0, 2_000))
def test_taking_out_the_middle_never_weighs_more(text, head, tail):
    cut = text[:head] + " … " + text[len(text) - tail :]
    if len(cut) + 10 <= len(text):
        assert estimate(cut) <= estimate(text)


@given(st.text(st.characters(categories=["Cs", "L", "So"]), min_size=1))
def test_fault_87_lone_surrogates_are_counted(text):
    assert estimate(text) > 0
