"""JSON in whatever state a file holds it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opencollab_nb.importers.parsing import Broken, parse, parse_lines, too_deep, value_of
from opencollab_nb.importers.salvage import salvaged

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)
FEW = settings(max_examples=40, deadline=None)
OBJECTS = st.dictionaries(st.text(max_size=4), VALUES, min_size=1, max_size=4)


@FEW
@given(OBJECTS, st.booleans(), st.booleans())
def test_one_value_is_read_however_it_is_written(value: Any, pretty: bool, ascii_only: bool) -> None:
    text = json.dumps(value, indent=2 if pretty else None, ensure_ascii=ascii_only)
    assert parse(text.encode("utf-8", "replace")).whole == json.loads(text.encode("utf-8", "replace"))


@FEW
@given(st.lists(OBJECTS, min_size=2, max_size=5), st.sampled_from(["\n", "\r\n", "\n\n", "\r"]))
def test_values_on_lines_are_read_whatever_ends_the_lines(values: list[Any], end: str) -> None:
    found = parse(end.join(map(json.dumps, values)).encode())
    assert [value for _, value in found.lines] == values
    assert found.whole is None


@FEW
@given(st.lists(OBJECTS, min_size=2, max_size=4))
def test_values_one_after_the_other_are_read_though_they_span_lines(values: list[Any]) -> None:
    text = "\n".join(json.dumps(value, indent=1) for value in values)
    found = parse(text.encode())
    assert [value for _, value in found.lines] == values


def test_a_damaged_line_costs_that_line_alone_wherever_it_stands() -> None:
    sound = ['{"a": 1}', '{"a": 2}', '{"a": 3}']
    for at in range(4):
        lines = [*sound[:at], '{"a": "tor', *sound[at:]]
        values = [value for _, value in parse("\n".join(lines).encode()).lines]
        assert [value["a"] for value in values if not isinstance(value, Broken)] == [1, 2, 3]
        assert isinstance(values[at], Broken)


def test_the_number_of_a_line_is_that_of_an_editor() -> None:
    assert [n for n, _ in parse(b'{"a": 1}\n\n\n{"a": 2}').lines] == [1, 4]


def test_what_is_broken_is_told_with_its_place() -> None:
    found = parse(b'{"a": 1,\n "b": [1, 2\n "c": 3}')
    assert found.whole == {"a": 1, "b": [1, 2]}
    assert found.damage == (
        "not JSON at line 3, column 2: Expecting ',' delimiter; what stands before it was read, "
        "7 characters were not"
    )


@FEW
@given(OBJECTS, st.data())
def test_a_cut_value_gives_a_part_of_itself(value: Any, data: st.DataObject) -> None:
    text = json.dumps(value)
    at = data.draw(st.integers(1, len(text)))
    assert is_part(salvaged(text[:at], at), value)


def is_part(part: Any, value: Any) -> bool:
    if isinstance(value, dict) and isinstance(part, dict):
        return all(key in value and is_part(inner, value[key]) for key, inner in part.items())
    if isinstance(value, list) and isinstance(part, list):
        return len(part) <= len(value) and all(map(is_part, part, value))
    return bool(part == value)


def test_all_that_was_whole_is_kept_of_a_cut_list() -> None:
    text = json.dumps([{"n": n, "text": "x" * 30} for n in range(50)])
    assert [one["n"] for one in salvaged(text[:-20], len(text) - 20)] == list(range(50))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": NaN}', "nan"),
        ('{"a": 1e999}', "inf"),
        ('{"a": ' + "9" * 5000 + "}", "inf"),
        ('{"a": "\\ud83e"}', "\ud83e"),
    ],
)
def test_numbers_and_characters_beyond_all_bounds_are_values(text: str, value: str) -> None:
    assert str(value_of(text.encode())["a"]) == value


@pytest.mark.parametrize("opener", ["[", '{"a":'])
def test_nesting_beyond_all_bounds_is_a_broken_value(opener: str) -> None:
    for depth in (150, 3_000, 100_000):
        text = opener * depth + "1" + ("]" if opener == "[" else "}") * depth
        assert value_of(text.encode()) == Broken("nested too deeply", len(text))
        assert parse(text.encode()).whole is None


def test_nesting_that_real_files_have_is_none_too_deep() -> None:
    value: Any = 1
    for _ in range(60):
        value = {"a": [value]} if isinstance(value, int) else [value]
    assert not too_deep(value)


def test_a_long_text_with_one_wide_character_is_read_as_it_is() -> None:
    value = {"a": "x" * 70_000 + "\U0001f600é", "b": "日" * 10}
    text = json.dumps(value, ensure_ascii=False).encode()
    assert value_of(text) == value
    assert value_of(json.dumps({"a": "日" * 40_000}, ensure_ascii=False).encode()) == {"a": "日" * 40_000}


def test_bytes_that_are_no_utf8_are_replaced_and_counted() -> None:
    found = parse(b'{"a": "x\xff"}\n{"a": "y"}')
    assert (found.lines[0][1], found.replaced) == ({"a": "x\ufffd"}, 1)
    assert parse(b'{"a": "\xff",\n"b": 1}').replaced == 1


@pytest.mark.parametrize("data", [b"", b" \n", b"words", b"1", b'"text"', b"\x00\x01", b"null\nnull"])
def test_what_is_no_json_gives_nothing(data: bytes) -> None:
    found = parse(data)
    assert found.whole is None
    assert not [value for _, value in found.lines if isinstance(value, (dict, list))]


def test_a_file_read_by_line_must_begin_with_a_sound_one() -> None:
    assert parse_lines([b"{\n", b'"a": 1}']) is None
    assert parse_lines([]) is not None
