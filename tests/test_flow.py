"""The rooms of the house and who may call whom, read from the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "opencollab_nb"
SOFT_MEDIAN_LINES, HARD_LINES = 110, 300

GROUND = {"messages", "tokens", "errors"}
# Known keys are struck out wherever something is written, shown or handed on.
WRITES = {"secrecy"}
SHAPING = GROUND | {"pressure"}
MODELS = GROUND | {"request", "ticket"}
BUDGET = SHAPING | MODELS | {"transcript", "jsonl", "shaping", "models", "summarizers", "workspace"}
SESSION = (
    SHAPING
    | MODELS
    | WRITES
    | {"shelf", "transcript", "shaping", "summarizers", "models", "workspace", "budget", "trace", "policy"}
)
MAY_IMPORT: dict[str, set[str]] = {
    "messages": set(),
    "errors": set(),
    "ticket": {"errors"},
    "tokens": {"messages", "errors", "shelf"},
    "pressure": GROUND,
    "secrecy": {"errors"},
    "shelf": {"errors"},
    "jsonl": WRITES | {"errors"},
    "transcript": {"messages", "tokens", "errors", "jsonl", "shelf"} | WRITES,
    "shaping": SHAPING | WRITES | {"shelf"},
    "request": GROUND | {"shaping"},
    "models": MODELS | WRITES,
    "summarizers": MODELS | {"models", "shaping"},
    "workspace": WRITES | {"messages", "errors", "ticket"},
    "budget": BUDGET | WRITES,
    "policy": SHAPING | {"shaping"},
    "importers": GROUND | WRITES | {"transcript", "jsonl", "models"},
    "trace": GROUND | {"jsonl", "shelf"},
    "session": SESSION,
    "tasks": SESSION | {"session"},
    "pytest_plugin": set(),
    "compare": SESSION | {"session", "tasks", "importers", "jsonl"},
    "team": SESSION | {"session"},
    "views": SESSION | {"session", "tasks", "importers", "compare", "team"},
}
HEAVY = {
    "openai",
    "tiktoken",
    "pandas",
    "plotly",
    "ipywidgets",
    "anywidget",
    "IPython",
    "genai_prices",
    "yaml",
}

FILES = sorted(p for p in PACKAGE.rglob("*.py") if "data" not in p.relative_to(PACKAGE).parts)
NAMES = [str(p.relative_to(PACKAGE)) for p in FILES]


def room_of(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def imports(tree: ast.AST) -> Iterator[tuple[str, ast.stmt]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are written out in full"
            yield node.module or "", node
            yield from ((f"{node.module}.{alias.name}", node) for alias in node.names)


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_a_room_imports_only_what_stands_before_it(path: Path) -> None:
    room = room_of(path)
    if room == "__init__":
        return
    allowed = MAY_IMPORT[room] | {room}
    for name, node in imports(ast.parse(path.read_text())):
        if name.startswith("opencollab_nb."):
            other = name.split(".")[1]
            assert other in allowed, f"{path}:{node.lineno}: {room} may not import {other}"


@pytest.mark.parametrize("path", [p for p in FILES if room_of(p) != "views"], ids=str)
def test_heavy_libraries_are_imported_where_they_are_used(path: Path) -> None:
    for node in ast.parse(path.read_text()).body:
        for name, _ in imports(node) if isinstance(node, ast.Import | ast.ImportFrom) else ():
            assert name.split(".")[0] not in HEAVY, f"{path}:{node.lineno}: import {name} inside the function"


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_a_file_holds_one_idea_in_at_most_three_hundred_lines(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= HARD_LINES


def test_most_files_are_short() -> None:
    sizes = sorted(len(p.read_text().splitlines()) for p in FILES)
    assert sizes[len(sizes) // 2] <= SOFT_MEDIAN_LINES


def test_every_room_is_in_the_table() -> None:
    rooms = {room_of(p) for p in FILES} - {"__init__"}
    assert rooms == set(MAY_IMPORT)


def test_no_asyncio_policy_no_patched_loop_no_figure_widget() -> None:
    for path in FILES:
        text = path.read_text()
        for word in (
            "nest_asyncio",
            "set_event_loop_policy",
            "FigureWidget(",
            "asyncio.to_thread",
            "unittest.mock",
        ):
            assert word not in text, f"{path}: {word}"
