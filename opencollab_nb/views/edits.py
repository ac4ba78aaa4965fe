"""What the chain editor and the map order: changes of the chain, pins, forks; a sentence answers each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.messages import each
from opencollab_nb.session.ends import IN_FLIGHT
from opencollab_nb.views.editor import ChainEditor, editor_of
from opencollab_nb.views.labels import clean, human
from opencollab_nb.views.layers import found
from opencollab_nb.views.state import POLICIES
from opencollab_nb.views.text import percent

if TYPE_CHECKING:
    from opencollab_nb.session import Session

MOST_IDS = 10_000
SUMMARIZERS = ("none", "extractive", "model", "local", "openai")
Order = Callable[["Session", Any], str]


def since(session: Session) -> str:
    """From which step a change of this moment holds, in words.

    A step in flight is finished as it was begun.
    """
    ahead = 2 if session.state in IN_FLIGHT and _in_step(session) else 1
    return f"from step {session.steps + ahead:,}"


def _in_step(session: Session) -> bool:
    asked = session.trace.last("request")
    return asked is not None and asked["step"] > session.steps


def edit(session: Session, argument: Any) -> str:
    """Change one layer: `[what, layer, ...]`."""
    what, *rest = _listed(argument, "edit")
    change = EDITS.get(str(what))
    if change is None:
        raise UnknownName("edit", what, EDITS)
    editor = editor_of(session)
    with editor.lock:
        told = change(editor, *rest)
    return told if editor.draft else f"{told}, {since(session)}."


def _turn_on(editor: ChainEditor, key: int) -> str:
    return _turn(editor, key, on=True)


def _turn_off(editor: ChainEditor, key: int) -> str:
    return _turn(editor, key, on=False)


def _turn(editor: ChainEditor, key: int, *, on: bool) -> str:
    editor.turn(key, on)
    return f"{_name(editor, key)} {'on' if on else 'off'}"


def _up(editor: ChainEditor, key: int) -> str:
    editor.move(key, -1)
    return f"{_name(editor, key)} moved up"


def _down(editor: ChainEditor, key: int) -> str:
    editor.move(key, 1)
    return f"{_name(editor, key)} moved down"


def _remove(editor: ChainEditor, key: int) -> str:
    name = _name(editor, key)
    editor.remove(key)
    return f"{name} removed"


def _set(editor: ChainEditor, key: int, field: str, value: Any) -> str:
    editor.set(key, str(field), value)
    return f"{_name(editor, key)}: {clean(str(field).replace('_', ' '), 40)} {clean(value, 60)}"


def _add(editor: ChainEditor, name: str) -> str:
    editor.add(str(name))
    return f"{clean(human(str(name)), 60)} added"


def _policy(editor: ChainEditor, name: str) -> str:
    if name not in POLICIES:
        raise UnknownName("policy", name, POLICIES)
    editor.take_policy(name)
    return f"Policy {name}"


def _name(editor: ChainEditor, key: int) -> str:
    from opencollab_nb.shaping.report import name_of

    return clean(human(name_of(found(editor.layers, key).shaper)), 60)


EDITS: dict[str, Callable[..., str]] = {
    "on": _turn_on,
    "off": _turn_off,
    "up": _up,
    "down": _down,
    "remove": _remove,
    "set": _set,
    "add": _add,
    "policy": _policy,
}


def draft(session: Session, argument: Any) -> str:
    """Begin a draft of the chain, discard it, or put it in force."""
    editor = editor_of(session)
    if argument == "begin":
        editor.begin()
        return "A draft: the run goes on with its own chain."
    if argument == "discard":
        editor.discard()
        return "The draft is gone; the chain is as it was."
    if argument == "use":
        editor.adopt()
        return f"The draft is in force, {since(session)}."
    raise UnknownName("order of a draft", argument, ("begin", "discard", "use"))


def summarizer(session: Session, argument: Any) -> str:
    """Choose who writes summaries: `[kind]`, or `["openai", model, base_url]`."""
    kind, *rest = _listed(argument, "summarizer")
    editor = editor_of(session)
    editor.take_summarizer(summarizer_of(session, str(kind), [str(r or "") for r in rest]))
    told = f"Summarizer: {kind}" + (f" {clean(rest[0], 60)}" if rest and rest[0] else "")
    return told if editor.draft else f"{told}, {since(session)}."


def summarizer_of(session: Session, kind: str, rest: Sequence[str]) -> Any:
    """The summarizer of a kind; a key for an endpoint is read from the environment, never from a page.

    Raises:
        UnknownName: there is no such kind.
        MissingKey: no key for the endpoint.
        UsageProblem: the session has no model, or the local one is not installed.
    """
    from opencollab_nb.summarizers import ExtractiveSummarizer, ModelSummarizer
    from opencollab_nb.views.known import known_summarizers

    if kind == "none":
        return None
    if kind == "extractive":
        return ExtractiveSummarizer()
    if kind == "model":
        if session.model is None:
            raise UsageProblem("this session was given no model that could write summaries")
        return ModelSummarizer(session.model)
    if kind == "local":
        from opencollab_nb.models.local import LocalModel

        return ModelSummarizer(LocalModel())
    if kind == "openai":
        from opencollab_nb.models.openai_chat import OpenAIModel

        name, url = [*rest, "", ""][:2]
        return ModelSummarizer(OpenAIModel(name or None, base_url=url or None))
    known = known_summarizers()
    if kind in known:
        return known[kind]
    raise UnknownName("summarizer", kind, [*SUMMARIZERS, *known])


def mode(session: Session, argument: Any) -> str:
    """Make views sticky or stateless."""
    editor = editor_of(session)
    editor.take_mode(argument)
    told = f"Mode {clean(argument, 20)}"
    return told if editor.draft else f"{told}, {since(session)}."


def target(session: Session, argument: Any) -> str:
    """Set the target's share of the trigger."""
    if isinstance(argument, bool) or not isinstance(argument, (int, float)):
        raise UsageProblem(f"the target ratio is a number such as 0.75, not {argument!r}")
    editor = editor_of(session)
    editor.take_target(float(argument))
    told = f"Target {percent(argument)} of the trigger"
    return told if editor.draft else f"{told}, {since(session)}."


def pin(session: Session, argument: Any) -> str:
    """Keep messages word for word."""
    return _pinned(session, "Pinned", session.pin, argument)


def unpin(session: Session, argument: Any) -> str:
    """Let rounds take them again."""
    return _pinned(session, "Unpinned", session.unpin, argument)


def restore(session: Session, argument: Any) -> str:
    """Bring messages back word for word."""
    return _pinned(session, "Restored", session.restore, argument)


def _pinned(session: Session, word: str, verb: Callable[[list[int]], Any], argument: Any) -> str:
    ids = list(each(_spans(argument)))
    verb(ids)
    what = f"message {ids[0]:,}" if len(ids) == 1 else f"{len(ids):,} messages"
    return f"{word}: {what} with the whole group, {since(session)}."


def _spans(argument: Any) -> list[list[int]]:
    spans = _listed(argument, "a list of [first, last]")
    total = 0
    for span in spans:
        if not (isinstance(span, list) and len(span) == 2 and all(type(i) is int for i in span)):
            raise UsageProblem(f"ids come as [first, last], not {span!r}")
        total += span[1] - span[0] + 1
    if not 0 < total <= MOST_IDS:
        raise UsageProblem(f"{total:,} messages at once; give 1 to {MOST_IDS:,}")
    return spans


def fork(session: Session, argument: Any) -> str:
    """Start a branch after a step; it is known to `%oc` by its name."""
    from opencollab_nb.views.branches import keep_branch

    if isinstance(argument, bool) or not isinstance(argument, int):
        raise UsageProblem(f"a fork is made after a whole step, not {argument!r}")
    branch = session.fork(argument)
    name = keep_branch(session, branch, argument)
    editor_of(session).tell()
    return f"Branch {name} after step {argument:,}: {branch.path}"


def _listed(argument: Any, what: str) -> list[Any]:
    if not isinstance(argument, list) or not argument:
        raise UsageProblem(f"{what} takes a list, not {argument!r}")
    return argument


LAB_ORDERS: dict[str, Order] = {
    "edit": edit,
    "draft": draft,
    "summarizer": summarizer,
    "mode": mode,
    "target": target,
    "pin": pin,
    "unpin": unpin,
    "restore": restore,
    "fork": fork,
}
