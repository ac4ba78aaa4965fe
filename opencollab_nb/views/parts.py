"""Shapers and summarizers of cells for a run that is opened again in the same notebook."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from opencollab_nb.views.recordings import EVENTS, values_of
from opencollab_nb.views.written import Written

MAIN = "__main__:"


def parts_for(path: str | Path, written: Mapping[str, Written]) -> dict[str, Any]:
    """What the newest chain of a run names and a cell of this notebook has defined, as `resume` takes it.

    A dataclass is made with the settings that the run had.
    """
    events = Path(path).expanduser() / EVENTS
    if not written or not events.is_file():
        return {}
    newest = [e for _, e in values_of(events) if e.get("kind") in ("start", "swap")]
    return dict(_parts(newest[-1], written)) if newest else {}


def _parts(event: Mapping[str, Any], written: Mapping[str, Written]) -> Iterator[tuple[str, Any]]:
    specs = [*event["chain"], event.get("summarizer")]
    specs += [v["part"] for s in event["chain"] for v in (s["fields"] or {}).values() if _holds_part(v)]
    for spec in filter(None, specs):
        name = str(spec["shaper"])
        known = written.get(name.removeprefix(MAIN)) if name.startswith(MAIN) else None
        if known is not None:
            yield name, _made(known.part, spec["fields"] or {})


def _holds_part(value: Any) -> bool:
    return isinstance(value, dict) and "part" in value


def _made(part: Any, settings: Mapping[str, Any]) -> Any:
    if not is_dataclass(part) or isinstance(part, type):
        return part
    known = {f.name for f in fields(part) if f.init}
    plain = {k: v for k, v in settings.items() if k in known and not isinstance(v, dict)}
    return type(part)(**plain)
