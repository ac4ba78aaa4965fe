"""The lines of `transcript.jsonl`.

The first line is the head, `{"entry": "head", "version": 1}`; then follow messages,
`{"entry": "message", "message": {...}}`, and marks of finished steps, `{"entry": "commit", "step": 3}`.
An exported import ends with what is known of its calls, `{"entry": "origin", "origin": {...}}`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from opencollab_nb.errors import TranscriptError
from opencollab_nb.messages import Message, id_of
from opencollab_nb.transcript.origin import Origin
from opencollab_nb.transcript.origin_record import origin_record

VERSION = 1


def head() -> dict[str, Any]:
    """The first line."""
    return {"entry": "head", "version": VERSION}


def message_entry(message: Message) -> dict[str, Any]:
    """A message, `meta` included."""
    return {"entry": "message", "message": message}


def digest_of(lines: Iterable[bytes]) -> str:
    """What tells these lines from any others, in 32 characters.

    >>> digest_of([b"a", b"b"]) == digest_of([b"ab"])
    False
    """
    digest = hashlib.blake2b(digest_size=16)
    for line in lines:
        digest.update(line + b"\n")
    return digest.hexdigest()


def commit_entry(step: int) -> dict[str, Any]:
    """The mark of a step whose reply and results are all there."""
    return {"entry": "commit", "step": step}


def origin_entry(origin: Origin) -> dict[str, Any]:
    """What is known of the calls of an imported transcript."""
    return {"entry": "origin", "origin": origin_record(origin)}


def checked(entry: dict[str, Any], *, line: int, next_id: int, where: str) -> dict[str, Any]:
    """The entry, if it may stand at this line.

    Raises:
        TranscriptError: it is of another kind, version or order; the line is named.
    """
    kind = entry.get("entry")
    fault = None
    if line == 1:
        if kind != "head":
            fault = "no head: this is not a transcript of this library"
        elif entry.get("version") != VERSION:
            fault = f"version {entry.get('version')!r}; this library reads version {VERSION}"
    elif kind == "message":
        message = entry.get("message")
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            fault = "a message without a role"
        elif id_of(message) != next_id:
            fault = f"message {id_of(message)!r} where {next_id} is due"
    elif kind == "commit":
        if not isinstance(entry.get("step"), int):
            fault = f"a commit of step {entry.get('step')!r}"
    elif kind == "origin":
        if not isinstance(entry.get("origin"), dict):
            fault = "an origin that is no object"
    else:
        fault = f"an entry of kind {kind!r}"
    if fault:
        raise TranscriptError(f"{where}, line {line}: {fault}")
    return entry
