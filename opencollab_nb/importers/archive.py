"""The files in a zip archive, also of one that is cut off."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from opencollab_nb.importers.decoding import MOST_BYTES

START = b"PK\x03\x04"
_HEADER = struct.Struct("<4s5H3I2H")
_STORED, _DEFLATED = 0, 8


class Member(NamedTuple):
    """One file of an archive."""

    name: str
    data: bytes
    why: str | None = None
    """Why its data are missing or not whole."""


def is_whole(data: bytes) -> bool:
    """False for an archive whose directory, at its end, is missing."""
    return zipfile.is_zipfile(io.BytesIO(data))


def names(data: bytes) -> list[str]:
    """The names of the files, without reading them.

    >>> import io, zipfile
    >>> packed = io.BytesIO()
    >>> with zipfile.ZipFile(packed, "w") as archive: archive.writestr("a.json", "{}")
    >>> names(packed.getvalue()), [member.data for member in members(packed.getvalue())]
    (['a.json'], [b'{}'])
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return archive.namelist()
    except (zipfile.BadZipFile, ValueError, OSError, struct.error):
        return [member.name for member in _walked(data)]


def members(data: bytes) -> Iterator[Member]:
    """The files one after the other; a damaged one tells why."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, OSError, struct.error):
        yield from _walked(data)
        return
    with archive:
        for info in archive.infolist():
            if info.is_dir():
                continue
            if info.file_size > MOST_BYTES:
                yield Member(info.filename, b"", f"larger than {MOST_BYTES:,} bytes")
                continue
            try:
                yield Member(info.filename, archive.read(info))
            except NotImplementedError:
                told = f"packed by method {info.compress_type}, which this Python cannot unpack"
                yield Member(info.filename, b"", told)
            except (zipfile.BadZipFile, zlib.error, ValueError, OSError, EOFError, RuntimeError) as problem:
                yield Member(info.filename, b"", f"damaged in the archive ({problem})")


def _walked(data: bytes) -> Iterator[Member]:
    """The files by their own headers, for an archive whose directory, at its end, is missing."""
    at = data.find(START)
    while 0 <= at <= len(data) - _HEADER.size:
        _, _, _, method, _, _, _, packed, _, name_bytes, extra_bytes = _HEADER.unpack_from(data, at)
        start = at + _HEADER.size + name_bytes + extra_bytes
        name = data[at + _HEADER.size : at + _HEADER.size + name_bytes].decode("utf-8", "replace")
        end = start + packed
        if method == _DEFLATED:
            unpacking = zlib.decompressobj(-zlib.MAX_WBITS)
            try:
                held = unpacking.decompress(data[start:], MOST_BYTES)
                cut = None if unpacking.eof else "the archive is cut off within it"
                end = len(data) - len(unpacking.unused_data) if unpacking.eof else len(data)
                yield Member(name, held, cut)
            except zlib.error as problem:
                yield Member(name, b"", f"damaged in the archive ({problem})")
                end = start
        elif method == _STORED and packed:
            held = data[start:end]
            yield Member(name, held, None if len(held) == packed else "the archive is cut off within it")
        else:
            yield Member(name, b"", f"packed by method {method}, which this Python cannot unpack")
        at = data.find(START, max(end, at + 4))
