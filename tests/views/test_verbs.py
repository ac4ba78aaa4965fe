"""The table of verbs, and chains written on a line."""

from __future__ import annotations

import pytest

from opencollab_nb import OldHistorySnipShaper, ShaperPipeline, ToolOutputClearShaper
from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.shaping.policies import POLICIES
from opencollab_nb.views.chains import read_chain, shaper_names
from opencollab_nb.views.names import Names
from opencollab_nb.views.verbs import VERBS, all_help, short_help, verb_help, verb_named


def drop_nothing(messages: list, pressure: object) -> list:
    return messages


class Mine:
    def shape(self, messages: list, pressure: object) -> list:
        return messages


def test_every_verb_of_the_contract_is_in_the_table() -> None:
    names = {verb.name for verb in VERBS}
    assert {"step", "run", "pause", "stop", "context", "shapers", "use", "summarizer"} <= names
    assert {"pressure", "transcript", "resume", "help"} <= names
    assert len(names) == len(VERBS)


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_help_comes_from_the_table(verb: object) -> None:
    assert verb.usage in repr(all_help())
    assert verb.help in repr(verb_help(verb.name))
    assert all(flag.name in repr(verb_help(verb.name)) for flag in verb.flags)


def test_an_unknown_verb_is_answered_with_the_nearest_one() -> None:
    with pytest.raises(UnknownName, match="'transcirpt'; did you mean 'transcript'"):
        verb_named("transcirpt")


def test_short_help_is_three_lines() -> None:
    assert len(repr(short_help(Names())).splitlines()) == 3


@pytest.mark.parametrize("policy", POLICIES)
def test_use_takes_a_policy(policy: str) -> None:
    assert read_chain([policy], {}) == [policy]


def test_use_takes_shapers_with_and_without_literals() -> None:
    chain = read_chain(["ToolOutputClearShaper(keep_recent=3, stub='[gone]')", "OldHistorySnipShaper"], {})
    assert chain == [ToolOutputClearShaper(keep_recent=3, stub="[gone]"), OldHistorySnipShaper()]


def test_use_takes_names_of_the_notebook() -> None:
    pipeline = ShaperPipeline(OldHistorySnipShaper())
    names = {"mine": pipeline, "drop": drop_nothing, "Mine": Mine}
    assert read_chain(["mine"], names) == [pipeline]
    assert read_chain(["drop"], names) == [drop_nothing]
    assert isinstance(read_chain(["Mine"], names)[0], Mine)
    assert isinstance(read_chain(["Mine()"], names)[0], Mine)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "use what"),
        (["sumarize"], "did you mean 'summarize'"),
        (["OldHistorySnipShapr()"], "did you mean 'OldHistorySnipShaper'"),
        (["ToolOutputClearShaper(keep_recnt=3)"], "did you mean 'keep_recent'"),
        (["ToolOutputClearShaper(keep_recent=open('x'))"], "must be Python literals"),
        (["ToolOutputClearShaper(keep_recent=n)"], "must be Python literals"),
        (["ToolOutputClearShaper(*[3])"], "must be Python literals"),
        (["ToolOutputClearShaper(**{'keep_recent': 3})"], "must be Python literals"),
        (["__import__('os').system('x')"], "not"),
        (["3"], "not '3'"),
        (["a b"], "not 'a b'"),
        (["x.y"], "not 'x.y'"),
    ],
)
def test_what_use_cannot_read_is_named_and_never_evaluated(words: list[str], said: str) -> None:
    with pytest.raises(UsageProblem, match=said):
        read_chain(words, {"n": 3})


def test_shipped_shapers_are_offered() -> None:
    assert "AutoCompactShaper" in shaper_names()
    assert {"OffloadShaper", "SegmentCompactShaper"} <= set(shaper_names())
    assert len(shaper_names()) == 8
