"""The transcripts that were loaded in one shell, by name; one of several by its number."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from opencollab_nb.errors import UsageProblem
from opencollab_nb.views.text import head

NAME_CHARS = 40


class LoadedNames:
    """`%oc load` puts them here; one that a variable of the notebook holds answers to its name too.

    `runs.3` is the transcript `runs[3]` of a collection, or the sub-agent `origin.children[3]`.
    """

    def __init__(self, variables: Mapping[str, Any]) -> None:
        self._variables = variables
        self._found: dict[str, Any] = {}

    def __iter__(self) -> Any:
        return iter(self._found)

    def items(self) -> list[tuple[str, Any]]:
        """Names and what was loaded under them, oldest first."""
        return list(self._found.items())

    @property
    def newest(self) -> str | None:
        """The name that a verb without `@name` means where there is no agent."""
        return next(reversed(self._found), None)

    def put(self, name: str, loaded: Any) -> None:
        """Keep what was loaded; what had this name before is forgotten."""
        self._found.pop(name, None)
        self._found[name] = loaded

    def find(self, name: str) -> Any:
        """The transcript or collection of that name; None where there is none.

        Raises:
            UsageProblem: it has no such number.
        """
        known = self._known(name)
        if known is not None:
            return known
        stem, dot, number = name.rpartition(".")
        whole = self._known(stem) if dot and number.isdecimal() else None
        if whole is None:
            return None
        several = parts_of(whole)
        if int(number) >= len(several):
            raise UsageProblem(
                f"{stem!r} holds {len(several)} {what_in(whole)}, counted from 0: there is no {name!r}"
            )
        return several[int(number)]

    def _known(self, name: str) -> Any:
        if name in self._found:
            return self._found[name]
        value = self._variables.get(name)
        return value if is_loaded(value) else None


def is_loaded(value: Any) -> bool:
    """True for a transcript, or a list of them as `load` gives it."""
    from opencollab_nb.importers.collection import Transcripts
    from opencollab_nb.transcript import Transcript

    return isinstance(value, (Transcript, Transcripts))


def parts_of(loaded: Any) -> list[Any]:
    """The transcripts of a collection, or the sub-agents of one."""
    if isinstance(loaded, list):
        return loaded
    return list(loaded.origin.children) if loaded.origin else []


def what_in(loaded: Any) -> str:
    """How the parts are called."""
    return "transcripts" if isinstance(loaded, list) else "sub-agents"


def one_of(loaded: Any, name: str) -> Any:
    """The transcript, if it is one.

    Raises:
        UsageProblem: it is a collection of several.
    """
    if not isinstance(loaded, list):
        return loaded
    if len(loaded) == 1:
        return loaded[0]
    listed = ", ".join(f"@{name}.{n} {_title(one)}" for n, one in enumerate(loaded[:3]))
    raise UsageProblem(f"{name!r} holds {len(loaded)} transcripts: say which, as in {listed}")


def _title(transcript: Any) -> str:
    return repr(head(transcript.origin.title if transcript.origin else "", 40))


def name_for(path: str) -> str:
    """A name for what was loaded from a path, fit to stand behind `@`.

    >>> name_for("/logs/rollout 7.jsonl"), name_for("runs/**/*.json"), name_for("/")
    ('rollout-7', 'runs', 'loaded')
    """
    parts = [part for part in PurePath(path).parts if not re.search(r"[*?\[\]]", part)]
    last = PurePath(parts[-1]) if parts else PurePath("loaded")
    stem = last.name.split(".")[0] if last.suffix else last.name
    return re.sub(r"\W+", "-", stem)[:NAME_CHARS].strip("-_") or "loaded"
