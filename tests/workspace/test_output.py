"""The start and the end of an output are held, whatever its length."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb.workspace.output import Held, capped


def held(data: bytes, chars: int, size: int = 7) -> tuple[str, bool]:
    taken = Held(chars)
    for start in range(0, len(data), size):
        taken.add(data[start : start + size])
    return taken.text()


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=300), st.integers(1, 40), st.integers(1, 9))
def test_holding_is_the_same_as_capping_the_whole(text, chars, size):
    assert held(text.encode(), chars, size) == (capped(text, chars), len(text) > chars)


@given(st.text(max_size=100), st.integers(1, 20))
def test_capped_text_has_the_start_and_the_end_and_says_how_much_is_missing(text, chars):
    short = capped(text, chars)
    if len(text) <= chars:
        assert short == text
    else:
        assert short.startswith(text[: chars // 2])
        assert short.endswith(text[-(chars - chars // 2) :])
        assert f"{len(text) - chars} characters left out" in short


@given(st.binary(max_size=200), st.integers(1, 20))
def test_any_bytes_become_text(data, chars):
    held(data, chars)[0].encode()
