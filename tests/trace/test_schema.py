from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.trace import EVENTS, Trace, faults_of
from opencollab_nb.trace.schema import COMMON, as_markdown
from opencollab_nb.trace.types import TYPES

DOCS = Path(__file__).parents[2] / "docs" / "trace.md"
SAMPLES: dict[str, Any] = {
    "int": 1,
    "number": 0.5,
    "bool": True,
    "text": "a",
    "list": [],
    "object": {},
    "ranges": [[0, 2], [4, 4]],
}


def sample(kind: str) -> dict[str, Any]:
    facts = {name: SAMPLES[type_name.removesuffix("?")] for name, type_name, _ in EVENTS[kind].fields}
    return Trace().add(kind, 1, **facts)


@pytest.mark.parametrize("kind", EVENTS)
def test_a_sound_event_of_each_kind_has_no_faults(kind: str) -> None:
    assert faults_of(sample(kind)) == []


@pytest.mark.parametrize("kind", EVENTS)
def test_a_missing_a_wrong_and_an_unknown_field_are_named(kind: str) -> None:
    event = sample(kind)
    assert faults_of({**event, "extra": 1}) == ["extra is not in the schema"]
    for name, type_name, _ in EVENTS[kind].fields:
        without = {k: v for k, v in event.items() if k != name}
        assert faults_of(without) == [f"{name} is missing"]
        assert faults_of({**event, name: Path()}) != []
        assert bool(faults_of({**event, name: None})) != type_name.endswith("?")


def test_every_type_is_known() -> None:
    names = {t.removesuffix("?") for kind in EVENTS.values() for _, t, _ in (*COMMON, *kind.fields)}
    assert names <= set(TYPES)


def test_the_written_schema_is_the_one_in_force() -> None:
    assert as_markdown() in DOCS.read_text(), "write docs/trace.md again from opencollab_nb.trace.schema"
