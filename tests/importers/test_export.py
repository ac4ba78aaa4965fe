"""Transcripts to files and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from opencollab_nb import export, load
from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.load import load_bytes
from opencollab_nb.messages import wire
from opencollab_nb.secrecy import keep_secret
from opencollab_nb.tokens.usage import Usage
from opencollab_nb.transcript import Transcript
from tests.build import assistant, call, result
from tests.importers.files import raw
from tests.importers.test_every_format import samples

KNOWN_IN_OWN = ("sent", "compactions", "unknown", "constant_tokens", "tools", "window", "outcome", "title")
NARROW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def known(transcript: Transcript) -> list[Any]:
    """All that our own format holds of a transcript, its sub-agents included."""
    origin = transcript.origin
    assert origin is not None
    own = [getattr(origin, name) for name in KNOWN_IN_OWN]
    return [transcript.messages, transcript.committed, own, [known(child) for child in origin.children]]


def written(transcript: Transcript) -> list[dict[str, Any]]:
    """All that a chat file holds of a transcript."""
    return [wire(message) for message in transcript.messages]


def one(found: Any) -> Transcript:
    assert isinstance(found, Transcript)
    return found


TEXTS = st.text(max_size=8)
PARTS = st.lists(
    st.fixed_dictionaries({"type": st.just("text"), "text": st.text(min_size=1)}), min_size=1, max_size=3
)
REPLIES = st.lists(st.sampled_from(["ls", "cat"]), max_size=2)
STEPS = st.lists(
    st.tuples(TEXTS, REPLIES, st.integers(0, 900) | st.none(), st.booleans()), min_size=1, max_size=6
)


@st.composite
def transcripts(draw: st.DrawFn) -> Transcript:
    """Imported transcripts of every make: parallel calls, usage, lost results, compactions, sub-agents."""
    draft = Draft(raw(b""), "mine")
    if draw(st.booleans()):
        draft.add({"role": "system", "content": draw(TEXTS)}, source="system")
    draft.add({"role": "user", "content": draw(TEXTS | PARTS)}, source="user")
    for text, names, tokens, talks in draw(STEPS):
        calls = [call(name, text, draw(st.sampled_from(["a", "b"]))) for name in names]
        usage = Usage(tokens, tokens // 2, 3) if tokens else None
        draft.reply(assistant(text or None, *calls), usage=usage, model=draw(st.none() | TEXTS))
        for each in calls[draw(st.integers(0, 1)) :]:
            draft.add(result(text, each["id"]), source="tool", error=talks)
        if talks:
            draft.add({"role": "user", "content": text}, source="context")
    if draw(st.booleans()):
        draft.compacted(
            "summary", range(1, len(draft.messages)), tokens_before=draw(st.none() | st.integers(0, 9))
        )
    if draw(st.booleans()):
        child = Draft(draft.source, "mine")
        child.reply(assistant("from below"), usage=Usage(5))
        draft.child(child)
    draft.tools.append({"type": "function", "function": {"name": "ls"}})
    draft.window, draft.outcome = draw(st.none() | st.integers(1, 10**6)), draw(st.none() | TEXTS)
    return draft.done()


@NARROW
@given(transcript=transcripts())
def test_our_own_format_gives_back_all_that_is_known(transcript: Transcript, tmp_path: Path) -> None:
    path = export(transcript, tmp_path / "t.jsonl", format="opencollab", overwrite=True)
    back = one(load(path))
    assert known(back) == known(transcript)
    assert back.notices == []
    assert known(Transcript.open(path)) == known(transcript), "a session's own reader knows it too"


@NARROW
@given(transcript=transcripts())
def test_the_chat_format_gives_back_all_messages_and_tools(transcript: Transcript, tmp_path: Path) -> None:
    path = export(transcript, tmp_path / "t.jsonl", overwrite=True)
    back = one(load(path))
    assert written(back) == written(transcript)
    assert back.origin is not None
    assert transcript.origin is not None
    assert back.origin.tools == transcript.origin.tools
    again = one(load(export(back, tmp_path / "u.jsonl", overwrite=True)))
    assert again.messages == back.messages
    assert (tmp_path / "u.jsonl").read_bytes() == path.read_bytes()


def test_every_sample_comes_back_from_both_formats(shared: Path, tmp_path: Path) -> None:
    for _, path in samples(shared):
        found = load(path)
        for transcript in (found if isinstance(found, list) else [found])[:3]:
            own = one(load(export(transcript, tmp_path / "own", format="opencollab", overwrite=True)))
            assert known(own) == known(transcript), path
            chat = one(load(export(transcript, tmp_path / "chat", overwrite=True)))
            assert written(chat) == written(transcript), path


def test_several_transcripts_are_lines_of_one_chat_file(tmp_path: Path) -> None:
    found = load_bytes(b'[{"messages": [{"role": "user", "content": "a"}]}, {"traj": [{"role": "user"}]}]')
    back = load(export(found, tmp_path / "both.jsonl"))
    assert isinstance(back, list)
    assert [written(each) for each in back] == [written(each) for each in found]  # type: ignore[arg-type, union-attr]
    with pytest.raises(UsageProblem, match="2 transcripts: a file of the format 'opencollab' holds one"):
        export(found, tmp_path / "own.jsonl", format="opencollab")


def test_a_file_is_written_over_only_where_that_is_asked_for(tmp_path: Path) -> None:
    transcript = Transcript.of([])
    path = export(transcript, tmp_path / "a.jsonl")
    with pytest.raises(UsageProblem, match=r"is there already; give another path, or overwrite=True"):
        export(transcript, path)
    assert export(transcript, path, overwrite=True) == path
    with pytest.raises(UsageProblem, match="cannot be written: Is a directory"):
        export(transcript, tmp_path, overwrite=True)
    with pytest.raises(UnknownName, match="unknown format 'chat'; did you mean 'openai-chat'"):
        export(transcript, tmp_path / "b.jsonl", format="chat")


def test_known_secrets_are_in_neither_file(tmp_path: Path) -> None:
    keep_secret("EXPORTED", "sk-exported-77d1c03b")
    draft = Draft(raw(b""), "mine")
    draft.add({"role": "user", "content": "use sk-exported-77d1c03b"}, source="user")
    for format in ("openai-chat", "opencollab"):  # noqa: A001
        path = export(draft.done(), tmp_path / format, format=format)
        assert "sk-exported" not in path.read_text()
        assert "[secret EXPORTED]" in path.read_text()


def test_a_run_of_our_own_is_exported_without_what_is_private(tmp_path: Path) -> None:
    run = Transcript()
    run.append({"role": "user", "content": "a"}, source="task", step=0)
    line = json.loads(export(run, tmp_path / "a.jsonl").read_text())
    assert line == {"messages": [{"role": "user", "content": "a"}]}
