"""Recording runs in a table: a run that has a row is not played again, so it can be broken off any time."""

from __future__ import annotations

import argparse
import csv
import multiprocessing
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
Row = dict[str, Any]
Play = Callable[[Any, Path], Row]


def rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of a table, as texts; none where there is no table."""
    return list(csv.DictReader(path.open(encoding="utf-8"))) if path.exists() else []


def record(
    about: str | None,
    jobs: Callable[[int], Iterable[Any]],
    play: Play,
    out: Path,
    shown: Iterable[str],
    *,
    seeds: int,
) -> None:
    """Play every job that has no row yet, as the command line asks, and append one row each.

    Args:
        about: what `--help` says.
        jobs: gives dataclasses for so many seeds; their fields tell one row from the others.
        play: plays a job in a folder of its own; what `vars(job)` holds is in its row.
        out: the table.
        shown: columns that are printed as runs end.
        seeds: how many, where the command line does not say.
    """
    ask = argparse.ArgumentParser(description=about)
    ask.add_argument("--seeds", type=int, default=seeds)
    ask.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    ask.add_argument("--out", type=Path, default=out)
    ask.add_argument("--folder", help="where runs lie while they are played; a RAM disk is fast")
    asked = ask.parse_args()
    known = rows_of(asked.out)
    todo = [
        job
        for job in jobs(asked.seeds)
        if not any(all(row[key] == str(value) for key, value in vars(job).items()) for row in known)
    ]
    told = subprocess.run(
        ["git", "-C", str(ROOT), "rev-parse", "--short=10", "HEAD"],
        capture_output=True,
        text=True,
        check=False,
    )
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(dir=asked.folder) as home,
        ProcessPoolExecutor(asked.processes, multiprocessing.get_context("spawn")) as pool,
        asked.out.open("a", encoding="utf-8", newline="") as table,
    ):
        writer: csv.DictWriter[str] | None = None
        for ended in as_completed([pool.submit(_played, play, job, home) for job in todo]):
            row = {**ended.result(), "commit": told.stdout.strip()}
            if writer is None:
                writer = csv.DictWriter(table, row, lineterminator="\n")
                if not known:
                    writer.writeheader()
            writer.writerow(row)
            table.flush()
            print(*(row[name] for name in shown), flush=True)


def _played(play: Play, job: Any, home: str) -> Row:
    os.environ["TMPDIR"] = tempfile.tempdir = home
    return play(job, Path(tempfile.mkdtemp(dir=home)))
