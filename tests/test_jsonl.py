from __future__ import annotations

import errno
import gc
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb.errors import TranscriptError
from opencollab_nb.jsonl import Disk, JsonLines, encoded, read_lines

TEXTS = st.text(st.characters(codec=None), max_size=20)
VALUES = st.dictionaries(TEXTS, TEXTS | st.integers() | st.none() | st.lists(TEXTS, max_size=3), max_size=4)


class FullDisk(Disk):
    """Takes so many bytes, then none."""

    def __init__(self, room_bytes: int) -> None:
        self.room_bytes = room_bytes

    def write(self, descriptor: int, data: bytes) -> int:
        if not self.room_bytes:
            raise OSError(errno.ENOSPC, "No space left on device")
        taken = super().write(descriptor, data[: self.room_bytes])
        self.room_bytes -= taken
        return taken


def surrogate_free(text: str) -> bool:
    return not any(0xD800 <= ord(c) < 0xE000 for c in text)


@given(VALUES)
def test_a_value_is_one_line_of_ascii_and_comes_back(value: dict[str, Any]) -> None:
    line = encoded(value)
    assert b"\n" not in line
    assert line.isascii()
    if surrogate_free(str(value)):
        assert json.loads(line) == value


def test_a_lone_surrogate_survives(tmp_path: Path) -> None:
    value = {"text": "a\ud83e", "line ends": "a\u2028b\x85c\r\n"}
    JsonLines(tmp_path / "f").append(value, 0)
    assert read_lines(tmp_path / "f").values == [value]


def test_what_is_no_json_is_refused_and_leaves_no_trace(tmp_path: Path) -> None:
    lines = JsonLines(tmp_path / "f")
    lines.append({"n": 0}, 0)
    with pytest.raises(TranscriptError, match="JSON"):
        lines.append({"n": object()}, 1)
    assert read_lines(tmp_path / "f").values == [{"n": 0}]


@pytest.mark.parametrize("room_bytes", [0, 1, 7])
def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path, room_bytes: int) -> None:
    disk = FullDisk(10**6)
    lines = JsonLines(tmp_path / "f", disk=disk)
    lines.append({"n": 0}, 0)
    before = (tmp_path / "f").read_bytes()
    disk.room_bytes = room_bytes
    with pytest.raises(TranscriptError, match="No space left"):
        lines.append({"n": 1}, 1)
    assert (tmp_path / "f").read_bytes() == before
    disk.room_bytes = 10**6
    lines.append({"n": 1}, 1)
    assert read_lines(tmp_path / "f").values == [{"n": 0}, {"n": 1}]


class Stubborn(FullDisk):
    """Refuses to cut as well, once."""

    refusals = 0

    def cut(self, descriptor: int, size_bytes: int) -> None:
        if self.refusals:
            self.refusals -= 1
            raise OSError(errno.EIO, "Input/output error")
        super().cut(descriptor, size_bytes)


def test_a_torn_line_that_could_not_be_cut_is_cut_before_the_next(tmp_path: Path) -> None:
    disk = Stubborn(10**6)
    lines = JsonLines(tmp_path / "f", disk=disk)
    lines.append({"n": 0}, 0)
    disk.room_bytes, disk.refusals = 3, 1
    with pytest.raises(TranscriptError):
        lines.append({"n": 1}, 1)
    disk.room_bytes = 10**6
    lines.append({"n": 2}, 1)
    assert read_lines(tmp_path / "f").values == [{"n": 0}, {"n": 2}]


def test_a_file_cut_anywhere_keeps_all_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "f"
    lines = JsonLines(path)
    values = [{"n": n, "text": "é" * n} for n in range(4)]
    for count, value in enumerate(values):
        lines.append(value, count)
    lines.close()
    data = path.read_bytes()
    ends = [i for i, byte in enumerate(data) if byte == 10]
    for size in range(len(data) + 1):
        path.write_bytes(data[:size])
        found = read_lines(path)
        # A line that lacks only its end is whole.
        whole = sum(end <= size for end in ends)
        assert found.values == values[:whole]
        torn = size not in (0, *ends, *(end + 1 for end in ends))
        assert bool(found.notices) == torn
        again = JsonLines(path, found)
        again.append({"n": "next"}, len(found.values))
        again.close()
        assert read_lines(path).values == [*values[:whole], {"n": "next"}]


def test_a_damaged_line_in_the_middle_is_named(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b'{"n":0}\n{"n":\n{"n":2}\n')
    with pytest.raises(TranscriptError, match="line 2: damaged"):
        read_lines(tmp_path / "f")


def test_a_last_line_that_is_no_object_is_dropped(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b'{"n":0}\n\0\0\0\0\n')
    found = read_lines(tmp_path / "f")
    assert (found.values, found.size_bytes, len(found.notices)) == ([{"n": 0}], 8, 1)


def test_a_value_that_was_never_taken_over_is_cut_off_before_the_next(tmp_path: Path) -> None:
    lines = JsonLines(tmp_path / "f")
    lines.append({"n": 0}, 0)
    lines.append({"n": 1, "text": "an interrupt struck before the caller had it"}, 1)
    lines.append({"n": 1}, 1)
    lines.append({"n": 2}, 2)
    assert read_lines(tmp_path / "f").values == [{"n": 0}, {"n": 1}, {"n": 2}]


def test_a_file_that_is_only_dropped_is_closed(tmp_path: Path) -> None:
    closed: list[int] = []

    class Watched(Disk):
        def close(self, descriptor: int) -> None:
            closed.append(descriptor)
            super().close(descriptor)

    lines = JsonLines(tmp_path / "f", disk=Watched())
    lines.append({"n": 0}, 0)
    del lines
    gc.collect()
    assert len(closed) == 1
