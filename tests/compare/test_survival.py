"""What survives: facts of a transcript, looked for in every request of a chain."""

from __future__ import annotations

import pytest

from opencollab_nb import AutoCompactShaper, OldHistorySnipShaper, ToolOutputClearShaper, compare
from opencollab_nb.compare import FACT_COLUMNS, what_survives
from opencollab_nb.compare.probes import Probe, facts_of, probes_of
from opencollab_nb.compare.subject import of_messages
from opencollab_nb.messages import Messages
from tests.build import assistant, call, numbered, result, system, task, tool_step, user

WINDOW = 4_000
COUNTS = ["verbatim", "summary", "pointer", "gone"]


def filling(first: int, steps: int = 12) -> Messages:
    return [m for n in range(first, first + steps) for m in tool_step(n, "nothing of note here " * 60)]


def talk() -> Messages:
    """A number and a path are read early and used at the end; an error is met, a decision told."""
    read = [assistant("I look.", call("bash", {"command": "cat it"}, "a"))]
    read.append(result("the limit is 48213 in src/deep/limits.py\nError: cannot open the vault", "a"))
    said = user("Keep the old names. Tell me what you find.", source="user")
    decided = assistant("parser: finished.")
    use = assistant("I set 48213.", call("bash", {"command": "edit src/deep/limits.py"}, "z"))
    return numbered(
        [system(), task("Fix the vault."), *read, said, decided, *filling(1), use, result("ok", "z")]
    )


def kinds_of(messages: Messages) -> dict[str, list[str]]:
    told: dict[str, list[str]] = {}
    for probe in probes_of(of_messages(messages)).all:
        told.setdefault(probe.kind, []).append(probe.text)
    return told


def test_facts_are_read_from_the_transcript_by_kind() -> None:
    assert kinds_of(talk()) == {
        "instruction": ["fix the vault.", "tell me what you find."],
        "constraint": ["keep the old names."],
        "path": ["src/deep/limits.py"],
        "number": ["48213"],
        "error": ["error: cannot open the vault"],
        "decision": ["parser: finished.", "i set 48213."],
    }


def test_items_of_a_todo_tool_are_facts_whatever_it_is_called() -> None:
    items = {"todos": [{"content": "write the parser tests", "status": "pending"}]}
    made = [task(), assistant(None, call("TodoWrite", items)), result("ok")]
    assert kinds_of(numbered(made))["todo"] == ["write the parser tests"]


def test_a_number_is_a_fact_only_where_a_reply_uses_what_somebody_else_had_said() -> None:
    said = [task(), assistant("I take 7151.", call()), result("52301"), assistant("7151 again, and 12.")]
    assert "number" not in kinds_of(numbered(said))


def test_a_path_is_held_by_a_text_that_has_it_with_more_folders_in_front() -> None:
    probe = Probe("path", "src/a.py", 0)
    assert facts_of({"role": "tool", "content": "see /repo/src/a.py:12"}).holds(probe)
    assert not facts_of({"role": "tool", "content": "see /repo/src/a.pyi and xsrc/a.py"}).holds(probe)


def test_every_fact_is_in_one_of_four_places() -> None:
    chains = {"clear": [ToolOutputClearShaper(keep_recent=1)], "snip": [OldHistorySnipShaper()], "all": None}
    frame = what_survives(talk(), chains, window=WINDOW)
    assert (frame[COUNTS].sum(axis=1) == frame["probes"]).all()
    assert (frame["needed_gone"] + frame["needed_pointer"] <= frame["needed"]).all()
    whole = frame[frame["chain"] == "all"]
    assert (whole["verbatim"] == whole["probes"]).all()
    assert whole["needed"].sum() > 0


def at_the_use(chain: object) -> dict[str, int]:
    frame = what_survives(talk(), {"chain": chain}, window=WINDOW, mode="sticky")
    last = frame[(frame["step"] == frame["step"].max()) & frame["kind"].isin(["path", "number"])]
    return {name: int(last[name].sum()) for name in (*COUNTS, "needed", "needed_gone", "needed_pointer")}


def test_what_was_snipped_and_is_used_later_is_needed_and_gone() -> None:
    told = at_the_use([OldHistorySnipShaper()])
    assert (told["gone"], told["needed"], told["needed_gone"], told["needed_pointer"]) == (2, 2, 2, 0)


def test_a_cleared_result_is_behind_a_pointer() -> None:
    told = at_the_use([ToolOutputClearShaper(keep_recent=1)])
    assert (told["pointer"], told["needed_gone"], told["needed_pointer"]) == (2, 0, 2)


def test_what_only_a_summary_says_is_told_apart() -> None:
    told = at_the_use([AutoCompactShaper(lambda request: "The limit of src/deep/limits.py is 48213.")])
    assert (told["summary"], told["verbatim"], told["needed_gone"]) == (2, 0, 0)


def test_facts_grow_old_by_steps() -> None:
    frame = what_survives(talk(), [None], window=WINDOW, mode="sticky")
    numbers = frame[frame["kind"] == "number"]
    assert list(numbers["age"]) == ["0-4"] * 5 + ["5-19"] * (len(numbers) - 5)


def test_the_table_can_count_the_same() -> None:
    frame = compare(talk(), ["default", [OldHistorySnipShaper()]], window=WINDOW, survival=True)
    told = what_survives(talk(), ["default", [OldHistorySnipShaper()]], window=WINDOW)
    sums = told.groupby(["chain", "mode", "step"], sort=False)[["probes", "gone", "needed_gone"]].sum()
    assert list(sums["probes"]) == list(frame["facts"])
    assert list(sums["gone"]) == list(frame["facts_gone"])
    assert list(sums["needed_gone"]) == list(frame["needed_gone"])
    assert list(frame.columns[-len(FACT_COLUMNS) :]) == list(FACT_COLUMNS)


def test_a_real_transcript_has_facts_of_every_kind(shared: object) -> None:
    from pathlib import Path

    from opencollab_nb import load

    file = Path(str(shared)) / "transcripts/claude-code/swebench-haiku45-ml-scientific-hard.jsonl"
    frame = what_survives(load(file), ["default", "summarize"], window=48_000, mode="sticky")
    told = frame.groupby(["chain", "kind"])[["probes", *COUNTS, "needed_gone"]].sum()
    assert len(told.loc["default"]) == 7
    assert told.loc[("default", "constraint"), "gone"] == 0
    assert told.loc[("summarize", "path"), "summary"] > 0
    assert told.loc["summarize"]["gone"].sum() < told.loc["default"]["gone"].sum()
    assert told.loc[("default", "path"), "needed_gone"] == pytest.approx(24, abs=12)
