"""`sweep`: a grid of chains on many transcripts, one row a combination."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opencollab_nb.compare import workers as at_work
from opencollab_nb.compare.cell import COLUMNS, Cell, digest_of
from opencollab_nb.compare.cost import Caching
from opencollab_nb.compare.grid import grid_of
from opencollab_nb.compare.journal import Journal, write_table
from opencollab_nb.compare.subject import Subject, subjects_of
from opencollab_nb.errors import UsageProblem
from opencollab_nb.secrecy import KNOWN

if TYPE_CHECKING:
    from pandas import DataFrame

_FLOATS = ("prefix_kept_ratio", "facts_kept_ratio", "facts_gone_ratio", "dollars", "seconds")
_TEXTS = ("transcript", "chain", "mode", "model", "layers", "problem", "error")


def sweep(
    transcripts: Any,
    grid: Any,
    client: Any = None,
    *,
    out: Path | str | None = None,
    workers: int | None = None,
    progress: bool = True,
    prices: Any = None,
    caching: Caching | None = None,
) -> DataFrame:
    """Measure every combination of a grid on every transcript: one row for each.

    It is a replay, as `compare` is. Each row sums up all requests of a transcript under one chain; what
    stands in it is in `opencollab_nb.compare.CELL_COLUMNS`, besides a column for each parameter.

    Shapers written in a cell travel with their code. A combination that fails is a row with its `error`.
    With `out` every finished combination is on the disk at once: after a restart the same call goes on with
    the others, and with those that failed. A changed shaper is measured anew.

    Args:
        transcripts: as for `compare`.
        grid: a `Grid`, a mapping with its fields (`shapers`, `parameters`, `windows`, `models`, `modes`), or
            chains alone.
        client: a `dask.distributed.Client` to measure on its cluster; None for this machine.
        out: a `.csv` or `.parquet` file for the table.
        workers: processes on this machine; None for one a core, 0 for none but this.
        progress: show a bar.
        prices: as for `compare`.
        caching: as for `compare`.

    Raises:
        UsageProblem: (a ValueError) nothing to measure, or an argument that cannot be used; before the start.
        KeyboardInterrupt: it was interrupted; what was finished is kept where `out` was given.

    >>> talk = [{"role": "user", "content": "Fix the bug."}, {"role": "assistant", "content": "Fixed."}]
    >>> frame = sweep({"talk": talk}, {"shapers": ["default", None], "windows": [16_000, 32_000]},
    ...     workers=0, progress=False)
    >>> frame[["chain", "window", "requests", "tokens"]].to_dict("split")["data"][:2]
    [['default', 16000, 1, 8], ['default', 32000, 1, 8]]
    """
    found = {digest_of(subject): subject for subject in subjects_of(transcripts)}
    made = grid_of(grid)
    cells = [
        Cell(digest, subject.name, variant, mode, window, model, prices, caching)
        for digest, subject in found.items()
        for variant, mode, window, model in made.settings()
    ]
    number = at_work.how_many(workers, len(cells))
    if client is not None or number:
        for cell in cells:
            at_work.packed(cell)
    journal = Journal(None if out is None else Path(out).expanduser())
    keys = {id(cell): cell.key for cell in cells}
    waiting = [cell for cell in cells if "error" in journal.rows.get(keys[id(cell)], {"error": "not begun"})]
    try:
        for cell, done in shown(done_of(waiting, found, client, number), cells, waiting, progress):
            journal.keep(keys[id(cell)], done if isinstance(done, dict) else {"error": named(done)})
    finally:
        journal.close()
    frame = table_of([cell.labels | journal.rows[keys[id(cell)]] for cell in cells], list(made.parameters))
    if journal.out is not None:
        write_table(frame, journal.out)
    return frame


def done_of(
    cells: Sequence[Cell], subjects: dict[str, Subject], client: Any, workers: int
) -> Iterator[at_work.Done]:
    """The cells as they are finished, in any order."""
    if not cells:
        return
    if client is not None:
        if not all(callable(getattr(client, verb, None)) for verb in ("submit", "scatter")):
            raise UsageProblem(f"client is {client!r}: give a dask.distributed.Client, or None")
        yield from at_work.on_cluster(cells, subjects, client)
    elif not workers:
        yield from at_work.here(cells, subjects)
    else:
        with tempfile.TemporaryDirectory(prefix="opencollab-sweep-") as folder:
            yield from at_work.local(cells, subjects, workers, Path(folder))


def shown(
    done: Iterator[at_work.Done], cells: Sequence[Cell], waiting: Sequence[Cell], progress: bool
) -> Iterator[at_work.Done]:
    """The same, under a bar that counts what was finished before too."""
    from tqdm.auto import tqdm

    with tqdm(total=len(cells), initial=len(cells) - len(waiting), unit="cell", disable=not progress) as bar:
        for one in done:
            yield one
            bar.update()


def named(problem: BaseException) -> str:
    """An error in a table."""
    return KNOWN.struck(f"{type(problem).__name__}: {problem}")


def table_of(rows: Sequence[dict[str, Any]], parameters: Sequence[str]) -> DataFrame:
    """The rows as a table: what a cell is first, then its parameters, then its figures."""
    import pandas as pd

    names = list(COLUMNS)
    at = names.index("requests")
    order = [*names[:at], *parameters, *names[at:]]
    frame = pd.DataFrame(rows).reindex(columns=order)
    whole = [name for name in names if name not in (*_FLOATS, *_TEXTS)]
    return frame.astype(dict.fromkeys(whole, "Int64") | dict.fromkeys(_FLOATS, "float64"))
