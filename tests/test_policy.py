"""Policies as text: read strictly, refused with the nearest valid name."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from opencollab_nb.errors import SpecificationError
from opencollab_nb.policy import MOST_CHARS, Policy
from opencollab_nb.shaping import AutoCompactShaper, ToolResultBudgetShaper


def test_a_policy_is_read_from_text_from_a_file_and_by_name(tmp_path: Path) -> None:
    text = "policy: summarize\ntool_result_budget: 8000\ntarget_ratio: 0.5\nmode: stateless\n"
    file = tmp_path / "policy.yaml"
    file.write_text(text, encoding="utf-8")
    expected = Policy("summarize", 8_000, 0.5, "stateless")
    assert Policy.from_text(text) == Policy.from_file(file) == Policy.from_file(str(file)) == expected
    keys = {"policy": "summarize", "tool_result_budget": 8_000, "target_ratio": 0.5, "mode": "stateless"}
    assert Policy.from_mapping(keys) == expected
    assert Policy.named("summarize") == Policy.from_text("summarize") == Policy("summarize")
    assert Policy.from_text("{policy: no_history_compaction, tool_result_budget: 4000}").policy


def test_a_policy_makes_its_chain() -> None:
    def summarizer(request: object) -> str:
        return "s"

    chain = Policy("summarize", 900).pipeline(summarizer)
    assert chain.shapers[0] == ToolResultBudgetShaper(900)
    assert chain.shapers[-1] == AutoCompactShaper(summarizer)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("polcy: default", "unknown key 'polcy'; did you mean 'policy'"),
        ("tool_budget: 900", "did you mean 'tool_result_budget'"),
        ("model: gpt-4o", "unknown key 'model'"),
        ("1: default", "unknown key 1"),
        ("policy: sumarize", "unknown policy 'sumarize'; did you mean 'summarize'"),
        ("defualt", "did you mean 'default'"),
        ("policy: [default]", r"unknown policy \['default'\]"),
        ("policy: true", "unknown policy True"),
        ("policy: default\npolicy: summarize", "line 2: the key 'policy' is given twice"),
        ("mode: stiky", "unknown mode 'stiky'; did you mean 'sticky'"),
        ("tool_result_budget: 0", "from 1 to 10,000,000"),
        ("tool_result_budget: -5", "from 1 to 10,000,000"),
        ("tool_result_budget: yes", "True is no whole number"),
        ("tool_result_budget: 16e3", "is no whole number"),
        ("tool_result_budget: '16000'", "'16000' is no whole number"),
        ("tool_result_budget: 99999999999", "from 1 to"),
        ("target_ratio: 75", "75 is no share between 0 and 1"),
        ("target_ratio: .nan", "no share between"),
        ("", "not nothing"),
        ("- default", "not a list"),
        ("policy: [", "not YAML"),
        ("a: &a [x]\nb: *a", "line 1: anchors"),
        ("!!python/object/apply:os.system ['true']", "tags are not read"),
        ("policy: default\n---\npolicy: default", "not YAML"),
        ("policy: \x00", "not YAML"),
    ],
)
def test_what_is_not_understood_is_refused_with_what_to_change(text: str, why: str) -> None:
    with pytest.raises(SpecificationError, match=why):
        Policy.from_text(text)


def test_values_given_in_python_are_checked_alike() -> None:
    with pytest.raises(ValueError, match="did you mean 'summarize'"):
        Policy("summarise")
    with pytest.raises(SpecificationError, match="tool_result_budget"):
        Policy(tool_result_budget=True)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(SpecificationError, match=r"missing\.yaml cannot be read"):
        Policy.from_file(tmp_path / "missing.yaml")
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("polcy: default", encoding="utf-8")
    with pytest.raises(SpecificationError, match=r"wrong\.yaml: unknown key"):
        Policy.from_file(wrong)
    wrong.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SpecificationError, match="cannot be read"):
        Policy.from_file(wrong)


@pytest.mark.parametrize(
    "hostile",
    [
        "a: &a [x]\n" + "".join(f"b{n}: &b{n} [*a, *a, *a]\n" for n in range(30)),
        "[" * 9_000,
        "{a: " * 4_000,
        "x" * (MOST_CHARS + 1),
        "policy: " + "9" * 15_000,
    ],
)
def test_hostile_text_is_refused_at_once(hostile: str) -> None:
    started = time.process_time()
    with pytest.raises(SpecificationError):
        Policy.from_text(hostile)
    assert time.process_time() - started < 20


def test_a_huge_file_is_not_read_whole(tmp_path: Path) -> None:
    file = tmp_path / "huge.yaml"
    with file.open("wb") as out:
        out.truncate(5 * 10**9)
    with pytest.raises(SpecificationError, match="at most"):
        Policy.from_file(file)
