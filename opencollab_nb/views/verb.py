"""One verb of `%oc`, as a row of the table of verbs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from opencollab_nb.views.deeds import Order
from opencollab_nb.views.lines import Flag
from opencollab_nb.views.names import Names


@dataclass(frozen=True)
class Verb:
    """One verb of `%oc`."""

    name: str
    arguments: str
    help: str
    python: str
    """The call it stands for."""
    do: Callable[[Order], Any]
    choices: Callable[[Names, Mapping[str, Any]], Iterable[str]] = lambda _names, _user_names: ()
    """What may follow, for completion."""
    flags: tuple[Flag, ...] = ()
    takes_body: bool = False
    """True for a verb of the cell magic: `%%oc`, with text below; with arguments, of the line magic too."""

    @property
    def usage(self) -> str:
        """The verb with its arguments."""
        return f"{self.name} {self.arguments}".strip()
