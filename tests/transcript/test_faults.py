"""Known faults of files that other programs have touched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from opencollab_nb.transcript import Transcript
from tests.build import user

ODD = ["plain", "a\r\nb\rc\n", "\u2028\u2029\x85\x0b\x0c", "\ud83e", "\x00"]

TOUCHED: dict[str, Callable[[bytes], bytes]] = {
    "line ends of Windows": lambda data: data.replace(b"\n", b"\r\n"),
    "the last line end missing": lambda data: data.removesuffix(b"\n"),
    "both": lambda data: data.replace(b"\n", b"\r\n").removesuffix(b"\r\n"),
    "a byte order mark": lambda data: b"\xef\xbb\xbf" + data,
    "nothing": lambda data: data,
}


@pytest.mark.parametrize("touch", TOUCHED)
def test_fault_88_a_file_whose_line_ends_were_changed_is_appended_to(tmp_path: Path, touch: str) -> None:
    path = tmp_path / "transcript.jsonl"
    texts: list[str] = []
    for text in ODD:
        transcript = Transcript.open(path) if path.exists() else Transcript(path)
        assert [m["content"] for m in transcript.messages] == texts
        for part in (text, text * 2):
            transcript.append(user(part), source="user", step=0)
            texts.append(part)
        transcript.close()
        before = path.read_bytes()
        path.write_bytes(TOUCHED[touch](before) if len(texts) == 2 else before)
    found = Transcript.open(path)
    assert [m["content"] for m in found.messages] == texts
    assert not found.notices
