"""How each kind of event changes what a panel remembers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from opencollab_nb.messages import each
from opencollab_nb.session.ends import IN_FLIGHT
from opencollab_nb.views.direction import DIRECTION_FOLDS, OFFLOADED, OFFLOADING
from opencollab_nb.views.labels import CATEGORIES, clean, short, spec_name
from opencollab_nb.views.rows import Draft, History, Saving

Event = Mapping[str, Any]


def fold(history: History, event: Event) -> None:
    """Take one event of the trace; one that was seen before is passed over."""
    if event["n"] <= history.seen:
        return
    history.seen = event["n"]
    take = FOLDS.get(event["kind"])
    if take is not None:
        take(history, event)


def request(history: History, event: Event) -> None:
    """A row of the chart, and a new draft of a log line."""
    shares = event["by_category"]
    history.add_row([event["step"], *(int(shares.get(name, 0)) for name in CATEGORIES)])
    history.tokens, history.source = event["tokens"], event["source"]
    history.sent_messages, history.stored_messages = event["messages"], event["stored"]
    history.draft = Draft(event["step"])
    history.doing = "waiting for the model"


def compaction(history: History, event: Event) -> None:
    """What a layer saved, and a mark where it fired."""
    if event.get("problem"):
        history.note(event, f"{short(event['layer'])}: {event['problem']}")
    saved = event["tokens_before"] - event["tokens_after"]
    if not (saved or event["removed"] or event["rewritten"] or event["covered"]):
        return
    saving = history.savings.setdefault(event["layer"], Saving())
    saving.add(event["step"], saved)
    history.direction.take(event)
    kind = OFFLOADED if event["layer"] == OFFLOADING else 0
    history.add_mark([event["step"], short(event["layer"]), kind])


def reply(history: History, event: Event) -> None:
    """The model answered; its tools run next."""
    if history.draft is None:
        return
    history.draft.said = event.get("text") or ""
    history.draft.seconds += event.get("seconds") or 0
    calls = event.get("calls") or ()
    history.doing = "running " + clean(", ".join(calls), 80) if calls else ""


def usage(history: History, event: Event) -> None:
    """The output tokens of the step."""
    if history.draft is not None and event["purpose"] == "step":
        history.draft.output_tokens = (history.draft.output_tokens or 0) + event["output_tokens"]


def tool(history: History, event: Event) -> None:
    """One call of the step was answered."""
    if history.draft is None:
        return
    history.draft.done.append(event.get("about") or event["name"])
    history.draft.ok = history.draft.ok and bool(event["ok"])
    history.draft.seconds += event.get("seconds") or 0


def commit(history: History, _event: Event) -> None:
    """The step is kept."""
    history.close_draft()


def state(history: History, event: Event) -> None:
    """At rest a draft that is left belongs to a step that was given up."""
    if event["state"] in IN_FLIGHT:
        return
    if history.draft is not None and (history.draft.done or history.draft.said):
        history.close_draft("not committed")
    history.draft, history.doing = None, ""


def swap(history: History, event: Event) -> None:
    """A mark from the first step that it holds for."""
    to = swapped_to(event)
    history.note(event, f"{event['what']} changed to {to}, from step {event['from_step']}")
    history.add_mark([event["from_step"], clean(to, 24), 1])


def swapped_to(event: Event) -> str:
    """What a swap brought, in a word or two."""
    if event["what"] == "mode":
        return str(event["mode"])
    if event["what"] == "summarizer":
        return spec_name(event.get("summarizer"))
    return str(event.get("policy") or "custom chain")


def pin(history: History, event: Event) -> None:
    """Which messages."""
    ids = [str(i) for _, i in zip(range(12), each(event["ids"]), strict=False)]
    history.note(event, f"{event['how']}: messages {', '.join(ids)}")


def say(history: History, event: Event) -> None:
    """The text itself is in the transcript."""
    history.note(event, "your message was added")


def limit(history: History, event: Event) -> None:
    """Why the run was ended."""
    history.note(event, f"limit: {event['reason']}. {event.get('detail') or ''}")


def fault(history: History, event: Event) -> None:
    """What failed where."""
    history.note(event, f"fault in {event['where']}: {event['error']}: {event['message']}")


def notice(history: History, event: Event) -> None:
    """As it stands."""
    history.notice(event)


FOLDS: dict[str, Callable[[History, Event], None]] = {
    "request": request,
    "session.history_compaction": compaction,
    "reply": reply,
    "usage": usage,
    "tool": tool,
    "commit": commit,
    "state": state,
    "swap": swap,
    "pin": pin,
    "say": say,
    "limit": limit,
    "fault": fault,
    "notice": notice,
    **DIRECTION_FOLDS,
}
