"""Open what an agent wrote: a file, a folder, a glob, or bytes."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from pathlib import Path

from opencollab_nb.errors import ImportProblem, UnknownName
from opencollab_nb.importers.collection import Transcripts
from opencollab_nb.importers.formats import FORMATS, Format
from opencollab_nb.importers.nearest import nothing_like_it
from opencollab_nb.importers.source import Held, Source
from opencollab_nb.transcript import Transcript

RECOGNISED = 0.5
_NOT_ENTERED = {".git", "__pycache__", "node_modules"}
OWN_FILE, OWN_EVENTS = "transcript.jsonl", "events.jsonl"


def load(path: str | Path, *, format: str | None = None) -> Transcript | Transcripts:  # noqa: A002
    """The transcript in a file, or all of a file that holds several, of a folder or of a glob.

    The format is told from what the file holds, never from its name. What was read, used and skipped
    stands in `transcript.origin`, what is damaged in `transcript.notices`; of a folder, `notices` of the
    collection names the files that are no transcripts. Nothing is struck out: the file is yours.

    Args:
        path: a file, a folder (read with all folders in it), or a pattern such as `runs/**/*.jsonl`.
        format: its name, where it is not to be guessed.

    Raises:
        ImportProblem: (a ValueError) there is no such file, or none with a transcript of a known format; the
            message names what was tried and the nearest.
        UnknownName: (a ValueError) no such format.
    """
    chosen = _named(format)
    path = os.fspath(path)
    folder = Path(path).expanduser()
    if folder.is_dir():
        if is_run_folder(folder):
            return _one_file(Source(folder / OWN_FILE), chosen)
        return _many(files_of(folder), chosen, f"the folder {path}")
    if folder.is_file() or not glob.has_magic(path):
        return _one_file(Source(folder), chosen)
    found = sorted(glob.glob(str(folder), recursive=True, include_hidden=True))  # noqa: PTH207 - hidden ones too
    return _many([Path(file) for file in found if Path(file).is_file()], chosen, f"the pattern {path}")


def load_bytes(data: bytes, name: str = "bytes", *, format: str | None = None) -> Transcript | Transcripts:  # noqa: A002
    """The transcripts in bytes that are no file; else as `load`.

    Raises:
        ImportProblem: (a ValueError) as `load`.

    >>> load_bytes(b'[{"role": "user", "content": "hi"}]')
    Transcript(1 messages, 0 steps, 'memory')
    """
    return _one_file(Source(Held(data, name)), _named(format))


def recognised(source: Source) -> Format | None:
    """The format that a file is most like, if it is enough like it; of equals, the first."""
    scores = [known.signs(source) for known in FORMATS]
    return FORMATS[scores.index(max(scores))] if max(scores) >= RECOGNISED else None


def is_run_folder(folder: Path) -> bool:
    """True for the folder of a run of our own, whose files belong together."""
    return (folder / OWN_FILE).is_file() and (folder / OWN_EVENTS).is_file()


def files_of(folder: Path) -> list[Path]:
    """All files in a folder and the folders in it, in order; of a run of our own its transcript alone."""
    found: list[Path] = []
    for place, inside, files in os.walk(folder):
        if is_run_folder(Path(place)):
            found.append(Path(place) / OWN_FILE)
            inside.clear()
            continue
        inside[:] = sorted(name for name in inside if name not in _NOT_ENTERED)
        found += [Path(place) / name for name in sorted(files)]
    return found


def _named(name: str | None) -> Format | None:
    if name is None:
        return None
    for known in FORMATS:
        if name == known.NAME:
            return known
    raise UnknownName("format", name, [known.NAME for known in FORMATS])


def _one_file(source: Source, chosen: Format | None) -> Transcript | Transcripts:
    found = _read(source, chosen)
    return found[0] if len(found) == 1 else Transcripts(found)


def _read(source: Source, chosen: Format | None) -> list[Transcript]:
    known = chosen or recognised(source)
    if known is None:
        raise ImportProblem(nothing_like_it(source, FORMATS))
    return _transcripts(known, [source])


def _transcripts(known: Format, sources: list[Source]) -> list[Transcript]:
    together = getattr(known, "read_together", None)
    try:
        if together and len(sources) > 1:
            found: list[Transcript] = together(sources)
        else:
            found = [transcript for source in sources for transcript in known.read(source)]
    except ImportProblem:
        raise
    except Exception as problem:
        # Files hold anything, and whoever loads many must get on to the next.
        raise ImportProblem(
            f"{sources[0].path} was taken for {known.NAME} and could not be read: "
            f"{type(problem).__name__}: {problem}. Give format= if it is another one"
        ) from problem
    if not any(map(len, found)):
        raise ImportProblem(
            f"{sources[0].path} was taken for {known.NAME} and holds no message that can be read"
            + (f" ({sources[0].damage})" if sources[0].damage else "")
        )
    return found


def _many(paths: Iterable[Path], chosen: Format | None, where: str) -> Transcripts:
    found = Transcripts()
    together: dict[tuple[str, Path], list[Source]] = {}
    formats = {known.NAME: known for known in FORMATS}
    for path in paths:
        try:
            source = Source(path)
            known = chosen or recognised(source)
            if known is None:
                found.notices.append(f"{path}: not read, it is no transcript of a known format")
            elif hasattr(known, "read_together"):
                folder = getattr(known, "belongs_to", _folder)(path)
                source.forget()  # a folder may hold more than fits into memory at once
                together.setdefault((known.NAME, folder), []).append(source)
            else:
                found += _transcripts(known, [source])
        except ImportProblem as problem:
            found.notices.append(str(problem))
    for (name, _), sources in together.items():
        try:
            found += _transcripts(formats[name], sources)
        except ImportProblem as problem:
            found.notices.append(str(problem))
    if not found and not found.notices:
        raise ImportProblem(f"{where} matches no file; check the path or the pattern")
    if not found:
        tried = ", ".join(formats)
        more = f"; {len(found.notices):,} files were looked at, the first: {found.notices[0]}"
        raise ImportProblem(f"{where} holds no transcript of a known format. Tried: {tried}{more}")
    found.sort(key=lambda one: one.origin.path if one.origin else "")
    return found


def _folder(path: Path) -> Path:
    return path.parent
