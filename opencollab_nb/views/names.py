"""The agents of one shell by name: which is the current one, which are gone."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.views.loaded_names import LoadedNames, one_of


class Names:
    """Named sessions of a shell, the newest one current.

    An agent belongs to the cell that made it: made again from that cell, or under the same name, it
    takes the former one's place. A session that was made in Python answers to its variable.
    """

    def __init__(self, variables: Mapping[str, Any] | None = None) -> None:
        self._variables: Mapping[str, Any] = {} if variables is None else variables
        self._sessions: dict[str, Any] = {}
        self._cells: dict[str, str] = {}
        self._current: str | None = None
        self.written: dict[str, Any] = {}
        """Shapers and summarizers written in cells, by name."""
        self.loaded = LoadedNames(self._variables)
        """Transcripts of other agents, by name."""

    def __iter__(self) -> Any:
        return iter(self._sessions)

    @property
    def current(self) -> str | None:
        """The name that `%oc` without `@name` means."""
        return self._current

    def items(self) -> list[tuple[str, Any]]:
        """Names and sessions, oldest first."""
        return list(self._sessions.items())

    def free_name(self, stem: str, cell: str | None) -> str:
        """A name for an agent that was given none: the cell's own, else `stem`, numbered if it is taken.

        >>> names = Names()
        >>> names.put("agent", object(), cell="a"); names.free_name("agent", "b")
        'agent-2'
        """
        if cell is None:
            return stem
        mine = self._cells.get(cell)
        if mine is not None and re.fullmatch(rf"{re.escape(stem)}(-\d+)?", mine):
            return mine
        name, number = stem, 1
        while name in self._sessions:
            number += 1
            name = f"{stem}-{number}"
        return name

    def displaced_by(self, name: str, cell: str | None) -> list[tuple[str, Any]]:
        """The agents that must go before `name` can be made by `cell`."""
        former = {name, self._cells.get(cell or "", name)}
        return [(n, s) for n, s in self._sessions.items() if n in former]

    def put(self, name: str, session: Any, *, cell: str | None = None, current: bool = True) -> None:
        """Register a session; it is the current one from now on, unless another is to stay that."""
        self._sessions.pop(name, None)
        self._sessions[name] = session
        if current:
            self._current = name
        if cell:
            self._cells[cell] = name

    def drop(self, name: str) -> None:
        """Forget a session."""
        self._sessions.pop(name, None)
        if self._current == name:
            self._current = next(reversed(self._sessions), None)

    def find(self, name: str | None = None) -> Any:
        """The session of that name, or the current one; without agents, the one session in a variable.

        Raises:
            UsageProblem: there is none, or it was closed, or there are several.
            UnknownName: the nearest name is given.
        """
        in_variables = self.in_variables()
        if name in in_variables and name not in self._sessions:
            return in_variables[name]
        if name is None and self._current is None and in_variables:
            if len({id(session) for session in in_variables.values()}) > 1:
                told = ", ".join(f"%oc @{variable}" for variable in in_variables)
                raise UsageProblem(f"which session? There are several: {told}")
            return next(iter(in_variables.values()))
        if name is not None and name not in self._sessions and self.loaded.find(name) is not None:
            raise UsageProblem(
                f"{name!r} is a transcript that was loaded, in which nothing runs: %oc replay {name} makes a "
                "session of it"
            )
        if not self._sessions:
            asked = f"no agent {name!r}" if name else "no agent yet"
            raise UsageProblem(
                f"{asked} in this kernel: run its %%agent cell, %agent --task quickstart, or %oc resume PATH "
                "(and %oc load PATH for a transcript of another agent)"
            )
        name = name or self._current
        if name not in self._sessions:
            raise UnknownName("agent", name, [*self._sessions, *in_variables, *self.loaded])
        session = self._sessions[name]
        if getattr(session, "closed", False):
            raise UsageProblem(f"agent {name!r} was closed: run its cell again, or %oc resume {session.path}")
        return session

    def find_source(self, name: str | None = None) -> Any:
        """What views can show: the session of that name, or the loaded transcript.

        Without a name it is what `find` gives, or where there is no session the newest that was loaded.

        Raises:
            UsageProblem: as `find`, or the name is that of several transcripts.
        """
        if name is None and not self._sessions and not self.in_variables():
            name = self.loaded.newest
        loaded = self.loaded.find(name) if name is not None and name not in self._sessions else None
        return self.find(name) if loaded is None else one_of(loaded, str(name))

    def find_any(self) -> Any:
        """What `find` gives without a name; None where that is no open session."""
        try:
            return self.find()
        except UsageProblem:
            return None

    def in_variables(self) -> dict[str, Any]:
        """The open sessions that the notebook's own variables hold."""
        from opencollab_nb.session import Session

        return {
            name: value
            for name, value in list(self._variables.items())
            if not name.startswith("_") and isinstance(value, Session) and not value.closed
        }


def checked(name: str) -> str:
    """The name, if it can stand behind `@` (in quotes, should it hold blanks).

    >>> checked("two words")
    'two words'
    >>> checked("")
    Traceback (most recent call last):
    ...
    opencollab_nb.errors.UsageProblem: an agent's name is not empty and does not begin with @, not ''
    """
    if not name.strip() or name.startswith("@"):
        raise UsageProblem(f"an agent's name is not empty and does not begin with @, not {name!r}")
    return name
