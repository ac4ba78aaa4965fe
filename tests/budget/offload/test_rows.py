"""Rows: every place of a text has a number, and counting agrees with cutting."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb.budget.offload.rows import ROW_CHARS, count_rows, row_at, rows_of

sizes = st.sampled_from([0, 1, 3, ROW_CHARS - 1, ROW_CHARS, ROW_CHARS + 1, 2 * ROW_CHARS, 9_999])
texts = st.lists(st.tuples(sizes, st.sampled_from(["", "\n", "\r\n", "\n\n"])), max_size=6).map(
    lambda parts: "".join("x" * size + end for size, end in parts)
)


@given(text=texts)
def test_as_many_are_counted_as_are_cut(text: str) -> None:
    assert count_rows(text) == len(rows_of(text))


@given(text=texts)
def test_no_row_is_too_long_and_together_they_are_the_text(text: str) -> None:
    rows = rows_of(text)
    assert all(len(row) <= ROW_CHARS for row in rows)
    assert "".join(rows) == text.replace("\r\n", "").replace("\n", "")


@given(text=texts, share=st.floats(0, 1))
def test_a_place_is_in_the_row_of_its_number(text: str, share: float) -> None:
    places = [at for at, letter in enumerate(text) if letter == "x"]
    if places:
        at = places[int(share * (len(places) - 1))]
        rows_before = rows_of(text)[: row_at(text, at) - 1]
        assert "".join(rows_before).count("x") <= text.count("x", 0, at)
        assert text.count("x", 0, at) < sum(map(len, rows_of(text)[: row_at(text, at)]))
