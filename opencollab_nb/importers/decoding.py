"""Bytes of a file as UTF-8, whatever they were written in."""

from __future__ import annotations

import codecs
import zlib

MOST_BYTES = 2 << 30
"""What a compressed file may unpack to; more is left out."""
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE_BYTES = 400
_MANY_NULS, _FEW_NULS = 0.6, 0.2
_GZIP = b"\x1f\x8b"


def plain(data: bytes) -> tuple[bytes, str | None]:
    """The bytes, unpacked where they are gzip; and what of them could not be had.

    >>> import gzip
    >>> plain(gzip.compress(b"words"))
    (b'words', None)
    >>> plain(gzip.compress(b"words")[:-9])[1]
    'the compressed file is cut off; what it held until there was read'
    """
    if data[:2] != _GZIP:
        return data, None
    unpacking = zlib.decompressobj(16 + zlib.MAX_WBITS)
    out = []
    try:
        out.append(unpacking.decompress(data, MOST_BYTES))
    except zlib.error as problem:
        return b"", f"the compressed file is damaged ({problem})"
    if unpacking.unconsumed_tail:
        return b"".join(
            out
        ), f"the compressed file holds more than {MOST_BYTES:,} bytes; the rest was left out"
    cut = None if unpacking.eof else "the compressed file is cut off; what it held until there was read"
    return b"".join(out), cut


def is_plain(head: bytes) -> bool:
    r"""True for what is UTF-8 or nothing, neither packed nor marked, so that it can be read line by line.

    >>> is_plain(b"{}"), is_plain(b"\x1f\x8b"), is_plain("{}".encode("utf-16"))
    (True, False, False)
    """
    marked = any(head.startswith(mark) for mark, _ in _BOMS)
    return not (marked or head[:2] == _GZIP) and _without_mark(head[:_SAMPLE_BYTES]) == "utf-8"


def utf8(data: bytes) -> tuple[bytes, str | None]:
    r"""The bytes as UTF-8 without a mark at the start; and what they were instead.

    >>> utf8("hé".encode("utf-16")), utf8(b'\xef\xbb\xbf{}')[0]
    ((b'h\xc3\xa9', 'read as UTF-16-LE'), b'{}')
    """
    encoding, skip = "utf-8", 0
    for mark, name in _BOMS:
        if data.startswith(mark):
            encoding, skip = name, len(mark)
            break
    else:
        encoding = _without_mark(data[:_SAMPLE_BYTES])
    if encoding == "utf-8":
        return data[skip:] if skip else data, None
    text = data[skip:].decode(encoding, "replace")
    return text.encode("utf-8", "replace"), f"read as {encoding.upper()}"


def _without_mark(sample: bytes) -> str:
    """UTF-16 has a NUL in every second byte of plain text."""
    if len(sample) >= 4 and sample[:2] != b"\0\0":
        first, second = (half.count(0) / len(half) for half in (sample[::2], sample[1::2]))
        if max(first, second) > _MANY_NULS and min(first, second) < _FEW_NULS:
            return "utf-16-le" if second > first else "utf-16-be"
    return "utf-8"
