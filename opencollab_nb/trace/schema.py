"""Every kind of event and its fields, as data; `docs/trace.md` is written from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opencollab_nb.trace.directions import DIRECTIONS
from opencollab_nb.trace.kind import Field, Kind, of
from opencollab_nb.trace.types import TYPES

COMMON: tuple[Field, ...] = (
    ("n", "int", "number of the event: 0, 1, 2 ..."),
    ("kind", "text", "which of the kinds below"),
    ("step", "int", "the step it belongs to; 0 before the first"),
    ("at", "time", "when, in UTC"),
)

LIMITS: tuple[Field, ...] = (
    ("trigger", "int", "input tokens above which a round begins"),
    ("target", "int", "input tokens that a round works down to"),
)

EVENTS: dict[str, Kind] = {
    "start": of(
        "Once, before anything else: what the session was made with.",
        ("session", "text", "its name"),
        ("task", "text", "the task"),
        ("model", "text", "the model's label; never its endpoint or key"),
        ("model_name", "text?", "its name, which chose the encoding that messages are counted with"),
        ("simulated", "bool", "true for a model that is no model"),
        ("window", "int?", "context window in tokens; null where it is not known"),
        ("window_source", "text", "`argument`, `known`, `learnt` or `guess`"),
        *LIMITS,
        ("mode", "text", "`sticky` or `stateless`"),
        ("on_shaper_error", "text", "`skip` or `pause`: what a failing shaper does to the run"),
        ("target_ratio", "number", "target ÷ trigger"),
        ("chain", "list", 'the shapers in order: `{"shaper": "module:name", "fields": {...}}`'),
        ("policy", "text?", "the policy the chain came from"),
        ("summarizer", "object?", "the session's summarizer, written as in a chain"),
        ("max_steps", "int?", "step limit"),
        ("budget_tokens", "int?", "token budget"),
        ("max_output_tokens", "int?", "limit of one reply, in tokens"),
        ("tools", "list", "names of the tools"),
        ("workspace", "text?", "the folder worked in; shown, never opened again by itself"),
        ("pressure", "object", "the weights in force, as `ContextPressure.to_dict()`"),
        ("budget", "object?", "the context budget, as `ContextBudget.to_dict()`; null for none"),
        ("memory", "text?", "the memory it was given, by tenant and project; never where it lies"),
        ("handoff_from", "text?", "the session whose handoff it began with"),
        ("chain_spent_tokens", "int", "tokens spent by the sessions before it, from handoff to handoff"),
        ("handoff", "object?", "the handoff it began with, as `Handoff.to_dict()`"),
        ("steering", "bool", "true where a status line stands at the end of each request"),
        ("given", "object?", "`anchors` and `todos` that the context budget held; null without one"),
    ),
    "request": of(
        "Before a request is sent.",
        ("tokens", "int", "input tokens, the tail included"),
        ("source", "text", "`counted`, `calibrated` or `estimated`"),
        ("window", "int?", "context window in tokens"),
        *LIMITS,
        ("messages", "int", "messages sent"),
        ("stored", "int", "messages in the transcript"),
        (
            "by_category",
            "object",
            "tokens by category: system (tool schemas and framing included), task, tool, assistant, user, "
            "summary, restatement",
        ),
        ("prefix_kept_tokens", "int", "tokens of the beginning shared with the request before"),
        ("view", "object?", "how the view changed besides growing; null where it only grew"),
        ("previewed", "bool", "true where `view` stands in a `preview` event already"),
        ("tail", "object?", "the message of this request only"),
        ("forced", "bool", "true for the one retry after an overflow"),
        ("repaired", "bool", "true where the history was repaired for a provider that had refused it"),
        ("max_output_tokens", "int?", "limit of the reply"),
    ),
    "preview": of(
        "A request was looked at before its step, and making it had changed the view.",
        ("view", "object", "as in `request`"),
        ("stored", "int", "messages in the transcript"),
    ),
    "session.history_compaction": of(
        "Before the request: one layer of the chain acted, or could not.",
        ("layer", "text", "the shaper"),
        *LIMITS,
        ("tokens_before", "int", "input tokens before it"),
        ("tokens_after", "int", "and after"),
        ("removed", "ranges", "ids that left the view"),
        ("rewritten", "ranges", "ids whose text was shortened"),
        ("covered", "ranges", "ids that a summary stands for now"),
        (
            "summary",
            "object?",
            "tokens, model, usage and version of the summary; null where none was asked",
        ),
        ("problem", "text?", "why the layer did not act"),
        ("seconds", "number", "time it took"),
        ("forced", "bool", "true in a forced pass"),
    ),
    "reply": of(
        "After the reply is in the transcript, before its tools run.",
        ("message_id", "int", "its id"),
        ("finish_reason", "text", "as the provider said"),
        ("seconds", "number", "time the model took"),
        ("calls", "list", "names of the tools called"),
        ("text", "text", "the beginning of its text, one line"),
        ("model", "text?", "which model answered, where one was picked for the request"),
        durable=False,
    ),
    "usage": of(
        "After every model call, summaries included.",
        ("purpose", "text", "`step` or `summary`"),
        ("input_tokens", "int", "all input, the cached part included"),
        ("cached_input_tokens", "int", "served from the provider's cache"),
        ("output_tokens", "int", "all output, reasoning included"),
        ("reasoning_tokens", "int", "spent on reasoning"),
        ("reported", "bool", "false where the provider said nothing and this is our estimate"),
        ("ratio", "number", "reported ÷ estimated, as calibrated"),
        ("source", "text", "`counted`, `calibrated` or `estimated`"),
        ("pressure", "object", "the weights in force from now on"),
    ),
    "tool": of(
        "After a tool's result is in the transcript.",
        ("name", "text", "the tool"),
        ("call_id", "text", "the call it answers"),
        ("message_id", "int", "id of the result"),
        ("about", "text", "the call in one line"),
        ("ok", "bool", "false for a result that is an error"),
        ("chars", "int", "length of the result"),
        ("seconds", "number", "time it took"),
        durable=False,
    ),
    "swap": of(
        "The chain, its summarizer, the mode or the target was changed.",
        ("what", "text", "`chain`, `summarizer`, `mode`, `policy` or `target`"),
        ("chain", "list", "the chain now in force"),
        ("policy", "text?", "the policy it came from"),
        ("summarizer", "object?", "the session's summarizer, written as in a chain"),
        ("mode", "text", "the mode now in force"),
        ("target_ratio", "number", "target ÷ trigger"),
        ("from_step", "int", "the first step it holds for"),
        ("pressure", "object", "the weights in force, as `ContextPressure.to_dict()`"),
    ),
    "pin": of(
        "Messages were pinned, unpinned or restored.",
        ("how", "text", "`pin`, `unpin` or `restore`"),
        ("ids", "ranges", "the messages, whole groups"),
        ("stored", "int", "messages in the transcript"),
    ),
    "say": of(
        "The user said something.",
        ("message_id", "int", "id of the message"),
    ),
    "limit": of(
        "A limit ended the run.",
        (
            "reason",
            "text",
            "`budget`, `step limit`, `overflow`, or `shaper` where one failed",
        ),
        ("detail", "text", "one sentence"),
    ),
    "allowance": of(
        "The user changed the limits of the run.",
        ("max_steps", "int?", "step limit"),
        ("budget_tokens", "int?", "token budget"),
    ),
    "fault": of(
        "Something failed; the run may go on after it.",
        (
            "where",
            "text",
            "`run`, `model` (an attempt that failed; it is asked again), `order` (something told during a "
            "step), `subscriber`, `branches`, `handoff` or `memory`",
        ),
        ("error", "text", "the kind of error"),
        ("message", "text", "what it said"),
    ),
    "notice": of(
        "Something worth knowing.",
        ("text", "text", "one or two sentences"),
        ("pressure", "object?", "the weights in force, where they changed"),
    ),
    "state": of(
        "The session's state changed.",
        ("state", "text", "the new state"),
        ("detail", "text", "one sentence, or nothing"),
        durable=False,
    ),
    "snapshot": of(
        "The workspace after a step was kept, or could not be; none where nothing had changed.",
        ("commit", "text?", "the commit in `shadow.git`; null where there is none"),
        ("changed", "int", "files that are other than in the snapshot before"),
        ("problem", "text?", "why it was not kept"),
        durable=False,
    ),
    "fork": of(
        "This run was begun from a step of another one; all before is that run's.",
        ("from", "text", "the run folder of the other"),
        ("of", "text", "its session's name"),
        ("session", "text", "the name of this one"),
    ),
    **DIRECTIONS,
    "commit": of(
        "A step is finished: its reply and all results are kept.",
        ("stored", "int", "messages in the transcript"),
        ("digest", "text", "of the lines of those that came since the step before (BLAKE2b, 16 bytes)"),
    ),
}


def faults_of(event: Mapping[str, Any], kinds: Mapping[str, Kind] = EVENTS) -> list[str]:
    """What in this event is not as the schema of these kinds says; empty for a sound one.

    >>> faults_of({"n": 0, "kind": "say", "step": 0, "at": "2026-01-02T03:04:05+00:00", "message_id": "a"})
    ["message_id: 'a' is no int"]
    """
    kind = kinds.get(event.get("kind") or "")
    if kind is None:
        return [f"unknown kind {event.get('kind')!r}"]
    fields = [*COMMON, *kind.fields]
    known = {name for name, _, _ in fields}
    found = [f"{name} is not in the schema" for name in event if name not in known]
    for name, type_name, _ in fields:
        if name not in event:
            found.append(f"{name} is missing")
        elif not (event[name] is None and type_name.endswith("?")):
            plain = type_name.removesuffix("?")
            if not TYPES[plain](event[name]):
                found.append(f"{name}: {event[name]!r} is no {plain}")
    return found


def unreadable(event: Mapping[str, Any], kinds: Mapping[str, Kind] = EVENTS) -> str | None:
    """What in this event no reader could make sense of; None for a sound one.

    Fields and kinds that another version of this library had, or had not, are no fault.

    >>> unreadable({"n": 0, "kind": "say", "step": "one", "at": "2026-01-02T03:04:05+00:00"})
    "step: 'one' is no int"
    """
    kind = kinds.get(event["kind"])
    for name, type_name, _ in (*COMMON, *(kind.fields if kind else ())):
        if name not in event:
            if any(name == common for common, _, _ in COMMON):
                return f"{name} is missing"
            continue
        value, plain = event[name], type_name.removesuffix("?")
        if not (value is None and plain != type_name) and not TYPES[plain](value):
            return f"{name}: {shortened(value)} is no {plain}"
    return None


def shortened(value: Any) -> str:
    """The value as code, at most 60 characters of it."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


def as_markdown(kinds: Mapping[str, Kind] = EVENTS) -> str:
    """The schema of these kinds as tables: those of `docs/trace.md`, and of `docs/team-trace.md`."""
    parts = [_table("Every event", "These four come first.", COMMON)]
    parts += [_table(f"`{name}`", kind.about, kind.fields) for name, kind in kinds.items()]
    return "\n\n".join(parts) + "\n"


def _table(title: str, about: str, fields: tuple[Field, ...]) -> str:
    head = f"## {title}\n\n{about}"
    if not fields:
        return f"{head}\n\nNo fields of its own."
    rows = "\n".join(f"| `{name}` | {type_name} | {text} |" for name, type_name, text in fields)
    return f"{head}\n\n| field | type | says |\n|---|---|---|\n{rows}"
