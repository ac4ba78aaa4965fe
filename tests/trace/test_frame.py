from __future__ import annotations

from opencollab_nb.trace import Trace


def test_one_row_an_event_with_categories_as_columns() -> None:
    trace = Trace()
    trace.add("notice", 0, text="a", pressure=None)
    trace.add("request", 1, tokens=7, by_category={"tool": 5, "task": 2})
    frame = trace.to_frame()
    assert list(frame["kind"]) == ["notice", "request"]
    assert frame.loc[1, "by_category.tool"] == 5
    assert str(frame["at"].dtype).startswith("datetime64")
    assert list(frame.columns[:4]) == ["n", "kind", "step", "at"]


def test_no_event_is_an_empty_table() -> None:
    assert len(Trace().to_frame()) == 0
