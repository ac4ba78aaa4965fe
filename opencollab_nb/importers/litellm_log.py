"""LiteLLM logs: a file or a line for each request, with the request, the answer and its usage."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.exchanges import together, told
from opencollab_nb.importers.fields import count, mapping
from opencollab_nb.importers.litellm_calls import call_of, payload_of
from opencollab_nb.importers.source import Source
from opencollab_nb.transcript import Transcript

NAME = "litellm"
WANTS = "`messages` beside a `response` with `choices`, as completion logs and standard logging payloads have"
_TRIED = 60
_LATEST = 1e15
"""No time is later, in seconds or milliseconds; a number may be too large for any."""
_BESIDE = ("kwargs", "cost", "timestamp", "latency_sec", "context_window", "raw_response", "raw_messages")
_PAYLOAD = (
    "call_type",
    "model_parameters",
    "response_cost",
    "startTime",
    "standard_logging_object",
    "hidden_params",
)


def signs(source: Source) -> float:
    """High for records of a request with its answer and what LiteLLM notes beside them."""
    found = _records(source)[:_TRIED]
    return 0.95 * sum(map(_is_record, found)) / len(found) if found else 0.0


def read(source: Source) -> list[Transcript]:
    """One transcript for each conversation: requests that go on from one another are one."""
    return read_together([source])


def read_together(sources: list[Source]) -> list[Transcript]:
    """The files of a folder, each with one request, in the order in which they were made."""
    records = [(source, record) for source in sources for record in _records(source) if _is_record(record)]
    # Files are in the order of their names, which stays where no time is told.
    records.sort(key=lambda pair: _time(pair[1]))
    calls = [call_of(record) for _, record in records]
    if not calls:
        return []
    drafts = together(sources[0], NAME, calls)
    if len(sources) > 1:
        _name_folder(drafts, sources)
    for source in sources:
        told(drafts, source, sum(other is source for other, _ in records))
    windows = [count(payload_of(record).get("context_window")) or 0 for _, record in records]
    for draft in drafts:
        draft.window = max(windows) or None
    return [draft.done() for draft in drafts if draft.messages]


def _name_folder(drafts: list[Draft], sources: list[Source]) -> None:
    name = Path(sources[0].path).parent.name or sources[0].name
    for n, draft in enumerate(drafts):
        draft.name = f"{name}[{n}]" if len(drafts) > 1 else name
    for source in sources[1:]:
        drafts[-1].notices += [f"{source.name}: {notice}" for notice in source.notices]


def _records(source: Source) -> list[Any]:
    if isinstance(source.json, list):
        return [one for one in source.json if isinstance(one, dict)]
    return list(source.objects)


def _is_record(record: Any) -> bool:
    if not isinstance(record, dict):
        return False
    inner = payload_of(record)
    answered = (
        isinstance(inner.get("response"), dict) or "raw_response" in inner or inner.get("status") == "failure"
    )
    asked = any(isinstance(inner.get(key), list) for key in ("messages", "input", "raw_messages"))
    noted = sum(key in inner for key in (*_BESIDE, *_PAYLOAD))
    chosen = isinstance(inner.get("messages"), list) and "choices" in mapping(inner.get("response"))
    return (answered and asked and noted >= 2) or chosen


def _time(record: Mapping[str, Any]) -> float:
    inner = payload_of(record)
    for key in ("timestamp", "startTime"):
        value = inner.get(key)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < _LATEST:
            return float(value)
    return 0.0
