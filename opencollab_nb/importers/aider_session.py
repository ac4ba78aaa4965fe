"""One session of Aider's chat history, line by line."""

from __future__ import annotations

import re
from collections.abc import Iterable

from opencollab_nb.importers.aider_notes import (
    ANSWER,
    LEFT_OUT,
    REFLECTED_END,
    forgets,
    names_model,
    tells_usage,
)
from opencollab_nb.importers.draft import Draft
from opencollab_nb.tokens.usage import Usage

HEAD = re.compile(r"^# aider chat started at (.*)$", re.MULTILINE)
"""The line that heads a session, with the time."""
_NOT_CONFORM = ("block failed to match", "blocks failed to match")


class Session:
    """One session.

    With `breaks`, lines of the user and of the program end in two spaces, as Aider writes them: what begins
    like one and does not end like one is the model's own Markdown.

    Args:
        draft: where the messages go.
    """

    def __init__(self, draft: Draft, *, breaks: bool) -> None:
        self.draft = draft
        self.breaks = breaks
        self.model: str | None = None
        self._user: list[str] = []
        self._said: list[str] = []
        self._notes: list[str] = []
        self._reflecting = False
        """Whether what follows is still the program's complaint, which it sends to the model."""

    def read(self, lines: Iterable[str]) -> int:
        """Take all lines of the session; returns how many there are."""
        asked, count = False, 0
        for line in lines:
            count += 1
            if asked and not line.startswith("#### "):
                asked = False
            if HEAD.match(line):
                self.draft.skip("head")
            elif self._reflecting:
                self._reflect(line)
            elif line.startswith("#### ") and self._is_marked(line):
                if not asked:
                    self._close_user()
                asked = True
                self._words(line)
            elif self._is_note(line):
                self._note(line[2:].strip(), whole=self._is_marked(line))
            elif line.strip() or self._said:
                self._close_user()
                self._said.append(line)
                self.draft.used()
            else:
                self.draft.skip("empty line")
        self._close_reply(None)
        self._close_user()
        self.draft.unknown(
            "files in the chat", "repository map", "exact tokens: they are rounded to two digits"
        )
        return count

    def _is_marked(self, line: str) -> bool:
        return not self.breaks or line.endswith("  ")

    def _is_note(self, line: str) -> bool:
        if not line.startswith(">") or line[1:2] not in ("", " "):
            return False
        return self._is_marked(line) or any(told in line for told in _NOT_CONFORM)

    def _words(self, line: str) -> None:
        words = line[5:].removesuffix("  ")
        if ANSWER.search(words):
            self.draft.skip("answer to the program")
            return
        self._close_reply(None)
        self._user.append(words)
        self.draft.used()

    def _note(self, note: str, *, whole: bool) -> None:
        usage = tells_usage(note)
        if usage is not None:
            self._close_user()
            if any(map(str.strip, self._said)):
                self._close_reply(usage)
            else:
                self.draft.asked(usage=usage, model=self.model)
            self.draft.used()
            return
        self.model = names_model(note) or self.model
        self._close_reply(None)
        if not whole and any(told in note for told in _NOT_CONFORM):
            self._close_user()
            self._reflecting, self._user = True, [note]
            self.draft.used()
            return
        self.draft.skip("note")

    def _reflect(self, line: str) -> None:
        """The complaint goes on without a mark until its last sentence."""
        self._user.append(line)
        self.draft.used()
        if REFLECTED_END.match(line) and line.endswith("  "):
            self._reflecting = False
            self._close_user(source="context")

    def _close_user(self, source: str = "user") -> None:
        words = "\n".join(self._user).strip()
        self._user = []
        if not words:
            return
        if forgets(words):
            self.draft.compacted("", range(len(self.draft.messages)))
        elif words != "<blank>" and not LEFT_OUT.match(words):
            self.draft.add({"role": "user", "content": words}, source=source)

    def _close_reply(self, usage: Usage | None) -> None:
        said = "\n".join(self._said).strip()
        self._said = []
        if said:
            self.draft.reply({"role": "assistant", "content": said}, usage=usage, model=self.model)
