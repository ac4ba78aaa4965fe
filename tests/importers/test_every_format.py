"""What holds for every format: recognised as itself alone, sound after any damage, silent about nothing."""

from __future__ import annotations

import copy
import functools
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from opencollab_nb import load
from opencollab_nb.importers.draft import mended
from opencollab_nb.importers.formats import FORMATS
from opencollab_nb.importers.load import RECOGNISED, recognised
from opencollab_nb.importers.source import Held, Source
from opencollab_nb.importers.view import view_sent
from opencollab_nb.messages import id_of, tool_calls_of
from opencollab_nb.tokens.estimate import weigh
from opencollab_nb.transcript import Transcript

FOLDERS = {
    "aider": "aider",
    "anthropic-messages-api": "anthropic",
    "claude-code": "claude-code",
    "codex": "codex",
    "inspect": "inspect",
    "litellm-completion-log": "litellm",
    "mini-swe-agent": "mini-swe-agent",
    "openai-chat": "openai-chat",
    "openai-responses-api": "openai-responses",
    "openhands": "openhands",
    "pi": "pi",
    "swe-agent": "swe-agent",
}
"""The format that the files of each folder are read as."""
CUTS = 40
WHOLE_BYTES = 100_000
"""Of a longer sample, cuts are tried on its beginning: they are about forms, not about length."""


def samples(shared: Path) -> Iterator[tuple[str, Path]]:
    for folder, name in FOLDERS.items():
        for path in sorted((shared / "transcripts" / folder).rglob("*")):
            if path.is_file():
                yield name, path


def smallest(shared: Path) -> Iterator[tuple[str, Path]]:
    """The smallest sample of each format."""
    found: dict[str, Path] = {}
    for name, path in samples(shared):
        if name not in found or path.stat().st_size < found[name].stat().st_size:
            found[name] = path
    yield from found.items()


def check(transcript: Transcript) -> None:
    """What every view and every shaper takes for granted."""
    messages, origin = transcript.messages, transcript.origin
    assert origin is not None
    assert [id_of(message) for message in messages] == list(range(len(messages)))
    assert origin.read == origin.used + sum(origin.skipped.values())
    assert not mended(messages)[1], "calls are answered, results have their calls, nothing is empty"
    for message in messages:
        assert message["role"] in ("system", "developer", "user", "assistant", "tool")
        content = message.get("content")
        assert content is None or isinstance(content, (str, list))
        assert all(isinstance(part, (dict, str)) for part in content or ())
        assert all(isinstance(call["function"]["arguments"], str) for call in tool_calls_of(message))
        assert isinstance(message.get("tool_call_id", ""), str)
        assert weigh(message) > 0
    for n, call in enumerate(origin.sent, 1):
        assert 0 <= call.before <= len(messages)
        assert call.reply is None or messages[call.reply]["role"] == "assistant"
        assert call.reply is None or call.reply >= call.before
        assert call.usage is None or call.usage.cached_input_tokens <= call.usage.input_tokens
        if n in (1, len(origin.sent)):
            view_sent(transcript, n)
    for one in origin.compactions:
        assert all(0 <= first <= last < len(messages) for first, last in one.covers)
        assert one.covers
    assert repr(origin)
    for child in origin.children:
        check(child)


def read_by_all(data: bytes) -> None:
    """Every importer answers, whatever file it is given; the one that recognises it, and each by force."""
    for known in FORMATS:
        source = Source(Held(data, "damaged"))
        assert 0 <= known.signs(source) <= 1
        for transcript in known.read(source):
            check(transcript)


def test_every_sample_is_recognised_as_its_own_format_and_as_no_other(shared: Path) -> None:
    for name, path in samples(shared):
        source = Source(path)
        scores = {known.NAME: known.signs(source) for known in FORMATS}
        assert scores[name] >= RECOGNISED, (path, scores)
        assert all(score < scores[name] for other, score in scores.items() if other != name), (path, scores)


def test_the_name_of_a_file_makes_no_difference(shared: Path) -> None:
    for name, path in smallest(shared):
        known = recognised(Source(Held(path.read_bytes(), "x")))
        assert known is not None
        assert name == known.NAME


def test_every_sample_gives_sound_transcripts(shared: Path) -> None:
    for _, path in samples(shared):
        found = load(path)
        for transcript in found if isinstance(found, list) else [found]:
            check(transcript)
            assert transcript.messages


@pytest.mark.parametrize("name", sorted(set(FOLDERS.values())))
def test_a_sample_cut_anywhere_is_read_as_far_as_it_goes(shared: Path, name: str) -> None:
    path = dict(smallest(shared))[name]
    data = path.read_bytes()[:WHOLE_BYTES]
    places = random.Random(name).sample(range(len(data)), CUTS)
    known = next(known for known in FORMATS if name == known.NAME)
    for at in places:
        for transcript in known.read(Source(Held(data[:at], "cut"))):
            check(transcript)


@pytest.mark.parametrize("name", sorted(set(FOLDERS.values())))
def test_a_cut_sample_is_answered_by_every_importer(shared: Path, name: str) -> None:
    data = dict(smallest(shared))[name].read_bytes()
    for at in (0, 1, len(data) // 3, len(data) - 2):
        read_by_all(data[: min(at, WHOLE_BYTES)])


KEYS = [
    "role",
    "content",
    "messages",
    "type",
    "message",
    "request",
    "response",
    "history",
    "traj",
    "trajectory",
    "input",
    "output",
    "entry",
    "samples",
    "events",
    "payload",
    "usage",
    "tool_calls",
    "id",
    "parts",
]
ODD = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.just([])
    | st.just({})
    | st.lists(st.integers() | st.none() | st.text(max_size=3), max_size=2)
    | st.dictionaries(st.sampled_from(["type", "role", "content", "text", "id"]), st.none() | st.integers())
    | st.just("\ud83e")
    | st.just(10**400)
)


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to each value within a value."""
    yield at
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from places(inner, (*at, key))
    elif isinstance(value, list):
        for n, inner in enumerate(value):
            yield from places(inner, (*at, n))


@functools.cache
def beginning(name: str, shared: Path) -> tuple[Any, ...]:
    """The first lines of the smallest sample; of one that is a list of conversations, the first."""
    source = Source(dict(smallest(shared))[name])
    if len(source.lines) > 1:
        return tuple(value for _, value in source.lines[:25])
    return (source.json[:1] if isinstance(source.json, list) else source.json,)


def mutated(value: Any, at: tuple[Any, ...], odd: Any, how: str) -> Any:
    """The value with one place in it changed, removed or told twice."""
    if not at:
        return odd
    out = copy.deepcopy(value)
    inner = out
    for step in at[:-1]:
        inner = inner[step]
    if how == "change":
        inner[at[-1]] = odd
    elif how == "remove":
        del inner[at[-1]]
    elif isinstance(inner, list):
        inner.insert(at[-1], copy.deepcopy(inner[at[-1]]))
    return out


@pytest.mark.parametrize("name", sorted(set(FOLDERS.values()) - {"aider"}))
@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_odd_values_anywhere_never_break_an_importer(shared: Path, name: str, data: st.DataObject) -> None:
    known = next(known for known in FORMATS if name == known.NAME)
    values = list(beginning(name, shared))
    # Each depth as often: a uniform choice would change little but the innards of results.
    at = data.draw(st.integers(0, len(values) - 1))
    ways = _ways(name, at, values[at])
    depth = data.draw(st.integers(0, max(ways)))
    way = data.draw(st.sampled_from(ways[depth] if ways.get(depth) else ways[1]))
    how = data.draw(st.sampled_from(["change", "change", "remove", "twice"]))
    values[at] = mutated(values[at], way, data.draw(ODD), how)
    text = "\n".join(map(json.dumps, values))
    for transcript in known.read(Source(Held(text.encode(), "odd"))):
        check(transcript)


_WAYS: dict[tuple[str, int], dict[int, list[tuple[Any, ...]]]] = {}


def _ways(name: str, at: int, value: Any) -> dict[int, list[tuple[Any, ...]]]:
    """The places in a value by how deep they lie."""
    if (name, at) not in _WAYS:
        found: dict[int, list[tuple[Any, ...]]] = {}
        for way in places(value):
            found.setdefault(len(way), []).append(way)
        _WAYS[name, at] = found
    return _WAYS[name, at]


@settings(max_examples=40, deadline=None)
@given(st.binary(max_size=80) | st.text(max_size=40).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_no_bytes_break_an_importer(data: bytes) -> None:
    read_by_all(data)


@settings(max_examples=40, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(KEYS),
                inner | st.sampled_from(["user", "assistant", "tool", "message", "head", "session"]),
                max_size=4,
            )
        ),
        max_leaves=12,
    ),
    st.booleans(),
)
def test_no_json_breaks_an_importer(value: Any, as_lines: bool) -> None:
    text = "\n".join(map(json.dumps, value)) if as_lines and isinstance(value, list) else json.dumps(value)
    read_by_all(text.encode())
