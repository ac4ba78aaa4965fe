"""One file, whatever it was written in."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from opencollab_nb.errors import ImportProblem
from opencollab_nb.importers.decoding import plain
from opencollab_nb.importers.source import Held, Source

VALUE = {"a": "hé 日 \U0001f600"}
TEXT = json.dumps(VALUE, ensure_ascii=False)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("packed", [False, True])
def test_a_file_is_read_whatever_it_is_written_in(encoding: str, packed: bool, tmp_path: Path) -> None:
    data = TEXT.encode(encoding)
    path = tmp_path / "file"
    path.write_bytes(gzip.compress(data) if packed else data)
    for source in (Source(path), Source(Held(path.read_bytes(), "held"))):
        assert source.json == VALUE
        assert list(source.text_lines()) == [TEXT]
        assert source.start == TEXT


def test_a_cut_gzip_gives_what_came_before_the_cut(tmp_path: Path) -> None:
    lines = "".join(json.dumps({"n": n, "more": str(n) * 50}) + "\n" for n in range(2_000))
    path = tmp_path / "file.gz"
    path.write_bytes(gzip.compress(lines.encode())[:-200])
    source = Source(path)
    assert source.lines[0][1]["n"] == 0
    assert source.notices == ["the compressed file is cut off; what it held until there was read"]


def test_a_damaged_gzip_is_told_and_holds_nothing() -> None:
    damaged = b"\x1f\x8b" + b"x" * 30
    assert plain(damaged)[0] == b""
    source = Source(Held(damaged, "x"))
    assert source.json is None
    assert "damaged" in source.notices[0]


def test_an_image_is_no_text_and_holds_nothing() -> None:
    source = Source(Held(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(60), "x.png"))
    assert not source.is_text
    assert (source.json, source.lines, list(source.text_lines())) == (None, [], [])
    assert source.data.startswith(b"\x89PNG")


def test_a_nul_in_a_line_costs_that_line_alone() -> None:
    data = b'{"a": 1}\n' + b'{"a": "' + b"x" * 5_000 + b'"}\n' + bytes(100) + b'\n{"a": 3}\n'
    values = [value for _, value in Source(Held(data, "x")).lines]
    assert [isinstance(value, dict) for value in values] == [True, True, False, True]


def test_replaced_bytes_are_told() -> None:
    source = Source(Held(b'{"a": "\xff"}\n{"a": 1}', "x"))
    assert source.lines
    assert source.notices == ["1 records hold bytes that are no UTF-8; each was replaced by \ufffd"]


def test_a_missing_file_is_a_problem_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(ImportProblem, match=r"nowhere\.json cannot be read: No such file"):
        _ = Source(tmp_path / "nowhere.json").start


def test_objects_are_those_of_the_lines_or_the_whole_value() -> None:
    assert Source(Held(b'{"a": 1}\n[2]\n{"a": 3}', "x")).objects == [{"a": 1}, {"a": 3}]
    assert Source(Held(b'{"a":\n1}', "x")).objects == [{"a": 1}]
