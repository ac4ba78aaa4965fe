"""Laws of `shaping/spans.py`: ranges say what sets of ids would."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb.messages import each, ranges
from opencollab_nb.shaping.spans import joined, shared, size_of, without

Spans = list[list[int]]
spans = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 6)).map(lambda s: [s[0], s[0] + s[1]]))


@given(one=spans, other=spans)
def test_ranges_say_what_sets_of_ids_would(one: Spans, other: Spans) -> None:
    ids, others = set(each(one)), set(each(other))
    assert joined(one) == ranges(ids)
    assert size_of(joined(one)) == len(ids)
    assert without(one, other) == ranges(ids - others)
    assert shared(one, other) == ranges(ids & others)


def test_a_summary_of_a_million_messages_costs_its_ranges() -> None:
    assert without([[0, 10**15]], [[5, 10**15]]) == [[0, 4]]
    assert size_of(joined([[0, 10**15], [7, 9]])) == 10**15 + 1
