"""Real sessions, counted by hand from their files."""

from __future__ import annotations

from pathlib import Path

import pytest

from opencollab_nb.importers import aider, claude_code, codex, pi
from opencollab_nb.importers.source import Source
from opencollab_nb.importers.view import view_sent
from opencollab_nb.messages import text_of, tool_calls_of
from opencollab_nb.transcript import Transcript


def everyone(transcripts: list[Transcript]) -> list[Transcript]:
    return [one for parent in transcripts for one in (parent, *parent.origin.children)]


def counts(transcripts: list[Transcript]) -> tuple[int, int, int, int, int]:
    """Messages, calls, replies with several calls, errors, and the largest input of a request."""
    messages = [message for one in everyone(transcripts) for message in one.stored]
    calls = [len(tool_calls_of(message)) for message in messages]
    errors = sum(message["meta"].get("error", False) for message in messages)
    peaks = [
        call.usage.input_tokens for one in everyone(transcripts) for call in one.origin.sent if call.usage
    ]
    return len(messages), sum(calls), sum(n > 1 for n in calls), errors, max(peaks)


def sample(shared: Path, folder: str, part: str) -> Source:
    [path] = (shared / "transcripts" / folder).glob(f"*{part}*")
    return Source(path)


@pytest.mark.parametrize(
    ("part", "told"),
    [
        ("sqlglot", (335, 199, 62, 14, 127_260)),
        ("briefcase", (148, 77, 9, 2, 62_814)),
        ("faker", (60, 31, 5, 2, 84_269)),
        ("scientific", (242, 120, 0, 4, 95_455)),
    ],
)
def test_claude_code(shared, part, told):
    sessions = claude_code.read(sample(shared, "claude-code", part))
    assert counts(sessions) == told
    assert all(one.notices == [] for one in everyone(sessions))


def test_sub_agents_of_claude_code_are_children(shared):
    [session] = claude_code.read(sample(shared, "claude-code", "faker"))
    [child] = session.origin.children
    assert child.origin.title == "Find Faker date generation files"
    assert child.origin.models != session.origin.models


def test_codex(shared):
    [rollout] = codex.read(sample(shared, "codex", "rollout"))
    assert counts([rollout])[1:] == (58, 0, 0, 71_038)
    assert [call.usage is not None for call in rollout.origin.sent] == [True] * 69
    assert (rollout.origin.read, rollout.origin.window) == (451, 272_000)


def test_pi(shared):
    [session] = pi.read(sample(shared, "pi", "compaction"))
    assert counts([session])[1:] == (454, 9, 12, 184_915)
    assert session.origin.read == 1003
    assert [one.tokens_before for one in session.origin.compactions] == [175_004, 185_014]


def test_the_view_of_a_request_after_a_compaction_is_small_again(shared):
    [session] = pi.read(sample(shared, "pi", "compaction"))
    first = session.origin.compactions[0]
    n = next(n for n, call in enumerate(session.origin.sent, 1) if call.before >= first.at)
    before, after = view_sent(session, n - 1), view_sent(session, n)
    assert text_of(after[0]) == first.text
    assert len(after) < len(before) / 3


def test_aider(shared):
    sessions = aider.read(sample(shared, "aider", "history"))
    reported = [call for one in sessions for call in one.origin.sent if call.usage]
    assert (len(sessions), len(reported)) == (13, 39)
    assert sum(one.origin.read for one in sessions) >= 3_700
