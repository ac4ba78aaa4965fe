"""Reading a stored message back from the disk, before a request points at it instead of holding it."""

from __future__ import annotations

import json

from opencollab_nb.messages import text_of
from opencollab_nb.transcript import Transcript

MESSAGE = b'{"entry":"message"'


class Originals:
    """Knows where in the file each message begins; a step reads what was added since.

    A text that came back once as it is stored is not read again: the file only grows.
    """

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._starts: list[int] = []
        self._size_bytes = 0
        self._read: set[int] = set()

    def text(self, message_id: int) -> str | None:
        """The text of a message as the file has it; None where it has none."""
        stored = self._transcript.stored
        if not 0 <= message_id < len(stored):
            return None
        if message_id in self._read:
            return text_of(stored[message_id])
        text = self._from_disk(message_id)
        if text is not None and text == text_of(stored[message_id]):
            self._read.add(message_id)
        return text

    def _from_disk(self, message_id: int) -> str | None:
        path = self._transcript.path
        if path is None:
            return text_of(self._transcript.stored[message_id])
        try:
            with path.open("rb") as file:
                file.seek(self._size_bytes)
                for line in file:
                    if not line.endswith(b"\n"):
                        break
                    if line.startswith(MESSAGE):
                        self._starts.append(self._size_bytes)
                    self._size_bytes += len(line)
                if message_id >= len(self._starts):
                    return None
                file.seek(self._starts[message_id])
                message = json.loads(file.readline())["message"]
        except (OSError, ValueError):
            return None
        return text_of(message) if message["meta"]["id"] == message_id else None
