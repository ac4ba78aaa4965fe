"""A team file: what it may say, and how all its faults are told at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opencollab_nb.errors import SpecificationError, UsageProblem
from opencollab_nb.policy import Policy
from opencollab_nb.team.file import read_team
from opencollab_nb.team.roster import Role, TeamSpec
from opencollab_nb.team.shipped import shipped

WHOLE = """\
name: shop
entry: lead
task: Add tests.
model: small
window: 64_000
max_steps: 40
context: summarize
budget: {tokens: 60000}
project: Notes on the shop.
roles:
  lead:
    prompt: You lead.
    tools: [file_read, grep]
    skill: Ask before you guess.
  coder:
    prompt: You write code.
    model: large
    temperature: 0.2
    budget: {tokens: 90000}
    context: {policy: default, tool_result_budget: 8000}
    tools: []
topology:
  spawn: {lead: coder}
  message:
    lead: [coder]
    coder: [lead]
"""


def faults_of(text: str) -> list[str]:
    with pytest.raises(SpecificationError) as refused:
        read_team(text)
    lines = str(refused.value).removeprefix("the team: ").splitlines()
    return [line.removeprefix("- ") for line in lines if "faults" not in line]


def changed(old: str, new: str) -> str:
    assert WHOLE.count(old) == 1
    return WHOLE.replace(old, new)


def line_of(words: str, text: str = WHOLE) -> int:
    return 1 + next(n for n, line in enumerate(text.splitlines()) if words in line)


def test_everything_a_file_may_say_is_read() -> None:
    team = read_team(WHOLE)
    assert (team.name, team.entry, team.task, team.project) == (
        "shop",
        "lead",
        "Add tests.",
        "Notes on the shop.",
    )
    assert (team.window, team.max_steps) == (64_000, 40)
    assert team.role("lead") == Role(
        "lead", "You lead.", tools=("file_read", "grep"), skill="Ask before you guess."
    )
    assert team.role("coder") == Role(
        "coder",
        "You write code.",
        model="large",
        tools=(),
        temperature=0.2,
        budget_tokens=90_000,
        context=Policy(tool_result_budget=8_000),
    )
    assert (team.model_of("lead"), team.model_of("coder")) == ("small", "large")
    assert team.context_of("lead").policy == "summarize"
    assert team.topology.may_spawn("lead") == team.topology.may_message("lead") == ("coder",)
    assert dict(team.allowances) == {"lead": 60_000, "coder": 90_000}
    assert team.pool_tokens == 150_000


def test_path_text_mapping_and_the_team_itself_say_the_same(tmp_path: Path) -> None:
    path = tmp_path / "shop.yaml"
    path.write_text(WHOLE, encoding="utf-8")
    import yaml

    team = read_team(WHOLE)
    assert read_team(path) == read_team(str(path)) == read_team(yaml.safe_load(WHOLE)) == team
    assert read_team(team) is team


@pytest.mark.parametrize("name", sorted(shipped()))
def test_each_shipped_team_is_sound_and_every_role_can_be_reached(name: str) -> None:
    team = read_team(name)
    assert team.name == name
    assert team.unreachable == ()
    assert team.pool_tokens


def test_the_shipped_teams_are_one_of_each_kind() -> None:
    assert not read_team("example").declared
    assert read_team("analyst_coder_tester").declared


def test_all_faults_are_told_at_once_in_the_order_of_their_lines() -> None:
    text = (
        changed("task:", "tsak:")
        .replace("temperature: 0.2", "temperature: warm")
        .replace("[coder]", "[codr]")
    )
    told = faults_of(text)
    assert [int(t.split()[1].rstrip(":,")) for t in told] == [3, line_of("temperature"), line_of("lead: [")]
    assert "unknown key 'tsak'; did you mean 'task'?" in told[0]
    assert "roles.coder.temperature: 'warm' is no number from 0 to 2" in told[1]
    assert "topology.message.lead: unknown role 'codr'; did you mean 'coder'?" in told[2]


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("entry: lead", "entry: laed", 2, "entry: unknown role 'laed'; did you mean 'lead'?"),
        ("entry: lead", "", 1, "no entry: which role gets the task? entry: lead"),
        ("window: 64_000", "window: 1_000", 5, "1000 is no whole number of tokens from 1,024 up"),
        ("max_steps: 40", "max_steps: yes", 6, "True is no whole number of steps"),
        (
            "context: summarize",
            "context: sumarize",
            7,
            "unknown policy 'sumarize'; did you mean 'summarize'?",
        ),
        ("{policy: default,", "{polcy: default,", 20, "unknown key 'polcy'; did you mean 'policy'?"),
        (
            "tool_result_budget: 8000",
            "tool_result_budget: -1",
            20,
            "tool_result_budget: -1 is no whole number",
        ),
        ("[file_read, grep]", "[file_raed, grep]", 13, "unknown tool 'file_raed'; did you mean 'file_read'?"),
        ("prompt: You lead.", "prompt: 12", 12, "12 is no text"),
        ("prompt: You lead.", "model: small", 11, "no prompt"),
        ("budget: {tokens: 60000}", "budget: 60000", 8, "budget: {tokens: 60000}"),
        ("budget: {tokens: 60000}", "budget: {tokns: 60000}", 8, "did you mean 'tokens'?"),
        ("budget: {tokens: 60000}", "budget: {tokens: 0}", 8, "no whole number of tokens from 1 up"),
        ("budget: {tokens: 90000}", "budget: {pool: 90000}", 19, "unknown key 'pool'"),
        ("spawn: {lead: coder}", "spawn: {lead: lead}", 23, "both ends of an edge"),
        ("spawn: {lead: coder}", "spawn: {leed: coder}", 23, "did you mean 'lead'?"),
        ("spawn: {lead: coder}", "spwan: {lead: coder}", 23, "did you mean 'spawn'?"),
        ("coder: [lead]", "coder: [lead, lead]", 26, "'lead' is given twice"),
        ("task: Add tests.", "name: again", 3, "the key 'name' is given twice"),
        ("model: small", "model: https://x.example/v1", 4, "an endpoint is never taken from a file"),
        ("  lead:\n    prompt", "  ../lead:\n    prompt", 11, "'../lead' is no name of a role"),
        ("  lead:\n    prompt", "  user:\n    prompt", 11, "'user' is no name of a role"),
        ("  lead:\n    prompt", "  CODER:\n    prompt", 15, "'coder' differs from 'CODER' in case only"),
    ],
)
def test_a_fault_names_line_culprit_and_what_would_be_right(old: str, new: str, line: int, says: str) -> None:
    told = [t for t in faults_of(changed(old, new)) if says in t]
    assert told, faults_of(changed(old, new))
    assert told[0].startswith(f"line {line}"), told


@pytest.mark.parametrize("key", ["api_key", "base_url", "workspace", "shell", "path", "Secrets"])
@pytest.mark.parametrize("indent", ["", "    "])
def test_keys_endpoints_and_workspaces_are_never_taken_and_their_values_never_told(
    key: str, indent: str
) -> None:
    before = "task:" if not indent else "    tools: [file"
    value = "sk-very-private"
    told = faults_of(WHOLE.replace(before, f"{indent}{key}: {value}\n{before}", 1))
    assert len(told) == 1
    assert f"{key!r} is never taken from a file" in told[0]
    assert "in code" in told[0]
    assert value not in told[0]


def test_allowances_are_for_all_seats_or_for_none() -> None:
    (told,) = faults_of(changed("budget: {tokens: 60000}\n", ""))
    assert "for all seats or for none: lead has none" in told
    none = WHOLE.replace("budget: {tokens: 60000}\n", "").replace("    budget: {tokens: 90000}\n", "")
    assert dict(read_team(none).allowances) == {}
    assert read_team(none).pool_tokens is None


@pytest.mark.parametrize("with_tokens", [True, False])
def test_a_pool_beside_allowances_is_refused(with_tokens: bool) -> None:
    tokens = "tokens: 60000, " if with_tokens else ""
    told = faults_of(changed("{tokens: 60000}", f"{{{tokens}pool: 500000}}"))
    assert any(t.startswith("line 8, budget: a separate pool is refused") for t in told), told


def test_a_pool_alone_is_shared_by_all() -> None:
    team = read_team("entry: a\nbudget: {pool: 9000}\nroles: {a: {prompt: x}, b: {prompt: y}}\n")
    assert (dict(team.allowances), team.pool_tokens) == ({}, 9_000)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("\n", "nothing stands in it"),
        ("- a\n- b", "a list stands where a mapping should"),
        ("entry: a\nroles:\n", "line 2, roles: nothing stands where a mapping should"),
        ("entry: a\nroles: {}\n", "at least one role"),
        ("entry: [a\nroles", "not YAML"),
        ("entry: &a b\nroles: *a", "line 1: anchors, aliases and tags"),
        ("entry: !!python/object:os.system x\n", "anchors, aliases and tags"),
        ("entry:\n" + "[" * 500, "nested deeper than 12 levels"),
        ("a: 1\n" * 60_000, "at most 200,000 are read"),
        ("? [a, b]\n: c\n", "a key is one word"),
        ("entry: a\x00\n", "not YAML"),
    ],
)
def test_what_is_no_team_is_refused_with_the_reason(text: str, says: str) -> None:
    with pytest.raises(SpecificationError, match=says.replace("[", r"\[")):
        read_team(text)


def test_many_faults_are_counted_beyond_the_first_twenty() -> None:
    text = "entry: a\nroles: {a: {prompt: x}}\n" + "".join(f"x{n}: 1\n" for n in range(30))
    told = faults_of(text)
    assert len(told) == 21
    assert told[-1] == "and 10 more"


def test_a_mapping_is_told_the_place_where_there_are_no_lines() -> None:
    with pytest.raises(SpecificationError, match=r"^the team: roles\.a: unknown key 'promt'"):
        read_team({"entry": "a", "roles": {"a": {"prompt": "x", "promt": "y"}}})


def test_a_mapping_that_holds_itself_is_refused() -> None:
    team: dict[str, object] = {"entry": "a"}
    team["roles"] = team
    with pytest.raises(SpecificationError):
        read_team(team)


def test_no_file_names_the_shipped_teams(tmp_path: Path) -> None:
    with pytest.raises(SpecificationError, match=r"cannot be read.*analyst_coder_tester, example"):
        read_team(tmp_path / "none.yaml")
    with pytest.raises(UsageProblem, match="12 is no team"):
        read_team(12)  # type: ignore[arg-type]


def test_tools_of_another_workspace_can_be_named() -> None:
    text = "entry: a\nroles: {a: {prompt: x, tools: [fly]}}\n"
    assert read_team(text, tools=["fly"]).roles[0].tools == ("fly",)
    assert "unknown tool 'fly'" in faults_of(text)[0]


@settings(max_examples=60, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "entry",
                        "roles",
                        "a",
                        "prompt",
                        "budget",
                        "tokens",
                        "pool",
                        "tools",
                        "topology",
                        "spawn",
                        "message",
                        "context",
                        "policy",
                    ]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_anything_is_a_team_or_a_specification_error(value: object) -> None:
    try:
        team = read_team({"entry": "a", "roles": value} if not isinstance(value, dict) else value)
    except SpecificationError:
        return
    assert isinstance(team, TeamSpec)
    assert team.entry in team.names
