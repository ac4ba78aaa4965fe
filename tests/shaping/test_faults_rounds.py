"""Known faults of summaries, of loops, and of what happens from step to step."""

from __future__ import annotations

from itertools import pairwise

from opencollab_nb.messages import Messages, covers_of, text_of, wire
from opencollab_nb.pressure import Pressure
from opencollab_nb.shaping import Projection, SummaryRequest, default_pipeline
from tests.build import assistant, call, numbered, result, system, task, user
from tests.shaping.generate import session, talk
from tests.shaping.test_projection import HEAD, PRESSURE, feed

LONG: Messages = [*HEAD, *talk(120)]


def summarized(answer: object) -> tuple[Messages, list[str]]:
    """The view after one round with this summarizer, and the problems shown."""
    chain = default_pipeline("summarize", summarizer=lambda request: answer)  # type: ignore[arg-type,return-value]
    got = Projection(chain).project(LONG, PRESSURE)
    return got.messages, [r.problem for r in got.reports if r.problem]


def test_fault_44_summaries_of_summaries_stay_one_flat_block_within_a_quarter_of_the_target() -> None:
    def echoes(request: SummaryRequest) -> str:
        return f"{request.former or ''}\n{request.text}"[: 2 * request.max_tokens]

    projection = Projection(default_pipeline("summarize", summarizer=echoes))
    for got in feed(projection, [*HEAD, *talk(500)]):
        blocks = [m for m in got.messages if covers_of(m)]
        assert len(blocks) <= 1
        for block in blocks:
            assert text_of(block).count("[Context auto-compacted") == 1
            assert PRESSURE.weight([block]) <= PRESSURE.target // 4


def test_fault_47_a_summarizer_gets_flat_text_not_tool_messages() -> None:
    requests: list[SummaryRequest] = []

    def keeps(request: SummaryRequest) -> str:
        requests.append(request)
        return "They worked."

    projection = Projection(default_pipeline("summarize", summarizer=keeps))
    for messages in session(400, tool="apply_patch"):
        projection.project(messages, Pressure.of(16_000))
    assert requests
    assert all("CALL of apply_patch" in r.text and "RESULT of apply_patch" in r.text for r in requests)


def test_fault_49_the_summary_stands_before_what_is_newer_and_says_so() -> None:
    view, _ = summarized("Next: do X.")
    at = next(at for at, m in enumerate(view) if covers_of(m))
    assert "whatever follows it is newer" in text_of(view[at])
    assert view[at + 1 :] == LONG[-4:]


def test_fault_53_a_round_without_progress_is_not_repeated_at_each_step() -> None:
    def keeps_all(messages: Messages, pressure: Pressure) -> Messages:
        calls.append(len(messages))
        return messages

    calls: list[int] = []
    chain = default_pipeline("no_history_compaction")
    projection = Projection(type(chain)(*chain.shapers, keeps_all))
    views = feed(projection, [*HEAD, *talk(300)])
    assert sum(got.tokens > PRESSURE.trigger for got in views) > 100
    assert 1 < len(calls) < 12


def test_fault_54_two_messages_one_of_them_giant_are_cut_in_place() -> None:
    pressure = Pressure.of(32_000)
    messages = numbered([user("read it"), assistant(None, call()), result("word " * 180_000)])
    got = Projection(default_pipeline()).project(messages, pressure)
    assert got.tokens <= pressure.trigger
    pasted = numbered([task("read it"), user("word " * 180_000)])
    sent = Projection(default_pipeline())
    first = sent.project(pasted, pressure)
    assert sent.project(pasted, pressure.after_refusal(first.messages)).tokens <= pressure.trigger


def test_fault_56_with_nothing_to_remove_the_same_object_says_so() -> None:
    projection = Projection(default_pipeline())
    messages = numbered([system("s" * 300_000), task()])
    sent = projection.project(messages, PRESSURE)
    assert projection.project(messages, PRESSURE.after_refusal(sent.messages)).messages is sent.messages


def test_fault_57_after_a_round_the_bytes_stay_until_the_next_one() -> None:
    projection, rounds, before = Projection(default_pipeline()), 0, []
    for messages in session(400):
        got = projection.project(messages, Pressure.of(32_000))
        if got.changed:
            rounds += 1
        else:
            assert [wire(m) for m in got.messages[: len(before)]] == [wire(m) for m in before]
        before = got.messages
    assert 3 < rounds < 60


def test_fault_68_projecting_twice_counts_nothing_twice() -> None:
    projection = Projection(default_pipeline())
    first = projection.project(LONG[:20], PRESSURE)
    again = projection.project(LONG[:20], PRESSURE)
    assert again.tokens == first.tokens
    assert again.messages is first.messages


def test_fault_69_a_round_is_not_followed_by_another_at_once() -> None:
    projection, pressure = Projection(default_pipeline()), Pressure.of(32_000)
    changed = [projection.project(messages, pressure).changed for messages in session(300)]
    assert any(changed)
    assert not any(one and two for one, two in pairwise(changed))
