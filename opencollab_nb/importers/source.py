"""One file, read and parsed once, whatever became of it: what every format looks at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from opencollab_nb.errors import ImportProblem
from opencollab_nb.importers.decoding import is_plain, plain, utf8
from opencollab_nb.importers.parsing import Broken, Parsed, parse, parse_lines

START_BYTES = 65_536


@dataclass(frozen=True)
class Held:
    """Bytes that are no file: a download, a member of an archive."""

    data: bytes
    name: str


class Source:
    r"""A file and what it holds. Values are parsed once; bytes and text are not kept longer than needed.

    Args:
        path: the file, or `Held` bytes.

    Raises:
        ImportProblem: the file is missing or cannot be read.

    >>> source = Source(Held(b'{"a": 1}\n{"a": 2}\n{"a', "cut.jsonl"))
    >>> [(number, value) for number, value in source.lines if not isinstance(value, Broken)]
    [(1, {'a': 1}), (2, {'a': 2})]
    >>> source.lines[-1][1].why
    'not JSON at column 2: Unterminated string'
    """

    def __init__(self, path: Path | str | Held) -> None:
        self._held = path.data if isinstance(path, Held) else None
        self._file = None if isinstance(path, Held) else Path(path)
        self.path = path.name if isinstance(path, Held) else str(path)
        self.name = Path(self.path).name or self.path
        self.notices: list[str] = []
        """What had to be put right before anything could be read: damaged encoding, a cut-off archive."""

    @property
    def data(self) -> bytes:
        """The bytes as they are on the disk, read anew at each look."""
        if self._held is not None:
            return self._held
        assert self._file is not None
        try:
            return self._file.read_bytes()
        except OSError as problem:
            raise self._unreadable(problem) from problem

    @cached_property
    def start(self) -> str:
        """The first characters as text: enough to tell a format by."""
        return utf8(self._head)[0].decode("utf-8", "replace")

    @cached_property
    def is_text(self) -> bool:
        """False for a file that is neither text nor a compressed text."""
        return b"\0" not in utf8(self._head)[0][:4096]

    def text_lines(self) -> Iterator[str]:
        r"""The lines of the file without their ends, decoded one after the other: a long text may take more.

        >>> list(Source(Held(b"a\r\nb\n", "x")).text_lines())
        ['a', 'b']
        """
        if not self.is_text:
            return
        try:
            with self._opened() as file:
                for line in file:
                    yield line.decode("utf-8", "replace").removesuffix("\n").removesuffix("\r")
        except OSError as problem:
            raise self._unreadable(problem) from problem

    def _opened(self) -> BinaryIO:
        """The file as UTF-8 without a mark."""
        if self._file is None or not is_plain(self._raw_head):
            return BytesIO(utf8(plain(self.data)[0])[0])
        return self._file.open("rb")

    @property
    def json(self) -> Any:
        """The whole file as one JSON value, as far as it goes (see `damage`); None where it is none."""
        return self._parsed.whole

    @property
    def damage(self) -> str | None:
        """Where and why `json` breaks off; None for a sound one."""
        return self._parsed.damage

    @property
    def lines(self) -> list[tuple[int, Any]]:
        """The values of a file with one on each line, each with its line number; `Broken` for what is none.

        Empty lines are passed over; the list is empty for a file that is no such thing.
        """
        return self._parsed.lines

    @cached_property
    def objects(self) -> list[dict[str, Any]]:
        """The JSON objects among `lines`, or the whole value where that is one."""
        found = [value for _, value in self.lines if isinstance(value, dict)]
        return found or ([self.json] if isinstance(self.json, dict) else [])

    def forget(self) -> None:
        """Drop what was parsed; it is parsed anew when it is asked for."""
        self.__dict__.pop("_parsed", None)
        self.__dict__.pop("objects", None)

    @cached_property
    def _head(self) -> bytes:
        return plain(self._raw_head)[0][:START_BYTES]

    @cached_property
    def _raw_head(self) -> bytes:
        if self._held is not None:
            return self._held[:START_BYTES]
        assert self._file is not None
        try:
            with self._file.open("rb") as file:
                return file.read(START_BYTES)
        except OSError as problem:
            raise self._unreadable(problem) from problem

    @cached_property
    def _parsed(self) -> Parsed:
        if not self.is_text:
            return Parsed()
        parsed = self._by_line() or self._at_once()
        if parsed.replaced:
            self.notices.append(
                f"{parsed.replaced:,} records hold bytes that are no UTF-8; each was replaced by \ufffd"
            )
        return parsed

    def _by_line(self) -> Parsed | None:
        """Without ever holding all bytes, where the file allows it."""
        if self._file is None or not is_plain(self._raw_head):
            return None
        try:
            with self._file.open("rb") as file:
                return parse_lines(file)
        except OSError as problem:
            raise self._unreadable(problem) from problem

    def _at_once(self) -> Parsed:
        data, cut = plain(self.data)
        data, encoding = utf8(data)
        self.notices += [told for told in (cut, encoding) if told]
        return parse(data)

    def _unreadable(self, problem: OSError) -> ImportProblem:
        return ImportProblem(f"{self.path} cannot be read: {problem.strerror or problem}; check the path")


__all__ = ["Broken", "Held", "Source"]
