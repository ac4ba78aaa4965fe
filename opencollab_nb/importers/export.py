"""Transcripts back to a file, in a form that other programs read or in our own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.jsonl import encoded
from opencollab_nb.messages import wire
from opencollab_nb.transcript import Transcript
from opencollab_nb.transcript.entries import commit_entry, head, message_entry, origin_entry
from opencollab_nb.transcript.origin_record import FORMAT as OWN

CHAT = "openai-chat"
FORMATS = (CHAT, OWN)


def export(
    transcripts: Transcript | Sequence[Transcript],
    path: str | Path,
    *,
    format: str = CHAT,  # noqa: A002
    overwrite: bool = False,
) -> Path:
    """Write transcripts to a file, without known secrets; returns its path.

    `openai-chat` is one conversation a line, `{"messages": [...], "tools": [...]}`: all that was said and
    called. `opencollab` is the form of a run's `transcript.jsonl`, one transcript a file, with all that is
    known of its calls: usage, compactions, sub-agents.

    Args:
        transcripts: one, or several for `openai-chat`.
        path: the file.
        format: `openai-chat` or `opencollab`.
        overwrite: true to write over a file that is there.

    Raises:
        UsageProblem: (a ValueError) no such format; several transcripts for one of our own files; the file is
            there already, or cannot be written.
    """
    if format not in FORMATS:
        raise UnknownName("format", format, FORMATS)
    several = [transcripts] if isinstance(transcripts, Transcript) else list(transcripts)
    if format == OWN and len(several) != 1:
        raise UsageProblem(
            f"{len(several)} transcripts: a file of the format {OWN!r} holds one; export each by itself"
        )
    lines = _own_lines(several[0]) if format == OWN else map(_chat_line, several)
    return _write(Path(path).expanduser(), lines, overwrite=overwrite)


def _chat_line(transcript: Transcript) -> dict[str, Any]:
    tools = list(transcript.origin.tools) if transcript.origin else []
    line: dict[str, Any] = {"messages": [wire(message) for message in transcript.stored]}
    return {**line, "tools": tools} if tools else line


def _own_lines(transcript: Transcript) -> Iterator[dict[str, Any]]:
    yield head()
    step = 0
    for message in transcript.stored:
        now = (message.get("meta") or {}).get("step")
        while isinstance(now, int) and step < min(now - 1, transcript.committed):
            step += 1
            yield commit_entry(step)
        yield message_entry(message)
    for left in range(step + 1, transcript.committed + 1):
        yield commit_entry(left)
    if transcript.origin:
        yield origin_entry(transcript.origin)


def _write(path: Path, lines: Iterable[dict[str, Any]], *, overwrite: bool) -> Path:
    try:
        with path.open("wb" if overwrite else "xb") as file:
            for line in lines:
                file.write(encoded(line) + b"\n")
    except FileExistsError as problem:
        raise UsageProblem(f"{path} is there already; give another path, or overwrite=True") from problem
    except OSError as problem:
        raise UsageProblem(f"{path} cannot be written: {problem.strerror or problem}") from problem
    return path
