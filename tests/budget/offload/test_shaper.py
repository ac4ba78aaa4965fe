"""Which results are offloaded, and what stands in their place."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from opencollab_nb.budget.offload import KEPT_TOOLS, OffloadShaper, read_result
from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import id_of, wire
from opencollab_nb.pressure import Pressure
from opencollab_nb.session.chain_spec import describe_chain, restore_chain
from opencollab_nb.shaping import ShaperPipeline, fields_of, with_field
from tests.budget.offload.texts import log, talk
from tests.build import assistant, call, numbered, result, task, user

PRESSURE = Pressure.of()
LONG = log(200)


def shaped_text(text: Any, **settings: Any) -> Any:
    return OffloadShaper(**settings).shape(talk(text), PRESSURE)[2]["content"]


def test_a_long_result_gives_way_to_a_pointer_and_a_digest() -> None:
    text = shaped_text(LONG)
    first, rest = text.split("\n", 1)
    assert first == (
        f"[offloaded: result 2, 200 lines, {len(LONG)} chars, from bash: make; "
        'read_result(id=2, offset=…, limit=…) or read_result(id=2, pattern="…") shows it]'
    )
    assert rest.startswith("log: INFO 200")


def test_all_but_its_text_stays() -> None:
    before = talk(LONG)
    after = OffloadShaper().shape(before, PRESSURE)
    assert [m for at, m in enumerate(after) if at != 2] == [m for at, m in enumerate(before) if at != 2]
    assert {**after[2], "content": LONG} == before[2]


def test_the_pointer_shows_the_very_text() -> None:
    before = talk(LONG)
    page = read_result({id_of(m) or 0: m for m in before}, id=2, limit=200)
    lines = [line.split("\t", 1)[1] for line in page.split("\n")[:-1]]
    assert lines == LONG.split("\n")[: len(lines)]


def test_a_result_up_to_the_threshold_stays() -> None:
    messages = talk(LONG)
    assert OffloadShaper(len(LONG)).shape(messages, PRESSURE) is messages
    assert OffloadShaper(len(LONG) - 1).shape(messages, PRESSURE) != messages


def test_a_result_shorter_than_its_pointer_stays() -> None:
    messages = talk("x" * 60)
    assert OffloadShaper(10, 0).shape(messages, PRESSURE) is messages


def test_the_newest_group_stays_whatever_it_holds() -> None:
    messages = talk(LONG)[:3]
    assert OffloadShaper().shape(messages, PRESSURE) is messages
    batch = numbered(
        [task(), assistant(None, call("bash", {}, "a"), call("bash", {}, "b")), result(LONG, "a")]
    )
    assert OffloadShaper().shape(batch, PRESSURE) is batch


@pytest.mark.parametrize("tool", sorted(KEPT_TOOLS))
def test_results_of_edits_and_of_the_harness_stay(tool: str) -> None:
    messages = talk(LONG, tool)
    assert OffloadShaper().shape(messages, PRESSURE) is messages


def test_pinned_results_stay_and_so_do_those_labelled_as_anchors() -> None:
    for meta in ({"priority": 100}, {"kind": "constraints"}):
        messages = talk(LONG)
        messages[2] = {**messages[2], "meta": {"id": 2, **meta}}
        assert OffloadShaper().shape(messages, PRESSURE) is messages


def test_a_result_without_an_id_cannot_be_pointed_at() -> None:
    bare: list[Any] = [wire(m) for m in talk(LONG)]
    assert OffloadShaper().shape(bare, PRESSURE) is bare
    # A chain run by itself numbers such messages by position.
    shaped = ShaperPipeline(OffloadShaper()).shape(bare, PRESSURE)
    assert shaped[2]["content"].startswith("[offloaded: result 2, ")
    assert "meta" not in shaped[2]


def test_user_and_assistant_text_stays() -> None:
    messages = numbered([task(), user(LONG), assistant(LONG), assistant("end")])
    assert OffloadShaper().shape(messages, PRESSURE) is messages


def test_a_list_of_parts_keeps_its_images() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}}
    content = shaped_text([{"type": "text", "text": LONG}, image, {"type": "text", "text": LONG}])
    assert [part["type"] for part in content] == ["text", "image_url"]
    assert content[1] is image
    assert shaped_text([{"type": "text", "text": LONG}]).startswith("[offloaded: result 2, ")


def test_the_whole_takes_at_most_two_kilobytes_of_the_request() -> None:
    for text in (LONG, log(9_000), "错误" * 9_000, '"\n' * 9_000):
        message = OffloadShaper().shape(talk(text), PRESSURE)[2]
        assert len(json.dumps(wire(message), ensure_ascii=False).encode()) <= 2_048


def test_the_path_of_the_call_is_named() -> None:
    first = OffloadShaper().shape(talk(LONG, "file_read", {"path": "logs/a.log", "offset": 201}), PRESSURE)
    assert ", from logs/a.log (file_read from line 201); " in first[2]["content"]


@pytest.mark.parametrize(
    "arguments",
    ["", "[", "[1]", '{"path": 3}', '{"path": "\\ud83e"}', '{"path": "a\\nb\\u0000]"}', "x" * 9_000],
)
def test_a_pointer_survives_arguments_of_any_kind(arguments: str) -> None:
    text = OffloadShaper().shape(talk(LONG, "bash", arguments), PRESSURE)[2]["content"]
    first = text.split("\n", 1)[0]
    assert first.endswith(" shows it]")
    assert len(first) < 400
    first.encode()


def test_a_pointer_is_shown_only_where_it_gives_the_very_text_back() -> None:
    messages = talk(LONG)
    for stored in (None, "", LONG + " ", LONG[:-1]):
        shaper = OffloadShaper(read_back=lambda own, stored=stored: stored)
        assert shaper.shape(messages, PRESSURE) is messages
    asked: list[int] = []
    shaper = OffloadShaper(read_back=lambda own: asked.append(own) or LONG)
    assert shaper.shape(messages, PRESSURE) == OffloadShaper().shape(messages, PRESSURE)
    assert asked == [2]


def test_what_has_been_read_back_is_not_read_again() -> None:
    asked: list[int] = []
    shaper = OffloadShaper(read_back=lambda own: asked.append(own) or LONG)
    once, again = (shaper.shape(talk(LONG), PRESSURE) for _ in range(2))
    assert once == again
    assert asked == [2]


def test_the_same_shaper_serves_two_transcripts() -> None:
    shaper = OffloadShaper()
    one, other = (shaper.shape(talk(text), PRESSURE)[2]["content"] for text in (LONG, LONG * 2))
    assert one != other
    assert other == shaped_text(LONG * 2)


def test_the_read_back_survives_a_change_of_fields_and_is_no_setting() -> None:
    shaper = with_field(OffloadShaper(read_back=lambda own: None), "max_chars", 100)
    assert shaper.shape(talk(LONG), PRESSURE) == talk(LONG)
    assert replace(shaper, read_back=None).shape(talk(LONG), PRESSURE) != talk(LONG)
    assert [f.name for f in fields_of(shaper)] == ["max_chars", "summary_chars", "kept_tools"]
    assert shaper == OffloadShaper(100)


def test_a_recorded_chain_is_had_again() -> None:
    chain = ShaperPipeline(OffloadShaper(5_000, 700, read_back=lambda own: None, kept_tools=frozenset({"a"})))
    again, missing = restore_chain(json.loads(json.dumps(describe_chain(chain))))
    assert (again, missing) == (chain, [])


@pytest.mark.parametrize(
    "settings", [{"max_chars": 0}, {"max_chars": 2.5}, {"summary_chars": -1}, {"kept_tools": "bash"}]
)
def test_settings_that_cannot_be_used_are_refused_where_they_are_made(settings: dict[str, Any]) -> None:
    with pytest.raises(UsageProblem, match=f"OffloadShaper.{next(iter(settings))} is "):
        OffloadShaper(**settings)
