"""The finished cells of a sweep on disk, so that a restart goes on; and the table written at the end."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opencollab_nb.errors import UsageProblem
from opencollab_nb.jsonl import JsonLines, read_lines

if TYPE_CHECKING:
    from pandas import DataFrame

KINDS = (".csv", ".parquet")
SUFFIX = ".cells.jsonl"


class Journal:
    """Rows of finished cells by their key, one a line, on the disk before the next cell is asked for.

    Args:
        out: the file of the table; the journal lies beside it. None to keep nothing.

    Raises:
        UsageProblem: (a ValueError) `out` is of no known kind, or its folder is missing.
        TranscriptError: the journal cannot be read.
    """

    def __init__(self, out: Path | None) -> None:
        self.out = out
        self.rows: dict[str, dict[str, Any]] = {}
        self._lines: JsonLines | None = None
        self._count = 0
        if out is None:
            return
        check_out(out)
        path = out.with_name(out.name + SUFFIX)
        found = read_lines(path)
        self.rows = {line["key"]: line["row"] for line in found.values if {"key", "row"} <= line.keys()}
        self._lines, self._count = JsonLines(path, found), len(found.values)

    def keep(self, key: str, row: Mapping[str, Any]) -> None:
        """One finished cell."""
        self.rows[key] = dict(row)
        if self._lines is not None:
            self._lines.append({"key": key, "row": dict(row)}, self._count)
            self._count += 1

    def close(self) -> None:
        """Give the file back."""
        if self._lines is not None:
            self._lines.close()


def check_out(out: Path) -> None:
    """Refuse a file that could not be written at the end of hours.

    Raises:
        UsageProblem: its kind is not known, its folder is missing, or the library for it is.
    """
    if out.suffix not in KINDS:
        raise UsageProblem(f"out={str(out)!r}: give a file that ends in {' or '.join(KINDS)}")
    if not out.parent.is_dir():
        raise UsageProblem(f"out={str(out)!r}: the folder {str(out.parent)!r} does not exist; make it first")
    if out.suffix == ".parquet" and find_spec("pyarrow") is None:
        raise UsageProblem(
            'Parquet needs pyarrow: pip install "opencollab-nb[sweep]", or let out end in .csv'
        )


def write_table(frame: DataFrame, out: Path) -> None:
    """The table in its file, whole or not at all."""
    made = out.with_name(f".{out.name}.part")
    if out.suffix == ".csv":
        frame.to_csv(made, index=False)
    else:
        frame.to_parquet(made, index=False)
    made.replace(out)
