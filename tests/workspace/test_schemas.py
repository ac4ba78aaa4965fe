"""One table makes the schemas and checks the arguments."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb.workspace.problem import ToolProblem
from opencollab_nb.workspace.schemas import TOOLS

GOOD = {
    "file_read": {"path": "notes.txt"},
    "grep": {"pattern": "first"},
    "bash": {"command": "true"},
    "git_diff": {},
    "run_tests": {},
    "file_write": {"path": "new.txt", "content": ""},
    "apply_patch": {"path": "notes.txt", "search": "first", "replace": "1st"},
}


@pytest.mark.parametrize("tool", TOOLS.values(), ids=lambda tool: tool.name)
def test_a_schema_is_strict_in_the_openai_sense(tool):
    schema = tool.schema()
    json.dumps(schema)
    parameters = schema["function"]["parameters"]
    assert schema["type"] == "function"
    assert schema["function"]["strict"] is True
    assert parameters["additionalProperties"] is False
    assert parameters["required"] == list(parameters["properties"])
    for parameter in tool.parameters:
        assert ("null" in parameters["properties"][parameter.name]["type"]) == (not parameter.required)


def test_the_shell_tools_are_offered_only_when_it_is_on(opened):
    def offered(choice: str) -> list[str]:
        return [schema["function"]["name"] for schema in opened(shell=choice).schemas()]

    assert offered("off") == ["file_read", "grep", "git_diff", "file_write", "apply_patch"]
    assert offered("ask") == offered("allow") == list(TOOLS)


@pytest.mark.parametrize(("name", "arguments"), GOOD.items())
def test_what_is_missing_or_null_has_its_default(name, arguments):
    whole = TOOLS[name].checked(arguments)
    assert whole.keys() == {p.name for p in TOOLS[name].parameters}
    optional = {p.name: None for p in TOOLS[name].parameters if not p.required}
    assert TOOLS[name].checked(json.dumps(optional | arguments)) == whole


@pytest.mark.parametrize(
    ("name", "arguments", "why"),
    [
        ("file_read", '{"path": "a', "are no JSON (Unterminated string"),
        ("file_read", "[1]", "are no JSON object but [1]"),
        ("file_read", "null", "are no JSON object but None"),
        ("file_read", '"notes.txt"', "are no JSON object but 'notes.txt'"),
        ("file_read", "", 'file_read needs path; send {"path": "src/a.py"}.'),
        ("file_read", {"file": "a"}, "has no argument 'file'"),
        ("file_read", {"pth": "a"}, "did you mean 'path'? It takes: path, offset, limit."),
        ("file_read", {"path": 3}, 'path of file_read is 3; give a string, such as "src/a.py".'),
        ("file_read", {"path": None}, "path of file_read is None"),
        (
            "file_read",
            {"path": "a", "offset": "1"},
            "offset of file_read is '1'; give a whole number, such as 1.",
        ),
        ("file_read", {"path": "a", "offset": True}, "offset of file_read is True"),
        ("file_read", {"path": "a", "offset": 1.5}, "offset of file_read is 1.5"),
        ("file_read", {"path": "a", "limit": 0}, "limit of file_read is 0; the first is 1."),
        ("apply_patch", {"path": "a"}, "needs search and replace"),
        ("bash", {"command": ["ls"]}, "command of bash is ['ls']"),
        ("file_write", {"path": "a", "content": "x", 3: 4}, "has no argument 3"),
        ("bash", "[" * 100_000, "are no JSON"),
        ("bash", "1" * 10_000, "are no JSON"),
    ],
)
def test_wrong_arguments_name_the_culprit_the_value_and_what_to_do(shell, name, arguments, why):
    answer = shell.call(name, arguments)
    assert answer.startswith("Error: ")
    assert why in answer
    assert len(answer) < 500


def test_a_whole_float_is_a_whole_number(workspace):
    assert workspace.call("file_read", '{"path": "notes.txt", "limit": 1.0}').startswith(
        "    1\tfirst\n[2 more"
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from(list(TOOLS)), JSON | st.text(max_size=40))
def test_checking_ends_in_arguments_or_a_problem(name, arguments):
    try:
        checked = TOOLS[name].checked(arguments)
    except ToolProblem:
        return
    assert checked.keys() == {p.name for p in TOOLS[name].parameters}
