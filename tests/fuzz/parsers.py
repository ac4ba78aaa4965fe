"""Odd bytes for everything that reads a file; `python -m tests.fuzz.parsers --minutes 10`.

Each parser may read what it is given, or refuse it with an error of this library's own that names the file.
Anything else that comes out of it is a fault. Inputs are sound files of `corpus/`, mutated byte by byte and
value by value; what breaks a parser is printed, to be kept there once it is mended.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from opencollab_nb.errors import OpenCollabError
from opencollab_nb.jsonl import read_lines
from opencollab_nb.session import Session
from opencollab_nb.trace import Trace
from opencollab_nb.transcript import Transcript
from opencollab_nb.transcript.repair import repair
from opencollab_nb.views.recordings import of_file

CORPUS = Path(__file__).parent / "corpus"
ODD: list[Any] = [
    None,
    True,
    0,
    -1,
    10**30,
    1e308,
    float("nan"),
    float("inf"),
    "",
    "\x00",
    "\ud83e",
    "\u202e",
    "a" * 3_000,
    [],
    {},
    [[[[]]]],
    {"__class__": 1, "__dict__": {}},
    [None],
    {"a": None},
]
ODD_BYTES = [
    b"\n",
    b"\0",
    b"{",
    b"}",
    b'"',
    b"[" * 2_000,
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"1e999",
    b"\r",
    b"null\n",
]


def transcript(path: Path) -> None:
    found = Transcript.open(path)
    repair(found.messages)
    repr(found)


def trace(path: Path) -> None:
    found = Trace.open(path)
    repr(found)
    found.to_frame()


def lines(path: Path) -> None:
    found = read_lines(path)
    assert found.size_bytes <= path.stat().st_size + 1


def recording(path: Path) -> None:
    repr(of_file(path))


def folder(path: Path) -> None:
    """A run folder of which one file is odd: looked at, not gone on with."""
    session = Session.resume(path)
    try:
        repr(session)
        session.request()
        session.trace.to_frame()
    finally:
        session.close()


PARSERS: dict[str, Callable[[Path], None]] = {
    "transcript": transcript,
    "trace": trace,
    "lines": lines,
    "recording": recording,
}


def imported(path: Path) -> None:
    """A file of a format that `load` recognises by itself."""
    importlib.import_module("opencollab_nb.importers").load(path)


if importlib.util.find_spec("opencollab_nb.importers"):
    PARSERS["imported"] = imported


def mutated(data: bytes, chance: random.Random) -> bytes:
    """A few changes: to the bytes, or to a value anywhere inside one of the lines."""
    for _ in range(chance.randint(1, 3)):
        data = chance.choice([of_bytes, of_bytes, of_value, of_value, of_value, of_lines])(data, chance)
    return data


def of_bytes(data: bytes, chance: random.Random) -> bytes:
    at, until = sorted(chance.randint(0, len(data)) for _ in range(2))
    act = chance.randrange(4)
    if act == 0:
        return data[:at]
    if act == 1:
        return data[:at] + chance.choice(ODD_BYTES) + data[at:]
    if act == 2:
        return data[:at] + data[min(until, at + chance.randint(1, 40)) :]
    return data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]


def of_lines(data: bytes, chance: random.Random) -> bytes:
    rows = data.splitlines(keepends=True)
    if not rows:
        return data
    at, other = chance.randrange(len(rows)), chance.randrange(len(rows))
    act = chance.randrange(3)
    if act == 0:
        rows.insert(other, rows[at])
    elif act == 1:
        del rows[at]
    else:
        rows[at], rows[other] = rows[other], rows[at]
    return b"".join(rows)


def of_value(data: bytes, chance: random.Random) -> bytes:
    rows = data.splitlines()
    if not rows:
        return data
    at = chance.randrange(len(rows))
    try:
        value = json.loads(rows[at])
    except (ValueError, RecursionError):
        return data
    rows[at] = json.dumps(changed(value, chance)).encode()
    return b"\n".join(rows) + b"\n"


def changed(value: Any, chance: random.Random) -> Any:
    """The value with one part of it, at any depth, made odd, left out or renamed."""
    if isinstance(value, dict) and value and chance.random() < 0.9:
        key = chance.choice(list(value))
        act = chance.randrange(6)
        if act == 0:
            return {k: v for k, v in value.items() if k != key}
        if act == 1:
            return {
                **value,
                chance.choice(["", "meta", "content", "__class__", "x" * 40]): chance.choice(ODD),
            }
        return {**value, key: changed(value[key], chance)}
    if isinstance(value, list) and value and chance.random() < 0.9:
        at = chance.randrange(len(value))
        return [*value[:at], changed(value[at], chance), *value[at + 1 :]]
    return chance.choice(ODD)


def seeds(name: str) -> list[bytes]:
    """The corpus of one parser."""
    every = ("transcript", "trace", "recording", "imported")
    kinds = every if name in ("lines", "imported") else (name,)
    return [path.read_bytes() for kind in kinds for path in sorted(CORPUS.glob(f"{kind}-*.jsonl"))]


def tried(name: str, data: bytes, scratch: Path) -> Exception | None:
    """What came out of a parser that should not have; None where all is well."""
    path = scratch / f"{name}.jsonl"
    path.write_bytes(data)
    try:
        PARSERS[name](path)
    except OpenCollabError:
        return None
    except Exception as problem:  # noqa: BLE001 - that is what is looked for
        return problem
    return None


def tried_folder(number: int, chance: random.Random, scratch: Path) -> tuple[Exception | None, bytes]:
    """The same for a run folder in which transcript or events are odd."""
    run = scratch / f"run{number}"
    run.mkdir()
    files = {"transcript.jsonl": "transcript-run.jsonl", "events.jsonl": "trace-run.jsonl"}
    held = {name: (CORPUS / seed).read_bytes() for name, seed in files.items()}
    odd = chance.choice(list(held))
    held[odd] = of_value(held[odd], chance) if chance.random() < 0.8 else mutated(held[odd], chance)
    for name, data in held.items():
        (run / name).write_bytes(data)
    try:
        folder(run)
    except OpenCollabError:
        return None, b""
    except Exception as problem:  # noqa: BLE001 - that is what is looked for
        return problem, odd.encode() + b"\n" + held[odd]
    return None, b""


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(argv)
    chance, end = random.Random(given.seed), time.monotonic() + given.minutes * 60
    inputs, found = 0, dict[str, str]()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        while time.monotonic() < end:
            inputs += 1
            if inputs % 20 == 0:
                problem, data = tried_folder(inputs, chance, scratch)
                which = "folder"
            else:
                which = chance.choice(list(PARSERS))
                data = mutated(chance.choice(seeds(which)), chance)
                problem = tried(which, data, scratch)
            if problem is not None:
                at = problem.__traceback__
                while at is not None and at.tb_next is not None:
                    at = at.tb_next
                where = f"{at.tb_frame.f_code.co_filename}:{at.tb_lineno}" if at else ""
                key = f"{which}: {type(problem).__name__} at {where}"
                if key not in found:
                    found[key] = str(problem)[:200]
                    print(key, found[key], data[-600:], sep="\n", flush=True)
    print(f"{inputs:,} inputs, {len(found)} faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
