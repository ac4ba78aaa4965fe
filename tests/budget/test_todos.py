"""Todos: one quoted line each, changed by validated transitions only."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb.budget.todo_tool import TODO, changed_by_call
from opencollab_nb.budget.todos import MOST_CHARS, MOST_TODOS, NEXT_STATUSES, STATUSES, Todos, newly_done
from opencollab_nb.errors import OpenCollabError, UnknownName, UsageProblem

THREE = Todos().updated(["one", "two", "three"])


@given(st.lists(st.tuples(st.integers(0, 4), st.sampled_from(STATUSES)), max_size=20))
def test_a_status_changes_as_the_table_says_or_not_at_all(changes: list[tuple[int, str]]) -> None:
    todos = THREE
    for number, status in changes:
        before = {todo.id: todo.status for todo in todos}
        try:
            todos = todos.changed(f"t{number}", status)
        except UsageProblem:
            was = before.get(f"t{number}")
            assert was is None or (status != was and status not in NEXT_STATUSES[was])
            continue
        now = {todo.id: todo.status for todo in todos}
        moved = {own for own in now if now[own] != before[own]}
        assert moved <= {f"t{number}"}
        assert all(now[own] in NEXT_STATUSES[before[own]] for own in moved)


@given(st.lists(st.text(max_size=130), max_size=8))
def test_every_todo_is_one_quoted_line_of_bounded_length(texts: list[str]) -> None:
    todos = Todos()
    for text in texts:
        try:
            todos = todos.added(text)
        except UsageProblem:
            continue
    for todo in todos:
        assert 0 < len(todo.text) <= MOST_CHARS
        assert len(todo.line.splitlines()) == 1
        assert todo.line.startswith(f'{todo.id} "')
        todo.line.encode()


def test_a_change_gives_a_new_list_and_leaves_the_old_one() -> None:
    assert THREE.changed("t2", "in_progress") != THREE
    assert [todo.status for todo in THREE] == ["open"] * 3
    assert THREE.changed("t1", "open") is THREE


@pytest.mark.parametrize("status", ["done", "dropped"])
def test_the_end_of_a_todo_is_final(status: str) -> None:
    ended = THREE.changed("t1", status)
    with pytest.raises(UsageProblem, match=f"t1 is {status}, and that is final"):
        ended.changed("t1", "open")
    with pytest.raises(UsageProblem, match="final"):
        ended.updated([{"id": "t1", "text": "another"}])


def test_an_unknown_id_or_status_names_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="Known: t1, t2, t3"):
        THREE.changed("t7", "done")
    with pytest.raises(UnknownName, match="in_progress"):
        THREE.changed("t1", "in progress")


def test_numbers_are_never_given_twice() -> None:
    todos = THREE.changed("t3", "dropped").added("four")
    assert [todo.id for todo in todos] == ["t1", "t2", "t3", "t4"]


def test_a_list_of_the_user_s_changes_what_it_names_and_nothing_else() -> None:
    todos = THREE.updated(["two", {"text": "one", "status": "done"}, "four", {"id": "t3", "text": "drei"}])
    assert [(t.id, t.text, t.status) for t in todos] == [
        ("t1", "one", "done"),
        ("t2", "two", "open"),
        ("t3", "drei", "open"),
        ("t4", "four", "open"),
    ]


@pytest.mark.parametrize("items", [["four", ""], [{"id": "t1", "status": "gone"}], [{"foo": 1}], [7], "one"])
def test_a_list_with_one_mistake_changes_nothing(items: Any) -> None:
    with pytest.raises(UsageProblem):
        THREE.updated(items)
    assert len(THREE) == 3


@pytest.mark.parametrize("text", ["", "  ", "a\nb", "a\u2028b", "a\x1b[31m", "x" * 121, None, 3])
def test_what_is_no_plain_line_is_refused(text: Any) -> None:
    with pytest.raises(UsageProblem, match="a todo"):
        Todos().added(text)


def test_the_same_open_todo_is_not_added_twice() -> None:
    with pytest.raises(UsageProblem, match="t2 says that already"):
        THREE.added("two")
    assert len(THREE.changed("t2", "done").added("two")) == 4


def test_a_list_has_an_end() -> None:
    full = Todos().updated(map(str, range(MOST_TODOS)))
    with pytest.raises(UsageProblem, match="there are 500 todos"):
        full.added("more")


def test_a_list_comes_back_from_its_record() -> None:
    todos = THREE.changed("t1", "done").added('four "quoted"')
    assert Todos.from_list(todos.to_list()) == todos


@pytest.mark.parametrize(
    "item",
    [
        {"id": "x1", "text": "a", "status": "open", "by": "user"},
        {"id": "t1", "text": "a", "status": "gone", "by": "user"},
        {"id": "t1", "text": "a", "status": "open", "by": "tool"},
        {"id": "t1", "text": "a\nb", "status": "open", "by": "user"},
        {"id": "t1"},
    ],
)
def test_a_damaged_record_is_refused(item: dict[str, Any]) -> None:
    with pytest.raises(UsageProblem):
        Todos.from_list([item])


def test_what_is_newly_done_is_told() -> None:
    before = THREE.changed("t1", "done")
    assert [todo.id for todo in newly_done(before, before.changed("t3", "done"))] == ["t3"]


def test_the_agent_changes_todos_by_a_call_all_or_nothing() -> None:
    call = {"updates": [{"id": "t1", "status": "in_progress"}], "add": ["four"]}
    todos = changed_by_call(THREE, call)
    assert [(t.status, t.by) for t in todos] == [
        ("in_progress", "user"),
        ("open", "user"),
        ("open", "user"),
        ("open", "agent"),
    ]
    assert changed_by_call(THREE, "") is THREE


@pytest.mark.parametrize(
    "arguments",
    [
        "{",
        "[]",
        '{"updates": {"id": "t1"}}',
        '{"updates": ["t1"]}',
        '{"updates": [{"id": "t1", "status": "done", "text": "x"}]}',
        '{"updates": [{"id": "t1", "status": "done"}, {"id": "t9", "status": "done"}]}',
        '{"register": "goal"}',
        '{"add": [3]}',
    ],
)
def test_a_call_of_another_form_is_refused(arguments: str) -> None:
    with pytest.raises(OpenCollabError):
        changed_by_call(THREE, arguments)


def test_the_tool_offers_the_statuses_there_are() -> None:
    item = TODO["function"]["parameters"]["properties"]["updates"]["items"]
    assert item["properties"]["status"]["enum"] == list(STATUSES)
