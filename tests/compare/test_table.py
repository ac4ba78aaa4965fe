"""`compare`: many chains on many transcripts, one tidy row a request."""

from __future__ import annotations

import pickle
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb import OldHistorySnipShaper as snip
from opencollab_nb import compare, load, prefix_kept
from opencollab_nb.compare import COLUMNS, pressure_curve, rows_of
from opencollab_nb.compare.subject import subjects_of
from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import Messages
from opencollab_nb.shaping import ShaperPipeline, ToolOutputClearShaper
from opencollab_nb.tokens.usage import Usage
from opencollab_nb.transcript import Compacted, Origin, Sent, Transcript
from tests.build import numbered, system, task, tool_step
from tests.compare.runs import pressed

STEPS = 20


def talk(steps: int = STEPS, chars: int = 3_000) -> Messages:
    made = [m for n in range(steps) for m in tool_step(n, f"line {n} " * (chars // 7))]
    return numbered([system(), task(), *made])


def imported(messages: Messages, usages: list[Usage | None] | None = None, **facts: Any) -> Transcript:
    """A transcript as an importer gives it: every assistant message is the reply of one call."""
    replies = [at for at, message in enumerate(messages) if message["role"] == "assistant"]
    told = usages or [None] * len(replies)
    sent = tuple(Sent(at, at, usage, "gpt-4o") for at, usage in zip(replies, told, strict=True))
    return Transcript.of(messages, origin=Origin("chat", "a.json", "a", sent, **facts))


def test_one_row_for_each_step_chain_mode_and_window() -> None:
    frame = compare({"one": talk(), "two": talk(4)}, ["default", None], window=[16_000, 32_000])
    assert len(frame) == (STEPS + 4) * 2 * 2 * 2
    key = ["transcript", "chain", "mode", "window", "step"]
    assert not frame.duplicated(key).any()
    assert list(frame.columns) == list(COLUMNS)
    assert sorted(frame["mode"].unique()) == ["stateless", "sticky"]


def test_a_row_is_what_the_projection_sends() -> None:
    session = pressed(steps=12)
    frame = compare(session, ["default"], mode="sticky")
    curve = pressure_curve(session, "default")
    assert list(frame["step"]) == [point.step for point in curve]
    assert list(frame["tokens"]) == [point.tokens for point in curve]
    told = [tuple(filter(None, layers.split(", "))) for layers in frame["layers"]]
    assert told == [point.layers for point in curve]


def test_sums_add_up_and_the_parts_of_the_input_are_all_of_it() -> None:
    frame = compare(talk(), ["default", None], window=12_000, model="gpt-4o")
    parts = frame["uncached_tokens"] + frame["cached_tokens"] + frame["write_tokens"]
    assert (parts == frame["tokens"]).all()
    for _, run in frame.groupby(["chain", "mode"]):
        assert (run["tokens"].cumsum() == run["cumulative_tokens"]).all()
        assert run["cumulative_dollars"].iloc[-1] == pytest.approx(run["dollars"].sum())
    assert (frame["prefix_kept_tokens"] <= frame["tokens"]).all()
    assert (frame.loc[frame["step"] == 1, "cached_tokens"] == 0).all()


def test_a_smaller_window_shows_what_would_have_overflowed() -> None:
    frame = compare(talk(), ["default", None], window=8_000, mode="sticky")
    whole, shaped = frame[frame["chain"] == "no shaping"], frame[frame["chain"] == "default"]
    assert shaped["fits"].all()
    assert not whole["fits"].iloc[-1]
    assert (whole["overflow_tokens"] == (whole["tokens"] - 8_000).clip(lower=0)).all()
    assert (whole["tokens"] == whole["whole_tokens"]).all()
    assert (shaped["whole_tokens"].values == whole["whole_tokens"].values).all()


def test_what_is_lost_is_told_by_ids() -> None:
    frame = compare(talk(), [ShaperPipeline(ToolOutputClearShaper(keep_recent=1)), None], window=8_000)
    assert (frame.loc[frame["chain"] == "no shaping", "lost"] == "").all()
    cleared = frame[frame["lost_messages"] > 0].iloc[-1]
    assert cleared["lost"].startswith("3, 5, 7")
    assert cleared["lost_messages"] == len(cleared["lost"].split(", "))
    assert cleared["chain"] == "ToolOutputClearShaper(keep_recent=1)"


def test_reported_usage_corrects_the_weights_of_the_calls_after_it() -> None:
    messages = talk(chars=6_000)
    plain = compare(imported(messages), [None], mode="sticky", window=200_000)
    reports = [Usage(tokens * 2, 0, 10) for tokens in plain["tokens"]]
    taught = compare(imported(messages, list(reports)), [None], mode="sticky", window=200_000)
    assert list(taught["source"].unique()) == ["counted", "calibrated"]
    assert taught["tokens"].iloc[-1] == pytest.approx(2 * plain["tokens"].iloc[-1], rel=0.01)
    assert (taught["output_tokens"] == 10).all()


def test_reports_of_another_tokenizer_teach_nothing_where_tokens_can_be_counted() -> None:
    messages = talk(chars=6_000)
    reports = [Usage(100_000 + n) for n in range(STEPS)]
    frame = compare(imported(messages, list(reports)), [None], mode="sticky", model="gpt-4.1")
    assert list(frame["source"].unique()) == ["counted"]
    assert frame["tokens"].iloc[-1] < 60_000


def test_what_the_file_does_not_hold_is_counted_as_overhead() -> None:
    plain = compare(imported(talk(2)), [None], window=32_000)
    more = compare(imported(talk(2), constant_tokens=9_000), [None], window=32_000)
    assert (more["tokens"] - plain["tokens"] == 9_000).all()
    # It stands in front of all, so a cache serves it from the second request on.
    assert more.loc[more["step"] == 2, "cached_tokens"].min() == 70 * 128


def test_a_compaction_of_the_file_is_what_its_reports_are_about_and_no_chain_starts_from_it() -> None:
    messages = talk(chars=6_000)
    plain = compare(imported(messages), [None], mode="sticky", window=200_000)["tokens"]
    half = len(messages) // 2
    compacted = (Compacted(half, [[2, half - 1]], "They read lines."),)
    after = [Usage(int(tokens)) for tokens in plain[: STEPS // 2]] + [Usage(9_000)] * (STEPS - STEPS // 2)
    frame = compare(
        imported(messages, list(after), compactions=compacted), [None], mode="sticky", window=200_000
    )
    assert frame["tokens"].iloc[-1] > 0.5 * plain.iloc[-1]
    assert frame["lost_messages"].max() == 0


def test_prefix_is_that_of_two_requests_by_the_weights_in_force() -> None:
    messages = talk(3)
    frame = compare(messages, [None], window=32_000, mode="sticky")
    assert frame["prefix_kept_tokens"].iloc[-1] == prefix_kept(messages[:4], messages[:6])


def test_modes_and_chains_pay_for_their_own_summaries() -> None:
    calls = []

    def shorten(request: Any) -> str:
        calls.append(request)
        return "They read lines."

    from opencollab_nb import AutoCompactShaper

    frame = compare(talk(), {"sum": [AutoCompactShaper(shorten)]}, window=8_000)
    counts = frame[frame["summaries"] > 0].groupby("mode").size()
    assert set(counts.index) == {"sticky", "stateless"}
    sticky = compare(talk(), {"sum": [AutoCompactShaper(shorten)]}, window=8_000, mode="sticky")
    assert sticky["summaries"].max() == 1
    assert len(calls) > len(frame) // 4


def test_no_model_no_prices() -> None:
    frame = compare(talk(2), ["default"], window=16_000)
    assert frame["dollars"].isna().all()
    priced = compare(talk(2), ["default"], window=16_000, prices={"input": 1, "cached": 0.1, "output": 2})
    assert (priced["dollars"] > 0).all()


def test_rows_can_be_made_in_any_process() -> None:
    subject = subjects_of(imported(talk()))[0]
    again = pickle.loads(pickle.dumps(subject))
    assert rows_of(again, "default", window=8_000) == rows_of(subject, "default", window=8_000)


def test_of_several_transcripts_those_without_a_call_are_left_out() -> None:
    silent = [{"role": "user", "content": "hi"}]
    assert [one.name for one in subjects_of({"silent": silent, "talk": talk(1)})] == ["talk"]


def test_six_chains_on_a_thousand_messages_take_seconds(shared: Path) -> None:
    # Usually 1.5 s; together with the stateless mode it is about six times as much.
    chains = ["default", "summarize", "no_history_compaction", [ToolOutputClearShaper()], [snip()], None]
    subject = subjects_of(load(shared / "transcripts/pi/before-compaction.jsonl"))
    begun = time.process_time()
    frame = compare(subject, chains, mode="sticky")
    assert time.process_time() - begun <= 10
    assert len(frame) == 6 * 471


def test_a_list_of_transcripts_gets_names_of_its_own() -> None:
    names = [one.name for one in subjects_of([talk(1), talk(1), imported(talk(1))])]
    assert names == ["messages", "messages (2)", "a"]


@pytest.mark.parametrize(
    ("transcripts", "chains", "settings", "told"),
    [
        ([], ["default"], {}, "no transcript to compare on"),
        (5, ["default"], {}, "5 is no transcript"),
        ([{"role": "user", "content": "hi"}], ["default"], {}, "'messages' holds no reply of a model"),
        (talk(1), [], {}, "no chain to compare"),
        (talk(1), ["defualt"], {}, "did you mean 'default'"),
        (talk(1), [7], {}, "7 is no shaper"),
        (talk(1), ["default"], {"mode": "stick"}, "did you mean 'sticky'"),
        (talk(1), ["default"], {"window": 12}, "window 12"),
        (talk(1), ["default"], {"window": []}, "give at least one"),
        (talk(1), ["default"], {"prices": "nobody-knows-me"}, "no prices of"),
    ],
)
def test_what_cannot_be_compared_is_named(transcripts: Any, chains: Any, settings: Any, told: str) -> None:
    with pytest.raises(UsageProblem, match=told):
        compare(transcripts, chains, **settings)


def test_the_name_stands_for_the_function_however_the_room_was_imported() -> None:
    code = (
        "import opencollab_nb.compare, opencollab_nb.compare.rows, inspect\n"
        "from opencollab_nb import compare, what_if\n"
        "from opencollab_nb.compare import compare as function\n"
        "assert callable(compare) and 'chains' in inspect.signature(compare).parameters\n"
        "print(len(compare([{'role': 'user', 'content': 'a'}, {'role': 'assistant', 'content': 'b'}], "
        "['default'])), len(function([{'role': 'assistant', 'content': 'b'}], 'default')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.stdout.strip(), done.stderr) == ("2 2", "")
