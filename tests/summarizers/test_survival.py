"""What a summary keeps of its segment, and what it makes up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb import ExtractiveSummarizer, SummaryRequest
from opencollab_nb.summarizers.facts import (
    constraints,
    goals,
    numbers,
    open_tasks,
    paths,
    segment_text,
    sentences,
)
from opencollab_nb.summarizers.survival import survival
from tests.build import assistant, call, result, user

TALK = [
    user(
        "Please add a retry to src/net/client.py. It must wait at most 30 seconds. Do not change the tests."
    ),
    assistant("Looking.", call("file_read", {"path": "src/net/client.py"})),
    result("    1\timport time\n    2\tTIMEOUT = 4096\n"),
    assistant("The limit is 4096. TODO: write a test for the retry."),
]


def test_a_summary_that_quotes_everything_loses_nothing_and_makes_up_nothing() -> None:
    found = survival(TALK, segment_text(TALK))
    assert all(kept.kept and not kept.lost for kept in found.kinds)
    assert not found.new_paths
    assert not found.new_numbers


def test_an_empty_summary_loses_everything() -> None:
    assert all(kept.lost and not kept.kept for kept in survival(TALK, "").kinds)


def test_goals_constraints_and_open_tasks_are_told_apart() -> None:
    assert goals(TALK) == ["Please add a retry to src/net/client.py."]
    assert constraints(TALK) == ["It must wait at most 30 seconds.", "Do not change the tests."]
    assert open_tasks(TALK) == ["TODO: write a test for the retry."]


def test_a_constraint_survives_in_other_words_but_not_without_its_no() -> None:
    kept = survival(TALK, "- change to the tests: not allowed, do not change them").of("constraints").kept
    assert "Do not change the tests." in kept
    assert "Do not change the tests." in survival(TALK, "change the tests").of("constraints").lost


def test_what_the_segment_never_had_is_named() -> None:
    found = survival(TALK, "Fixed in src/net/server.py, line 118, limit 4,096.")
    assert found.new_paths == ("src/net/server.py",)
    assert found.new_numbers == ("118",)


def test_what_stands_in_the_anchors_or_the_former_summary_is_not_made_up() -> None:
    text = "See docs/plan.md: 512 units."
    assert survival(TALK, text).new_paths == ("docs/plan.md",)
    assert not survival(TALK, text, anchors=text).new_paths
    assert not survival(TALK, text, former=text).new_numbers
    assert "docs/plan.md" in survival(TALK, "", former=text).of("paths").lost


def test_a_path_may_be_shortened_at_its_front() -> None:
    found = survival(TALK, "the client is net/client.py")
    assert found.of("paths").kept == ("src/net/client.py",)
    assert not found.new_paths


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1,024 and 1_024 and 1024", {"1024"}),
        ("0.50 and 0.5", {"0.5"}),
        ("7 of 9", set()),
        ("at 10:59 on 2026-01-31", set()),
        ("call_12ab v22 x=33", {"33"}),
        ("-40 and 99%", {"-40", "99"}),
        ("a/b2025-11.log", set()),
    ],
)
def test_numbers(text: str, found: set[str]) -> None:
    assert set(numbers(text)) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("`src/a.py:12`, ./b.md and /etc/x.conf", {"src/a.py", "b.md", "/etc/x.conf"}),
        ("e.g. this, v1.2, os.path and 3.5", set()),
        ("tests/test_a.py::test_b[1]", {"tests/test_a.py"}),
        ("https://example.org/a/b.html", set()),
        ("文件 数据/说明.md。", {"数据/说明.md"}),
    ],
)
def test_paths(text: str, found: set[str]) -> None:
    assert set(paths(text)) == found


def test_chinese_sentences_and_constraints_are_seen() -> None:
    assert sentences("修复解析器。不要修改测试！") == ["修复解析器。", "不要修改测试！"]
    talk = [user("修复解析器。不要修改测试！")]
    assert constraints(talk) == ["不要修改测试！"]
    assert survival(talk, "不要修改测试").of("constraints").kept


def test_the_extractive_summarizer_makes_nothing_up() -> None:
    talk = [
        user("Keep the limit of 4096 in src/a.py. " * 4),
        assistant("a.limit = 4096\n" + "I looked. " * 60),
    ]
    summary = ExtractiveSummarizer().summarize(SummaryRequest(segment_text(talk), talk)).text
    found = survival(talk, summary)
    assert found.of("paths").kept == ("src/a.py",)
    assert not found.new_paths
    assert not found.new_numbers


@given(st.lists(st.text(max_size=200), max_size=4), st.text(max_size=200))
def test_any_text_is_compared(texts: list[str], summary: str) -> None:
    found = survival([user(text) for text in texts], summary)
    assert all(set(kept.kept).isdisjoint(kept.lost) for kept in found.kinds)


@given(st.text(max_size=300))
def test_a_summary_has_all_that_it_is_made_of(text: str) -> None:
    found = survival([user(text)], text)
    assert not any(kept.lost for kept in found.kinds)
    assert not found.new_paths
    assert not found.new_numbers
