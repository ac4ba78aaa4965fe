"""Todos: the state of the work, one quoted line each, changed by validated transitions only."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from types import MappingProxyType
from typing import Any

from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.messages import encodable

MOST_CHARS = 120
"""Of one todo: it is one line of the restatement."""
MOST_TODOS = 500
"""A list longer than this is no plan any more."""
STATUSES = ("open", "in_progress", "done", "dropped")
OPEN_STATUSES = ("open", "in_progress")
AUTHORS = ("user", "agent")
NEXT_STATUSES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "open": ("in_progress", "done", "dropped"),
        "in_progress": ("open", "done", "dropped"),
        "done": (),
        "dropped": (),
    }
)
"""What a status may become; done and dropped are final."""
_ID = re.compile(r"t[1-9]\d*")
_KEYS = ("id", "text", "status")


@dataclass(frozen=True)
class Todo:
    """One thing to do."""

    id: str
    text: str
    status: str = "open"
    by: str = "user"
    """Who put it on the list, `user` or `agent`."""

    @property
    def is_open(self) -> bool:
        """True until it is done or dropped."""
        return self.status in OPEN_STATUSES

    @property
    def line(self) -> str:
        """How it stands in a restatement.

        >>> Todo("t3", "login: tests", "in_progress").line
        't3 "login: tests" [in progress]'
        """
        mark = "" if self.status == "open" else f" [{self.status.replace('_', ' ')}]"
        return f"{self.id} {json.dumps(self.text, ensure_ascii=False)}{mark}"


@dataclass(frozen=True)
class Todos:
    """The list, as a value: every change gives a new one.

    >>> todos = Todos().updated(["login: tests", "mail: tests"]).changed("t1", "done")
    >>> [todo.line for todo in todos]
    ['t1 "login: tests" [done]', 't2 "mail: tests"']
    >>> todos.changed("t1", "open")
    Traceback (most recent call last):
    ...
    opencollab_nb.errors.UsageProblem: t1 is done, and that is final: add a new todo instead
    """

    items: tuple[Todo, ...] = ()

    def __iter__(self) -> Iterator[Todo]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, todo_id: str) -> Todo:
        """The todo with this id.

        Raises:
            UnknownName: (a ValueError) there is none.
        """
        found = next((todo for todo in self.items if todo.id == todo_id), None)
        if found is None:
            raise UnknownName("todo", todo_id, [t.id for t in self.items] or ["none yet"])
        return found

    @property
    def open(self) -> tuple[Todo, ...]:
        """What is neither done nor dropped, in order."""
        return tuple(todo for todo in self.items if todo.is_open)

    @property
    def done(self) -> tuple[Todo, ...]:
        """What is done, in order."""
        return tuple(todo for todo in self.items if todo.status == "done")

    def changed(self, todo_id: str, status: str) -> Todos:
        """The list with one status changed; the same object where it is that already.

        Raises:
            UsageProblem: (a ValueError) no such todo, no such status, or no such change.
        """
        todo = self[todo_id]
        if status not in STATUSES:
            raise UnknownName("status of a todo", status, STATUSES)
        if status == todo.status:
            return self
        if status not in NEXT_STATUSES[todo.status]:
            raise UsageProblem(f"{todo.id} is {todo.status}, and that is final: add a new todo instead")
        return self._with(replace(todo, status=status))

    def added(self, text: str, by: str = "agent") -> Todos:
        """The list with one more open todo at its end.

        Raises:
            UsageProblem: (a ValueError) no text of one line and at most 120 characters, one that an
                open todo has, or a list that is full.
        """
        if by not in AUTHORS:
            raise UnknownName("author of a todo", by, AUTHORS)
        text = checked_text(text)
        same = next((todo for todo in self.open if todo.text == text), None)
        if same is not None:
            raise UsageProblem(f"{same.id} says that already: {same.line}")
        if len(self.items) >= MOST_TODOS:
            raise UsageProblem(f"there are {MOST_TODOS} todos already: finish some, or join them")
        return Todos((*self.items, Todo(f"t{self._last_number() + 1}", text, "open", by)))

    def updated(self, items: Iterable[str | Mapping[str, Any]], by: str = "user") -> Todos:
        """The list with all these changes, or none of them.

        A text, or a mapping without an id, names the todo with that text, else a new one. A mapping
        with an id changes that one. What is not named stays: to take a todo off, give it the status
        `dropped`.

        Args:
            items: texts, or mappings with `id`, `text`, `status`.
            by: who adds what is new.

        Raises:
            UsageProblem: (a ValueError) as in `changed` and `added`; a mapping with other keys.
        """
        todos = self
        for item in listed(items):
            todos = todos._with_item(item, by)
        return todos

    def to_list(self) -> list[dict[str, Any]]:
        """The list as plain data."""
        return [asdict(todo) for todo in self.items]

    @classmethod
    def from_list(cls, items: Iterable[Mapping[str, Any]]) -> Todos:
        """The list that `to_list` gave.

        Raises:
            UsageProblem: (a ValueError) something else.
        """
        todos = tuple(map(_stored, items))
        if len({todo.id for todo in todos}) != len(todos):
            raise UsageProblem("two stored todos have the same id")
        return cls(todos)

    def _with_item(self, item: Any, by: str) -> Todos:
        if isinstance(item, str):
            item = {"text": item}
        if not isinstance(item, Mapping) or not item or (other := sorted(set(item) - {*_KEYS, "by"})):
            wrong = f"; not known: {', '.join(map(str, other))}" if isinstance(item, Mapping) and item else ""
            raise UsageProblem(f"a todo is a text or a mapping with {', '.join(_KEYS)}; got {item!r}{wrong}")
        todos, todo_id = self, item.get("id")
        if todo_id is None:
            text = checked_text(item.get("text"))
            same = next((t for t in self.open if t.text == text), None) or next(
                (t for t in reversed(self.items) if t.text == text), None
            )
            todos = self if same else self.added(text, by)
            todo_id = same.id if same else todos.items[-1].id
        elif item.get("text") is not None and (text := checked_text(item["text"])) != self[todo_id].text:
            todos = self._with(replace(self._may_change(todo_id), text=text))
        return todos if item.get("status") is None else todos.changed(todo_id, item["status"])

    def _may_change(self, todo_id: str) -> Todo:
        todo = self[todo_id]
        if not todo.is_open:
            raise UsageProblem(f"{todo.id} is {todo.status}, and that is final: add a new todo instead")
        return todo

    def _with(self, todo: Todo) -> Todos:
        return Todos(tuple(todo if old.id == todo.id else old for old in self.items))

    def _last_number(self) -> int:
        return max((int(todo.id[1:]) for todo in self.items), default=0)


def newly_done(before: Todos, after: Todos) -> list[Todo]:
    """The todos that are done now and were not before: each of them is a milestone."""
    was = {todo.id for todo in before.done}
    return [todo for todo in after.done if todo.id not in was]


def listed(items: object) -> list[Any]:
    """What is to be changed, as a list.

    Raises:
        UsageProblem: one text or mapping alone, or nothing that has items.
    """
    if isinstance(items, (str, Mapping)) or not isinstance(items, Iterable):
        raise UsageProblem(f"todos are a list of texts or mappings; got {items!r}")
    return list(items)


def checked_text(text: object) -> str:
    """The text of a todo, blanks around it left out.

    Raises:
        UsageProblem: (a ValueError) no text of one line and at most 120 characters.
    """
    if not isinstance(text, str) or not text.strip():
        raise UsageProblem(f"a todo needs a text; got {text!r}")
    text = encodable(text).strip()
    if len(text) > MOST_CHARS:
        raise UsageProblem(
            f"a todo has at most {MOST_CHARS} characters; this has {len(text)}: {text[:40]!r}…"
        )
    if len(text.splitlines()) > 1 or any(ord(c) < ord(" ") or c == "\x7f" for c in text):
        raise UsageProblem(f"a todo is one line of plain text; got {text!r}")
    return text


def _stored(item: Mapping[str, Any]) -> Todo:
    try:
        todo = Todo(item["id"], checked_text(item["text"]), item["status"], item["by"])
    except (KeyError, TypeError) as problem:
        raise UsageProblem(f"not a stored todo ({problem!r}): {item!r}") from problem
    if not isinstance(todo.id, str) or not _ID.fullmatch(todo.id):
        raise UsageProblem(f"not the id of a todo: {todo.id!r}")
    if todo.status not in STATUSES:
        raise UnknownName("status of a todo", todo.status, STATUSES)
    if todo.by not in AUTHORS:
        raise UnknownName("author of a todo", todo.by, AUTHORS)
    return todo
