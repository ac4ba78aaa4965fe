"""The formats that are known, in the order in which they are tried."""

from __future__ import annotations

from typing import Protocol

from opencollab_nb.importers import (
    aider,
    anthropic,
    claude_code,
    codex,
    gemini_cli,
    inspect_log,
    langchain,
    litellm_log,
    managed_agents,
    mini_swe_agent,
    openai_chat,
    openai_responses,
    openhands,
    own,
    pi,
    swe_agent,
)
from opencollab_nb.importers.source import Source
from opencollab_nb.transcript import Transcript


class Format(Protocol):
    """A module that knows one format.

    It may have `read_together(sources) -> list[Transcript]` as well, for a format that spreads one
    transcript over several files of a folder: it is given all files of a folder that are of its format, or of
    what `belongs_to(path) -> Path` names in place of the file's own folder.
    """

    NAME: str
    """As it is named in `load(path, format=...)` and in `origin.format`."""
    WANTS: str
    """What a file of this format holds, as a phrase: it ends the sentence "this format has ...". """

    def signs(self, source: Source) -> float:
        """How much the file looks like it, 0 to 1, from what it holds alone; from 0.5 on it is recognised."""
        ...

    def read(self, source: Source) -> list[Transcript]:
        """All transcripts of the file; what cannot be read is told in their notices."""
        ...


FORMATS: tuple[Format, ...] = (
    own,
    claude_code,
    codex,
    pi,
    gemini_cli,
    managed_agents,
    aider,
    swe_agent,
    mini_swe_agent,
    openhands,
    inspect_log,
    litellm_log,
    langchain,
    openai_chat,
    anthropic,
    openai_responses,
)
