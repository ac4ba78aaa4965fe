"""Opening files, folders and patterns."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from opencollab_nb import load
from opencollab_nb.errors import ImportProblem, UnknownName
from opencollab_nb.importers.collection import Transcripts
from opencollab_nb.importers.load import load_bytes
from opencollab_nb.secrecy import keep_secret
from opencollab_nb.transcript import Transcript
from tests.build import assistant, task

CHAT = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
BLOCKS = [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "x"}]}]


def put(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def test_a_file_is_one_transcript(tmp_path: Path) -> None:
    found = load(put(tmp_path / "a.json", CHAT))
    assert isinstance(found, Transcript)
    assert [m["content"] for m in found.messages] == ["hi", "hello"]
    assert found.origin is not None
    assert (found.origin.format, found.origin.name) == ("openai-chat", "a.json")


def test_a_file_with_several_conversations_is_several(tmp_path: Path) -> None:
    found = load(str(put(tmp_path / "a.json", [{"messages": CHAT}, {"messages": CHAT[:1]}])))
    assert isinstance(found, Transcripts)
    assert [len(one) for one in found] == [2, 1]
    assert [one.origin.name for one in found if one.origin] == ["a.json[0]", "a.json[1]"]


def test_a_folder_is_all_its_files_in_order_and_names_the_others(tmp_path: Path) -> None:
    put(tmp_path / "b.json", CHAT)
    put(tmp_path / "a" / "c.json", BLOCKS)
    put(tmp_path / ".hidden.json", CHAT)
    put(tmp_path / ".git" / "d.json", CHAT)
    put(tmp_path / "notes.txt", "no transcript")
    found = load(tmp_path)
    assert isinstance(found, Transcripts)
    assert [one.origin.format for one in found if one.origin] == ["openai-chat", "anthropic", "openai-chat"]
    assert [Path(one.origin.path).name for one in found if one.origin] == [".hidden.json", "c.json", "b.json"]
    assert [notice.rpartition("/")[2] for notice in found.notices] == [
        "notes.txt: not read, it is no transcript of a known format"
    ]


def test_a_pattern_is_all_files_it_fits(tmp_path: Path) -> None:
    put(tmp_path / "x" / "a.json", CHAT)
    put(tmp_path / "x" / "b.txt", CHAT)
    found = load(str(tmp_path / "**" / "*.json"))
    assert isinstance(found, Transcripts)
    assert len(found) == 1


def test_a_file_whose_name_is_a_pattern_is_that_file(tmp_path: Path) -> None:
    assert isinstance(load(put(tmp_path / "a[1].json", CHAT)), Transcript)


def test_nothing_found_is_a_problem_that_names_what_was_looked_at(tmp_path: Path) -> None:
    put(tmp_path / "notes.txt", "words")
    with pytest.raises(ImportProblem, match=r"(?s)the folder .* holds no transcript.*Tried: .*notes\.txt"):
        load(tmp_path)
    with pytest.raises(ImportProblem, match=r"the pattern .* matches no file"):
        load(str(tmp_path / "*.jsonl"))
    with pytest.raises(ImportProblem, match=r"gone\.json cannot be read: No such file"):
        load(tmp_path / "gone.json")


def test_an_unknown_file_is_told_with_what_it_holds_what_was_tried_and_the_nearest(tmp_path: Path) -> None:
    half = [*CHAT, *({"type": "event", "n": n} for n in range(8))]
    with pytest.raises(ImportProblem) as told:
        load(put(tmp_path / "a.json", half))
    text = str(told.value)
    assert "holds one JSON list of 10, the first a JSON object with the keys role, content" in text
    assert "most like openai-chat (0.16, 0.5 is enough), which has messages with `role`" in text
    assert "Tried: opencollab, claude-code, codex" in text


@pytest.mark.parametrize(
    ("data", "near"),
    [
        (b'{"messages": [{"foo": 1}]}', "nearest to .*openai-chat, by the words messages"),
        (
            b'{"Messages": [{"role": "user", "content": "x"}]}',
            "nearest to .*openai-chat, by the words Messages",
        ),
        (
            b'{"type": "session_mta", "payload": {}}\n' * 3,
            "nearest to codex, by the words type, payload, session_mta",
        ),
        (b'{"eval": {}, "sample": []}', "nearest to inspect, by the words eval, sample: that has `eval` and"),
        (b'{"quite": "different"}', "like none of them"),
    ],
)
def test_a_file_without_any_sign_is_told_which_format_has_most_of_its_words(data: bytes, near: str) -> None:
    with pytest.raises(ImportProblem, match=near):
        load_bytes(data)


@pytest.mark.parametrize(
    ("data", "held"),
    [
        (b"", "it holds nothing"),
        (b"words", "it holds text that is no JSON"),
        (b"\x89PNG\x00\x00", "it holds no text"),
        (b'{"a', "it holds JSON that cannot be read|it holds one JSON object without keys"),
        (b"{}", "it holds one JSON object without keys"),
        (b"[]", "it holds one JSON list of none"),
        (b"3\n4", "it holds text that is no JSON"),
    ],
)
def test_what_a_file_holds_is_told_in_few_words(data: bytes, held: str) -> None:
    with pytest.raises(ImportProblem, match=held):
        load_bytes(data)


def test_a_format_may_be_forced_and_must_be_known(tmp_path: Path) -> None:
    path = put(tmp_path / "a.json", CHAT)
    found = load(path, format="anthropic")
    assert isinstance(found, Transcript)
    assert found.origin is not None
    assert found.origin.format == "anthropic"
    with pytest.raises(UnknownName, match="unknown format 'openai'; did you mean 'openai-chat'"):
        load(path, format="openai")
    with pytest.raises(ImportProblem, match="taken for pi and holds no message"):
        load(path, format="pi")


def test_a_run_folder_is_one_transcript_and_its_events_no_file_of_their_own(tmp_path: Path) -> None:
    run = Transcript(tmp_path / "run" / "transcript.jsonl")
    run.append(task(), source="task", step=0, priority=80)
    run.append(assistant("done"), source="reply", step=1)
    run.commit(1)
    run.close()
    put(tmp_path / "run" / "events.jsonl", {"kind": "start", "window": 8000})
    alone = load(tmp_path / "run")
    assert isinstance(alone, Transcript)
    assert alone.messages == run.messages
    among = load(tmp_path)
    assert isinstance(among, Transcripts)
    assert (len(among), among.notices) == (1, [])


def test_a_known_secret_is_in_no_repr(tmp_path: Path) -> None:
    keep_secret("LOADED", "sk-loaded-4f9a81c2d7")
    found = load(put(tmp_path / "a.json", [{"role": "user", "content": "use sk-loaded-4f9a81c2d7"}]))
    assert isinstance(found, Transcript)
    assert "sk-loaded" in str(found.messages), "a file is the user's: nothing is struck out of it"
    for shown in (repr(found.origin), repr(Transcripts([found])), Transcripts([found])._repr_html_()):
        assert "sk-loaded" not in shown
        assert "[secret LOADED]" in shown


def test_a_collection_shows_hostile_names_as_text() -> None:
    found = Transcripts([], notices=["<script>\x1b[31m"])
    assert "<script>" not in found._repr_html_()
    assert "\x1b" not in repr(found)
