"""Known faults of content shapes, media, reasoning, roles and encoding."""

from __future__ import annotations

import json
from typing import Any

from opencollab_nb.messages import call_arguments, is_system, text_of, tool_calls_of, wire
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping import Projection, ToolResultBudgetShaper, default_pipeline
from opencollab_nb.shaping.cut import text_chars
from opencollab_nb.shaping.flat import chunks
from opencollab_nb.shaping.forced import forced_caps
from tests.build import assistant, call, numbered, result, system, task, tool_step, user
from tests.shaping.tight import LONG, chains, outcomes

OLD = [m for n in range(6) for m in tool_step(100 + n, LONG)]
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 3_000_000}}
PRESSURE = Pressure.of(32_000)


def test_fault_24_an_image_opens_no_round_by_the_size_of_its_encoding() -> None:
    messages = numbered([user([{"type": "text", "text": "look"}, PICTURE])])
    got = Projection(default_pipeline()).project(messages, PRESSURE)
    assert got.tokens < 1_100
    assert not got.reports


def test_fault_25_base64_inside_text_is_cut_by_what_it_really_weighs() -> None:
    messages = [result("data:image/png;base64," + "A" * 1_000_000)]
    [cut] = ToolResultBudgetShaper(max_chars=10**7).shape(messages, PRESSURE)
    assert text_chars(cut["content"]) < 0.75 * 3 * PRESSURE.target // 2


def test_fault_27_a_first_message_with_an_image_does_not_block_the_rest() -> None:
    messages = numbered([user([{"type": "text", "text": "look"}, PICTURE]), *OLD * 7])
    got = Projection(default_pipeline()).project(messages, Pressure.of(16_000))
    assert got.tokens <= Pressure.of(16_000).trigger


def test_fault_28_the_result_that_overflowed_is_clipped_for_the_summarizer() -> None:
    messages = numbered([assistant(None, call()), result("x y " * 400_000)])
    for size in (None, 4_000):
        text = "".join(chunk.text for chunk in chunks(messages, size, PRESSURE))
        assert PRESSURE.weight([user(text)]) <= (size or PRESSURE.trigger // 2) + 50


def test_fault_30_a_result_of_parts_is_counted_cut_and_rendered() -> None:
    parts = [{"type": "text", "text": LONG * 40}, {"type": "image_url", "image_url": {"url": "u"}}]
    for _, after in outcomes([user("a"), *tool_step(1, parts), *OLD]):
        json.dumps(after)
    [chunk] = chunks(numbered(tool_step(1, parts)), None, PRESSURE)
    assert "[image_url]" in chunk.text


def test_fault_31_a_part_without_its_list_and_a_number_stop_no_layer() -> None:
    pressure = Pressure.of(1_024, overhead_tokens=700)
    for content in ({"type": "text", "text": LONG}, 5, [None, ["a"], {"type": "text", "text": None}]):
        messages = numbered([user("a"), *tool_step(1, content), *OLD])
        for chain in chains():
            _, reports = chain.report(messages, pressure)
            assert [r.problem for r in reports if r.problem and "summary" not in r.problem] == []


def test_fault_31_a_list_that_is_cut_stays_a_list() -> None:
    [cut] = ToolResultBudgetShaper(300).shape([result([{"type": "text", "text": LONG}])], PRESSURE)
    assert isinstance(cut["content"], list)
    assert text_chars(cut["content"]) <= 300


def test_fault_33_of_structured_outputs_text_is_previewed_and_opaque_kinds_are_named() -> None:
    parts = [
        {"type": "input_text", "text": LONG * 9},
        {"type": "input_image", "image_url": "data:image/png;base64," + "A" * 900},
        {"type": "input_file", "file_data": "A" * 900},
    ]
    [kept] = ToolResultBudgetShaper(300).shape([result(parts)], PRESSURE)
    assert [part["type"] for part in kept["content"]] == ["input_text", "input_image", "input_file"]
    [named] = ToolResultBudgetShaper(300).shape([result(parts)], Pressure.of(1_024))
    assert [part["type"] for part in named["content"]] == ["input_text"] * len(named["content"])
    assert "left out]" in text_of(named) or text_chars(named["content"]) <= 300


def test_fault_34_tool_messages_are_not_skipped_by_a_small_limit() -> None:
    [cut] = ToolResultBudgetShaper().shape([result("word " * 100_000)], Pressure.of(1_024))
    assert Pressure.of().weight([cut]) <= Pressure.of(1_024).target // 2


def test_fault_35_the_reasoning_of_a_turn_stays_with_it_or_leaves_with_it() -> None:
    def thinking(number: int) -> list[Any]:
        head, answer = tool_step(number, LONG)
        return [{**head, "reasoning_content": f"thought {number}"}, answer]

    for before, after in outcomes([user("a"), *(m for n in range(8) for m in thinking(n))]):
        assert all(m in before for m in after if m["role"] == "assistant" and "reasoning_content" in m)
        assert all("reasoning_content" in m for m in after if tool_calls_of(m))


def test_fault_38_a_reasoning_part_is_counted_and_does_not_break_a_cut() -> None:
    parts = [{"type": "text", "text": LONG}, {"type": "reasoning", "summary": [{"text": "why " * 900}]}]
    message = assistant(None) | {"content": parts}
    assert PRESSURE.weight([message]) > 1_000  # type: ignore[list-item]
    for _, after in outcomes([user("a"), message, *OLD]):  # type: ignore[list-item]
        json.dumps(after)


def test_fault_39_unknown_keys_are_kept_when_a_message_is_rewritten() -> None:
    long = {**result(LONG * 40), "provider_key": {"a": 1}}
    [cut] = ToolResultBudgetShaper(300).shape([long], PRESSURE)  # type: ignore[list-item]
    assert wire(cut)["provider_key"] == {"a": 1}


def test_fault_78_the_system_message_comes_out_first_and_byte_for_byte() -> None:
    for before, after in outcomes([system("You are a coder.\n" * 40), user("a"), *OLD]):
        assert after[0] is before[0]


def test_fault_79_no_system_message_is_added_or_moved() -> None:
    for before, after in outcomes([system(), user("a"), *OLD]):
        assert [m for m in after if is_system(m)] == [m for m in before if is_system(m)]


def test_fault_82_context_is_in_the_view_once_however_often_it_is_shaped() -> None:
    packet = user("project notes " * 60, source="context", priority=30)
    for _, after in outcomes([system(), task(), packet, *OLD]):
        assert sum(text_of(m).startswith("project notes") for m in after) <= 1


def test_fault_84_broken_arguments_do_not_stop_shaping_and_the_transcript_keeps_them() -> None:
    for arguments in ("", '{"value": ', "[1]", "null", '{"a": ' * 3_000):
        broken = [assistant(None, call("bash", arguments, "b")), result(LONG, "b")]
        for before, _ in outcomes([user("a"), *broken, *OLD]):
            assert call_arguments(tool_calls_of(before[1])[0]) == arguments


def test_fault_85_long_arguments_are_shortened_by_value_with_keys_and_short_values_kept() -> None:
    arguments = {"path": "a.py", "content": "word " * 20_000}
    messages = numbered([user("a"), assistant(None, call("write_file", arguments)), result("ok")])
    cut = forced_caps(messages, Pressure.of(4_000, forced=True))
    value = json.loads(call_arguments(tool_calls_of(cut[1])[0]))
    assert list(value) == ["path", "content"]
    assert value["path"] == "a.py"


def test_fault_87_no_cut_through_a_surrogate_pair_and_a_lone_one_does_not_crash() -> None:
    for text in ("a" * 9 + "🦊" * 40, "a" * 9 + "\ud83e\udd8a" * 40, "\ud83e" * 90):
        for cap in (9, 10, 11, 50):
            [cut] = ToolResultBudgetShaper(cap).shape([result(text)], PRESSURE)
            assert text_chars(cut["content"]) <= cap
            assert text.isprintable() or cut["content"][-1:] != "\ud83e" or "\udd8a" not in text
        for _, after in outcomes([user("a"), *tool_step(1, text * 90), *OLD]):
            assert after


def test_fault_87_a_result_of_halves_of_pairs_is_never_cut_to_nothing() -> None:
    for text in ("\ud83e" * 50, "\ud83e\udd8a" * 50):
        for content in (text, [{"type": "text", "text": text}], [text]):
            for cap in (1, 2, 3):
                [cut] = ToolResultBudgetShaper(cap).shape([result(content)], PRESSURE)
                assert 1 <= text_chars(cut["content"]) <= cap
                json.dumps(cut, ensure_ascii=False).encode()


def test_fault_90_error_results_are_cut_like_all_others() -> None:
    errors = [m for n in range(4) for m in tool_step(n, "Error: " + "trace " * 17_000)]
    messages = numbered(
        [user("a"), *({**m, "status": "error"} if m["role"] == "tool" else m for m in errors)]
    )
    shaped = ToolResultBudgetShaper().shape(messages, PRESSURE)  # type: ignore[arg-type]
    assert all(text_chars(m["content"]) <= 16_000 for m in shaped if m["role"] == "tool")


def test_fault_91_one_result_over_half_the_budget_is_cut() -> None:
    pressure = Pressure.of(32_000)
    messages = numbered([user("a"), assistant(None, call()), result("word " * 17_000)])
    shaped = ToolResultBudgetShaper(max_chars=10**7).shape(messages, pressure)
    assert pressure.weight(shaped[2:]) <= pressure.target // 2


def test_fault_35_a_forced_cut_leaves_reasoning_parts_as_they_came() -> None:
    thought = {"type": "thinking", "thinking": "why " * 3_000, "signature": "s" * 200}
    said = {"type": "text", "text": "word " * 9_000}
    last: Any = {**assistant(None, call()), "content": [thought, said]}
    messages = numbered([user("a"), last, result("ok")])
    cut = forced_caps(messages, Pressure.of(4_000, forced=True))
    assert cut[1]["content"][0] == thought  # type: ignore[index]
    assert len(cut[1]["content"][1]["text"]) < 2_000  # type: ignore[index]
