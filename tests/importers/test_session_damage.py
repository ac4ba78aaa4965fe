"""Session files that are cut, spoilt or hostile: what can be read is read, and nothing crashes."""

from __future__ import annotations

import json
import random

import pytest

from opencollab_nb.importers import aider, claude_code, codex, gemini_cli, managed_agents, pi
from opencollab_nb.importers.source import Held, Source
from opencollab_nb.importers.view import view_sent
from tests.importers import session_files as made
from tests.importers.spoiling import spoilt

FORMATS = (claude_code, codex, pi, gemini_cli, managed_agents, aider)
FILES = {
    "claude-code": made.CLAUDE,
    "codex": made.CODEX,
    "pi": made.PI,
    "gemini-log": made.GEMINI_LOG,
    "gemini-stream": made.GEMINI_STREAM,
    "managed": made.MANAGED,
    "gemini-chat": made.GEMINI_CHAT,
    "gemini-checkpoint": made.GEMINI_CHECKPOINT,
}


def written(value: object) -> bytes:
    if (
        isinstance(value, list)
        and value is not made.GEMINI_CHECKPOINT
        and all("parts" not in v for v in map(dict, value))
    ):
        return "\n".join(map(json.dumps, value)).encode()
    return json.dumps(value).encode()


def sound(found: list) -> None:
    for transcript in found:
        origin = transcript.origin
        assert origin.read == origin.used + sum(origin.skipped.values())
        for n in range(1, len(origin.sent) + 1):
            view_sent(transcript, n)
        for message in transcript.stored:
            assert isinstance(message.get("content"), str | list | None), message
        repr(origin)


@pytest.mark.parametrize("name", FILES)
def test_a_file_cut_anywhere_is_read_as_far_as_it_goes(name):
    data = written(FILES[name])
    cuts = random.Random(name).sample(range(len(data)), 40)
    for known in FORMATS:
        for at in cuts:
            source = Source(Held(data[:at], "cut"))
            known.signs(source)
            sound(known.read(source))


@pytest.mark.parametrize("name", [name for name in FILES if not name.startswith("gemini-ch")])
def test_any_field_may_hold_anything(name):
    known = next(one for one in FORMATS if name.startswith(one.NAME.split("-")[0]) or name in one.NAME)
    dice = random.Random(name)
    for place, line in enumerate(FILES[name]):
        for changed in spoilt(line):
            if dice.random() < 0.15:
                lines = [*FILES[name][:place], changed, *FILES[name][place + 1 :]]
                sound(known.read(Source(Held("\n".join(map(json.dumps, lines)).encode(), "spoilt"))))


@pytest.mark.parametrize("name", ["gemini-chat", "gemini-checkpoint"])
def test_any_field_of_a_saved_chat_may_hold_anything(name):
    dice = random.Random(name)
    for changed in spoilt(FILES[name]):
        if dice.random() < 0.15:
            source = Source(Held(json.dumps(changed).encode(), "spoilt"))
            gemini_cli.signs(source)
            sound(gemini_cli.read(source))


def test_a_broken_line_is_named_and_the_lines_around_it_are_read():
    lines = "\n".join(map(json.dumps, made.PI)).split("\n")
    lines[3] = lines[3][:40]
    [session] = pi.read(Source(Held("\n".join(lines).encode(), "broken")))
    assert any(notice.startswith("line 4: not JSON at column") for notice in session.notices)
    assert session.origin.skipped["damaged"] == 1
    assert [m["role"] for m in session.stored] == [
        "user",
        "assistant",
        "tool",
        "user",
        "user",
        "user",
        "assistant",
    ]


def test_no_format_claims_the_file_of_another():
    for name, value in FILES.items():
        source = Source(Held(written(value), name))
        claims = [known.NAME for known in FORMATS if known.signs(source) >= 0.5]
        assert len(claims) == 1, (name, claims)
