"""Where the cells of a sweep are measured: in processes of this machine, or on a cluster."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from typing import Any

from opencollab_nb.compare.cell import Cell, measure, measured
from opencollab_nb.compare.subject import Subject
from opencollab_nb.errors import UsageProblem

Done = tuple[Cell, dict[str, Any] | BaseException]
"""A cell and its figures, or what it failed with."""
DIED = "the process that measured it died; it may need more memory than there is"


def packed(cell: Cell) -> bytes:
    """The cell for another process, with the code of what was written in a notebook.

    Raises:
        UsageProblem: a part of its chain holds something that cannot travel, such as an open file.
    """
    import cloudpickle

    try:
        done: bytes = cloudpickle.dumps(cell)
    except Exception as problem:  # whatever a user's object raises when it is packed
        raise UsageProblem(
            f"the chain {cell.variant.chain!r} cannot be sent to another process: {problem}. Let its shapers "
            "hold plain values only, or use workers=0 to measure in this one"
        ) from problem
    return done


def how_many(workers: int | None, cells: int) -> int:
    """The processes to use: one a core, and no more than there are cells.

    Raises:
        UsageProblem: `workers` is no whole number from 0 up.
    """
    if workers is None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return min(cores, cells)
    if type(workers) is not int or workers < 0:
        raise UsageProblem(f"workers is {workers!r}: give a whole number, 0 for this process alone, or None")
    return min(workers, cells)


def here(cells: Sequence[Cell], subjects: Mapping[str, Subject]) -> Iterator[Done]:
    """One after the other, in this process."""
    for cell in cells:
        yield cell, outcome(partial(measure, subjects[cell.subject], cell))


def local(
    cells: Sequence[Cell], subjects: Mapping[str, Subject], workers: int, folder: Path
) -> Iterator[Done]:
    """In so many processes of this machine.

    A process that dies takes its pool with it: the cells that were not finished are then measured one at a
    time until the one that kills is found, and the rest go on together.

    Args:
        cells: to be measured.
        subjects: their transcripts, by digest.
        workers: processes.
        folder: for the transcripts, which all processes read.
    """
    from loky import ProcessPoolExecutor

    files = {digest: str(written(subject, folder / digest)) for digest, subject in subjects.items()}
    waiting, alone = list(cells), False
    while waiting:
        batch = waiting[:1] if alone else waiting
        pool = ProcessPoolExecutor(max_workers=min(workers, len(batch)))
        broken = False
        try:
            futures = {pool.submit(measured, files[cell.subject], packed(cell)): cell for cell in batch}
            for future in as_completed(futures):
                cell = futures[future]
                done = outcome(future.result)
                if isinstance(done, BrokenProcessPool):
                    broken = True
                    if not alone:
                        continue
                    done = RuntimeError(DIED)
                waiting.remove(cell)
                yield cell, done
        finally:
            pool.shutdown(wait=True, kill_workers=True)
        # Once the one that killed its process is found, the others run together again.
        alone = broken != alone


def on_cluster(cells: Sequence[Cell], subjects: Mapping[str, Subject], client: Any) -> Iterator[Done]:
    """On a `dask.distributed` cluster: the same function, the transcripts sent once."""
    from distributed import as_completed as completed

    sent = {digest: client.scatter(subject, broadcast=True) for digest, subject in subjects.items()}
    futures = {
        client.submit(measured, sent[cell.subject], packed(cell), pure=False, key=f"cell-{cell.key}"): cell
        for cell in cells
    }
    try:
        for future in completed(list(futures)):  # type: ignore[no-untyped-call]
            yield futures[future], outcome(future.result)
    finally:
        client.cancel(list(futures))


def written(subject: Subject, path: Path) -> Path:
    """The transcript in a file."""
    with path.open("wb") as file:
        pickle.dump(subject, file, protocol=pickle.HIGHEST_PROTOCOL)
    return path


def outcome(make: Callable[[], Any]) -> Any:
    """What a function gives, or the exception that it raises."""
    try:
        return make()
    except Exception as problem:  # noqa: BLE001 - a cell that fails is a row with its error
        return problem
