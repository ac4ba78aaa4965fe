"""Zip archives, whole and damaged."""

from __future__ import annotations

import io
import zipfile

import pytest

from opencollab_nb.importers.archive import members, names


def packed(method: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr("a.json", b"first " * 50)
        archive.writestr("b.json", b"second " * 50)
    return out.getvalue()


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_an_archive_without_its_directory_gives_every_file(method: int) -> None:
    data = packed(method)
    cut = data[: data.find(b"PK\x01\x02")]
    assert names(cut) == ["a.json", "b.json"]
    assert list(members(cut)) == list(members(data))


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_an_archive_cut_anywhere_gives_what_is_before_the_cut(method: int) -> None:
    data = packed(method)
    for end in range(0, len(data), 7):
        for member in members(data[:end]):
            assert member.why or member.data in (b"first " * 50, b"second " * 50)


def test_a_method_that_cannot_be_unpacked_is_told() -> None:
    data = bytearray(packed(zipfile.ZIP_DEFLATED))
    at = data.find(b"PK\x01\x02")
    data[at + 10 : at + 12] = (93).to_bytes(2, "little")
    data[8:10] = (93).to_bytes(2, "little")
    first, second = members(bytes(data))
    assert first.why == "packed by method 93, which this Python cannot unpack"
    assert second.why is None
