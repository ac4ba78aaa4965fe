"""What a compare panel is ordered by its page; a sentence answers each order."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.views.edits import LAB_ORDERS
from opencollab_nb.views.labels import clean

if TYPE_CHECKING:
    from opencollab_nb.views.compare_panel import ComparePanel

OF_THE_EDITOR = ("edit", "summarizer", "target")
"""Orders that go to the chain that is edited, as to a draft of a session."""


def obey(panel: ComparePanel, verb: str, argument: Any) -> str:
    """Carry out an order.

    Raises:
        UnknownName: there is no such order.
        UsageProblem: it cannot be carried out.
    """
    if verb == "edit" and isinstance(argument, list) and argument[:1] == ["policy"] and len(argument) == 2:
        panel.choice.take_policy(argument[1])
        return "Policy set."
    if verb in OF_THE_EDITOR:
        return LAB_ORDERS[verb](panel.choice.sketch, argument)  # type: ignore[arg-type]
    if verb not in ORDERS:
        raise UnknownName("order", verb, [*ORDERS, *OF_THE_EDITOR])
    return ORDERS[verb](panel, argument)


def _run(panel: ComparePanel, _argument: Any) -> str:
    panel.run()
    return "The comparison has begun."


def _stop(panel: ComparePanel, _argument: Any) -> str:
    panel.stop()
    return "The comparison ends before its next request."


def _load(panel: ComparePanel, path: Any) -> str:
    if not isinstance(path, str) or not path.strip():
        raise UsageProblem("load what? Give the path of a file or a folder")
    panel.load(path.strip())
    return f"Loading {clean(path, 80)}."


def _file(panel: ComparePanel, argument: Any) -> str:
    number, on = _pair(argument)
    panel.choice.tick_file(number, bool(on))
    return "Ticked." if on else "Not ticked."


def _chain(panel: ComparePanel, argument: Any) -> str:
    if not isinstance(argument, list) or len(argument) < 2:
        raise UsageProblem(f"an order for a chain is a list such as ['show', 1], not {argument!r:.60}")
    what, which, *rest = argument
    choice = panel.choice
    if what == "add":
        choice.add_chain(str(which))
    elif what == "remove":
        choice.remove_chain(which)
    elif what == "show":
        choice.show_chain(which)
    elif what == "tick":
        choice.tick_chain(which, bool(rest and rest[0]))
    else:
        raise UnknownName("order for a chain", what, ("add", "remove", "show", "tick"))
    return "Done."


def _windows(panel: ComparePanel, text: Any) -> str:
    panel.choice.take_windows(str(text))
    return "Windows set."


def _modes(panel: ComparePanel, mode: Any) -> str:
    panel.choice.take_mode(mode)
    return "Modes set."


def _survival(panel: ComparePanel, on: Any) -> str:
    panel.choice.survival = bool(on)
    return "What survives is counted." if on else "What survives is not counted."


def _draw(panel: ComparePanel, argument: Any) -> str:
    from opencollab_nb.views.compare_curves import DRAWN

    drawn, group = _pair(argument)
    if drawn is not None and drawn not in DRAWN:
        raise UnknownName("curve", drawn, DRAWN)
    if group is not None and (type(group) is not int or group < 0):
        raise UsageProblem(f"a transcript is drawn by its number, not {group!r:.40}")
    panel.draw(drawn, group)
    return "Drawn."


def _figure(panel: ComparePanel, _argument: Any) -> str:
    panel.show_figure()
    return "The figure comes below."


def _pair(argument: Any) -> tuple[Any, Any]:
    if not isinstance(argument, list) or len(argument) != 2:
        raise UsageProblem(f"this takes two values in a list, not {argument!r:.60}")
    return argument[0], argument[1]


ORDERS: dict[str, Callable[[Any, Any], str]] = {
    "run": _run,
    "stop": _stop,
    "load": _load,
    "file": _file,
    "chain": _chain,
    "windows": _windows,
    "modes": _modes,
    "survival": _survival,
    "draw": _draw,
    "figure": _figure,
}
