"""Files that a shaper can be tried on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import is_pinned
from opencollab_nb.shaping import groups
from opencollab_nb.views.recordings import MOST_MESSAGES, Recording, of_file, of_session, shipped
from tests.build import assistant, call, numbered, result, tool_step, user


def test_the_shipped_recording_is_a_sound_numbered_run() -> None:
    recording = shipped()
    assert [m["meta"]["id"] for m in recording.messages] == list(range(len(recording.messages)))
    assert len(recording.messages) > 80
    assert not any(group.open or group.stray for group in groups(recording.messages))
    assert recording.pressure.over(recording.messages)


def test_a_file_of_plain_messages_gets_ids_a_task_and_repairs(tmp_path: Path) -> None:
    talk = [user("Fix it."), assistant(None, call()), user("still there?"), result("stray", "zz")]
    path = tmp_path / "talk.jsonl"
    path.write_text("\n".join(map(json.dumps, talk)) + "\n")
    messages = of_file(path).messages
    assert [m["meta"]["id"] for m in messages] == list(range(len(messages)))
    assert is_pinned(messages[0])
    assert messages[2]["content"] == "[interrupted]"
    assert not any(group.open or group.stray for group in groups(messages))


def test_one_list_of_messages_will_do(tmp_path: Path) -> None:
    path = tmp_path / "talk.json"
    path.write_text(json.dumps([user("Fix it."), assistant("Done.")], indent=1))
    assert len(of_file(path).messages) == 2


def test_a_run_folder_is_read_with_the_pressure_it_had(tmp_path: Path) -> None:
    from opencollab_nb import load_task

    session = load_task("quickstart").session(path=tmp_path / "run")
    session.run(15)
    live = of_session(session)
    for path in (session.path, session.path / "transcript.jsonl"):
        read = of_file(path)
        assert read.messages == live.messages
        assert read.pressure.trigger == live.pressure.trigger
        assert read.pressure.weight(read.messages) == live.pressure.weight(live.messages)
    assert not session.closed
    session.close()


def test_a_line_that_is_still_being_written_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text(json.dumps(user("Fix it.")) + '\n{"role": "assist')
    assert len(of_file(path).messages) == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "holds no message"),
        ("no json\n", "line 1, is no JSON"),
        ('{"role": "user", "content": "a"}\nno json\n', "line 2, is no JSON"),
        ('{"content": "a"}\n', "line 1, is no message"),
        ("3\n", "line 1, is no message"),
        ('{"type": "user", "message": {"role": "user", "content": "a"}}\n', "line 1, is no message"),
        ('{\n "history": []\n}\n', "line 1, is no message"),
        (
            '[{"role": "user", "content": [{"type": "tool_result", "content": "a"}]}]',
            "of another API: here calls stand in `tool_calls`",
        ),
        ("[1, 2", "is no JSON"),
    ],
)
def test_another_file_is_refused_with_its_line(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text(text)
    with pytest.raises(UsageProblem, match=told):
        of_file(path)


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="there is no file"):
        of_file(tmp_path / "nothing.jsonl")
    with pytest.raises(UsageProblem, match="is no run folder"):
        of_file(tmp_path)


def test_a_transcript_that_fits_is_looked_at_under_a_trigger_that_it_crosses() -> None:
    recording = shipped()
    small = Recording("two", recording.messages[:4], recording.pressure)
    pressing = small.pressing()
    assert not small.pressure.over(small.messages)
    assert pressing.pressure.over(pressing.messages)
    assert "shown as if the trigger were" in pressing.note
    assert recording.pressing() is recording


def test_of_a_long_transcript_the_laws_see_whole_groups_of_both_ends() -> None:
    talk = numbered([user("Fix it."), *(m for n in range(500) for m in tool_step(n))])
    seen = Recording("long", talk, shipped().pressure).for_laws()
    assert len(seen) <= MOST_MESSAGES
    assert seen[0] is talk[0]
    assert seen[-1] is talk[-1]
    assert not any(group.open or group.stray for group in groups(seen))
