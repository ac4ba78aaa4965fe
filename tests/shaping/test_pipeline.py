"""The chain: reports, and what a faulty layer cannot do."""

from __future__ import annotations

import pytest

from opencollab_nb.errors import LayerDeclined, UnknownName, UsageProblem
from opencollab_nb.messages import Messages, covers_of, id_of, with_content
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping import (
    POLICIES,
    AutoCompactShaper,
    ContextShedShaper,
    OldHistorySnipShaper,
    ShaperPipeline,
    Summary,
    ToolOutputClearShaper,
    ToolResultBudgetShaper,
    default_pipeline,
)
from opencollab_nb.tokens.usage import Usage
from tests.build import assistant, numbered, system, task, tool_step
from tests.shaping.generate import talk
from tests.shaping.summarizers import Counting

PRESSURE = Pressure.of(16_000)
LONG = numbered([system(), task(), *(m for n in range(40) for m in tool_step(n, "word " * 300))])


def test_each_layer_that_acted_is_reported_with_tokens_and_ids() -> None:
    shaped, everything = default_pipeline().report(LONG, PRESSURE)
    assert [r.layer for r in everything] == [type(s).__name__ for s in default_pipeline().shapers]
    reports = [r for r in everything if r.acted]
    assert [r.layer for r in reports] == ["ToolOutputClearShaper"]
    assert reports[0].tokens_before == PRESSURE.tokens(LONG)
    assert reports[0].tokens_after == PRESSURE.tokens(shaped) <= PRESSURE.target
    assert reports[0].rewritten == tuple(range(3, 73, 2))
    assert reports[0].dropped == reports[0].covered == ()
    assert reports[0].acted
    assert reports[0].problem is None


def test_each_layer_sees_what_the_one_before_left() -> None:
    layers = ShaperPipeline(ToolOutputClearShaper(keep_recent=5), OldHistorySnipShaper(1))
    _, reports = layers.report(LONG, Pressure.of(2_500))
    assert [r.layer for r in reports] == ["ToolOutputClearShaper", "OldHistorySnipShaper"]
    assert reports[1].tokens_before == reports[0].tokens_after
    assert reports[1].dropped


def test_once_the_pressure_is_gone_the_rest_do_nothing_and_calm_chains_return_the_same_object() -> None:
    calm = LONG[:6]
    assert default_pipeline(summarizer=Counting()).shape(calm, PRESSURE) is calm


def test_a_summary_is_reported_with_its_cost_and_what_it_covers() -> None:
    cost = Usage(900, 0, 50)
    chain = ShaperPipeline(AutoCompactShaper(lambda request: Summary("They talked.", cost)))
    messages = [*numbered([system(), task()]), *talk(100)]
    shaped, [report] = chain.report(messages, PRESSURE)
    assert report.summary is not None
    assert report.summary.usage == cost
    assert report.covered == tuple(range(2, 98))
    assert report.dropped == ()
    _, [again] = chain.report(messages, PRESSURE)
    assert again.summary is None
    assert covers_of(shaped[2]) == [[2, 97]]


def test_a_layer_that_raises_is_skipped_and_the_line_is_named() -> None:
    def faulty(messages: Messages, pressure: Pressure) -> Messages:
        return [messages[999]]

    line = faulty.__code__.co_firstlineno + 1
    shaped, reports = ShaperPipeline(faulty, ToolOutputClearShaper()).report(LONG, PRESSURE)
    assert reports[0].layer == "faulty"
    assert reports[0].problem == f"IndexError: list index out of range (line {line} in faulty)"
    assert not reports[0].acted
    assert reports[1].layer == "ToolOutputClearShaper"
    assert shaped is not LONG


def test_a_layer_that_declines_is_skipped_with_its_reason_and_its_cost() -> None:
    cost = Summary("half", Usage(9, 0, 9), "length")

    def declines(messages: Messages, pressure: Pressure) -> Messages:
        raise LayerDeclined("not today", summary=cost)

    shaped, [report] = ShaperPipeline(declines).report(LONG, PRESSURE)
    assert shaped is LONG
    assert report.problem == "not today"
    assert report.summary == cost


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda messages: None, "returned NoneType"),
        (lambda messages: [], "no message at all"),
        (lambda messages: ["text"], "where a message"),
        (lambda messages: messages[1:], "breaks the law `pinned`"),
        (lambda messages: [m for m in messages if m["role"] != "tool"], "breaks the law `paired`"),
        (lambda messages: [*messages, messages[-1]], "breaks the law `accounted`"),
        (lambda messages: [*messages, {"role": "user", "content": "x"}], "breaks the law `accounted`"),
        (lambda messages: messages[:-2], "breaks the law `sendable`"),
        (lambda messages: [*messages[:-1], with_content(messages[-1], {1, 2})], "breaks the law `sendable`"),
    ],
)
def test_an_output_that_could_not_be_sent_is_refused_with_the_laws_sentence(spoil: object, why: str) -> None:
    def wrong(messages: Messages, pressure: Pressure) -> Messages:
        return spoil(messages)  # type: ignore[operator,no-any-return]

    shaped, [report] = ShaperPipeline(wrong).report(LONG, PRESSURE)
    assert shaped is LONG
    assert why in (report.problem or "")


def test_a_layer_that_edits_its_input_reaches_neither_view_nor_transcript() -> None:
    def edits(messages: Messages, pressure: Pressure) -> Messages:
        messages[3]["content"] = "gone"
        messages.pop()
        return messages

    before = [dict(m) for m in LONG]
    shaped, [report] = ShaperPipeline(edits).report(LONG, PRESSURE)
    assert before == LONG
    assert shaped is LONG
    assert report.problem


def test_a_layer_from_outside_that_changes_nothing_is_not_reported() -> None:
    def copies(messages: Messages, pressure: Pressure) -> Messages:
        return list(messages)

    shaped, reports = ShaperPipeline(copies).report(LONG, PRESSURE)
    assert shaped is LONG
    assert not reports[0].matters


def test_a_plain_function_is_a_shaper_and_unchanged_messages_stay_our_objects() -> None:
    def drops_chat(messages: Messages, pressure: Pressure) -> Messages:
        return [m for m in messages if m.get("content") != "chat"]

    messages = numbered([system(), task(), assistant("chat"), *tool_step(1)])
    shaped, [report] = ShaperPipeline(drops_chat).report(messages, PRESSURE)
    assert report.dropped == (2,)
    assert [id_of(m) for m in shaped] == [0, 1, 3, 4]
    assert all(m is messages[id_of(m)] for m in shaped)  # type: ignore[index]


@pytest.mark.parametrize("odd", [None, 3, "default", ToolOutputClearShaper, object()])
def test_what_is_no_shaper_is_refused_when_the_chain_is_made(odd: object) -> None:
    with pytest.raises(UsageProblem, match="is no shaper"):
        ShaperPipeline(odd)  # type: ignore[arg-type]


def test_an_unknown_time_to_act_is_refused() -> None:
    def odd(messages: Messages, pressure: Pressure) -> Messages:
        return messages

    odd.acts = "sometimes"  # type: ignore[attr-defined]
    with pytest.raises(UsageProblem, match=r"sometimes.*each, over, always"):
        ShaperPipeline(odd)


def test_chains_are_values_and_nested_ones_are_flat() -> None:
    inner = ShaperPipeline(ToolOutputClearShaper(), OldHistorySnipShaper())
    assert ShaperPipeline(ToolResultBudgetShaper(), inner).shapers == (
        ToolResultBudgetShaper(),
        *inner.shapers,
    )
    assert ShaperPipeline(OldHistorySnipShaper()) == ShaperPipeline(OldHistorySnipShaper())
    assert eval(repr(inner), globals()) == inner


def test_a_summarizer_is_put_into_every_compacting_layer() -> None:
    counting = Counting()
    chain = default_pipeline().with_summarizer(counting)
    assert [s.summarizer for s in chain.shapers if isinstance(s, AutoCompactShaper)] == [counting]


def test_the_policies_are_these_chains() -> None:
    kinds = {policy: [type(s) for s in default_pipeline(policy).shapers] for policy in POLICIES}
    cheap = [ToolResultBudgetShaper, ContextShedShaper, ToolOutputClearShaper]
    assert kinds == {
        "default": [*cheap, OldHistorySnipShaper, AutoCompactShaper],
        "summarize": [*cheap, AutoCompactShaper],
        "no_history_compaction": [ToolResultBudgetShaper],
    }
    with pytest.raises(UnknownName, match="did you mean 'summarize'"):
        default_pipeline("sumarize")
    assert default_pipeline(tool_result_budget=900).shapers[0] == ToolResultBudgetShaper(900)
