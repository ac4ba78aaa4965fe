"""The audit of a run: what was done to its context, when, and where the originals are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from opencollab_nb.budget.recorded import LAYER, OFFLOADING, Event, layers_of, start_of
from opencollab_nb.messages import Messages, covers_of, each, ranges
from opencollab_nb.shaping.sent import new_record
from opencollab_nb.shaping.summary import summary_text

TRANSCRIPT, EVENTS = "transcript.jsonl", "events.jsonl"
COLUMNS = (
    "step",
    "at",
    "what",
    "layer",
    "ids",
    "where",
    "summary_version",
    "prompt_version",
    "tokens_before",
    "tokens_after",
    "sent",
    "note",
    "n",
)
"""`what`: `compaction offload restatement injection anchor handoff`; `ids`: of messages, as ranges;
`where`: where the originals are; `tokens_*`: of the request, for a restatement or an injection what it
added; `sent`: whether it is in a request that was sent; `n`: the event's number."""
FORMAT_VERSION = "fixed format 1"
"""Of restatements: made by the harness, by no model."""


def audit(events: Sequence[Event], messages: Messages, *, folder: Path | str | None = None) -> Any:
    """What was done to the context of a run, as a `DataFrame` with `verify()` and `replay(step)`.

    Args:
        events: of the run's trace, from its start.
        messages: of its transcript, with `meta`.
        folder: where both lie on the disk; without it nothing can be verified.

    Raises:
        UsageProblem: (a ValueError) the events are no run.
    """
    from opencollab_nb.budget.trail import Trail

    start_of(events)
    trail = Trail(tuple(events), list(messages), None if folder is None else Path(folder))
    frame = audit_class()(rows_of(events), columns=list(COLUMNS))
    frame["at"] = _times(frame["at"])
    frame._trail = trail  # noqa: SLF001 - its own class
    return frame


def rows_of(events: Sequence[Event]) -> list[dict[str, Any]]:
    """The rows of the audit, in the order of the events."""
    used = {layer["n"] for layers in layers_of(events) for layer in layers}
    summaries = dict(_summary_versions(events))
    rows = []
    for event in events:
        facts = _ROWS[event["kind"]](event) if event["kind"] in _ROWS else None
        if facts is None:
            continue
        if event["kind"] == LAYER:
            facts |= {"sent": event["n"] in used, "summary_version": summaries.get(event["n"])}
        common = {"step": event["step"], "at": event["at"], "n": event["n"]}
        rows.append({**dict.fromkeys(COLUMNS), **common, **facts})
    return rows


def originals_of(row: Event) -> list[int]:
    """The ids of the messages that an event took from a request, or put into it.

    >>> originals_of({"kind": "anchor", "message_id": 4}), originals_of({"kind": "commit"})
    ([4], [])
    """
    if row["kind"] == LAYER:
        return sorted({i for name in ("removed", "rewritten", "covered") for i in each(row[name])})
    return [row["message_id"]] if row["kind"] in ("anchor", "injection") else []


def spans(ids: Sequence[int]) -> str:
    """Ids as ranges.

    >>> spans([3, 4, 5, 7])
    '3–5, 7'
    """
    return ", ".join(f"{first}–{last}" if last > first else f"{first}" for first, last in ranges(ids))


def _layer(event: Event) -> dict[str, Any]:
    ids, summary = originals_of(event), event["summary"] or {}
    return {
        "what": "offload" if event["layer"] == OFFLOADING else "compaction",
        "layer": event["layer"],
        "ids": spans(ids),
        "where": _in_transcript(ids),
        "prompt_version": summary.get("version"),
        "tokens_before": event["tokens_before"],
        "tokens_after": event["tokens_after"],
        "note": event["problem"] or ("after a refusal" if event["forced"] else None),
    }


def _restatement(event: Event) -> dict[str, Any]:
    return {
        "what": "restatement",
        "where": f"{EVENTS}, the request after line {event['n'] + 1}",
        "prompt_version": FORMAT_VERSION,
        "tokens_after": event["tokens"],
        "sent": True,
        "note": event["reason"],
    }


def _injection(event: Event) -> dict[str, Any]:
    own = event["message_id"]
    held = ", ".join(f"m{number}" for number in event["memories"])
    return {
        "what": "injection",
        "ids": spans([own]),
        "where": _in_transcript([own]) + (f"; in the memory: {held}" if held else ""),
        "tokens_after": event["tokens"],
        "sent": True,
    }


def _anchor(event: Event) -> dict[str, Any]:
    own = event["message_id"]
    return {
        "what": "anchor",
        "ids": spans([own]),
        "where": _in_transcript([own]),
        "sent": True,
        "note": f"{event['kind_of_anchor']}, by the {event['by']}: {event['text']}",
    }


def _handoff(event: Event) -> dict[str, Any]:
    return {"what": "handoff", "where": event["path"], "sent": False, "note": event["reason"]}


_ROWS = {
    LAYER: _layer,
    "restatement": _restatement,
    "injection": _injection,
    "anchor": _anchor,
    "handoff": _handoff,
}


def _in_transcript(ids: Sequence[int]) -> str:
    return f"{TRANSCRIPT}, messages {spans(ids)}" if ids else ""


def _summary_versions(events: Sequence[Event]) -> Iterator[tuple[int, str]]:
    """For each layer event whose summary was taken, a digest of the summary's text."""
    waiting: list[Event] = []
    for event in events:
        if event["kind"] == LAYER:
            waiting.append(event)
        elif event["kind"] in ("request", "preview"):
            for summary in (new_record(event) or {}).get("new", ()):
                made = {i for span in covers_of(summary) for i in each([span])}
                for layer in waiting:
                    if layer["covered"] and made.issuperset(each(layer["covered"])):
                        digest = sha256(summary_text(summary).encode("utf-8", "surrogatepass"))
                        yield layer["n"], digest.hexdigest()[:12]
            waiting = []


def _times(column: Any) -> Any:
    import pandas as pd

    return pd.to_datetime(column, format="ISO8601", utc=True)


@lru_cache(maxsize=1)
def audit_class() -> Any:
    """The class `Audit`: made when it is first asked for, since pandas takes its time to be imported."""
    import pandas as pd

    from opencollab_nb.errors import UsageProblem

    class Audit(pd.DataFrame):
        """The audit of a run; `verify()` proves that nothing was lost, `replay(step)` shows what was sent."""

        _metadata = ["_trail"]  # noqa: RUF012 - the name and form that pandas asks for
        _trail: Any = None

        @property
        def _constructor(self) -> Any:
            return Audit

        @property
        def trail(self) -> Any:
            """The record it was made from."""
            if self._trail is None:
                raise UsageProblem("this table is no longer an audit: ask session.audit() anew")
            return self._trail

        def verify(self) -> Any:
            """Read every original back from the disk, and look for the anchors in every request.

            Returns:
                A `Verified`: true where all is there; it names what is not.
            """
            return self.trail.verify()

        def replay(self, step: int) -> Any:
            """The messages sent at a step, as a list; its `originals` are the transcript of that moment.

            Raises:
                UsageProblem: (a ValueError) no request was sent at this step.
            """
            return self.trail.replay(step)

    return Audit


def __getattr__(name: str) -> Any:
    if name == "Audit":
        return audit_class()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
