"""The browser's half as it is sent: one small module, and nothing of the session in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from opencollab_nb import views
from opencollab_nb.views.compare_widget import (
    COMPARE_CODE,
    COMPARE_MODULES,
    COMPARE_STYLES,
    CompareWidget,
)
from opencollab_nb.views.team_widget import (
    TEAM_CODE,
    TEAM_MODULES,
    TEAM_STYLE,
    TEAM_STYLES,
    TeamWidget,
)
from opencollab_nb.views.widget import MODULES, STYLE, STYLES, PanelWidget, joined

STATIC = Path(views.__file__).parent / "static"
MOST_CODE_BYTES, MOST_STYLE_BYTES = 106_000, 23_500
"""Sent once a page and never saved. The map, the editor, the diffs are half of it, the charts of branches and
the list of a what-if a tenth, quotas and direction a twelfth; a `FigureWidget`
ships 5,000,000 with each chart."""
MOST_TEAM_CODE_BYTES, MOST_TEAM_STYLE_BYTES = 51_000, 16_500
"""Sent once to a page that shows a team, and to no other. Half of it is in any panel: the bar, the log."""
MOST_LOADER_BYTES = 3_000
MOST_COMPARE_BYTES = 60_000
"""Of the compare panel: the store and the chain editor are those of a session's panel."""
FORBIDDEN = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|https?://(?!www\.w3)"

BUNDLES = pytest.mark.parametrize(
    "modules", [MODULES, COMPARE_MODULES, TEAM_MODULES], ids=["session", "compare", "team"]
)


def test_all_files_of_the_folder_are_sent() -> None:
    modules, sheets = {*MODULES, *COMPARE_MODULES, *TEAM_MODULES}, {*STYLES, *COMPARE_STYLES, *TEAM_STYLES}
    named = {"loader.js"} | {f"{name}.js" for name in modules} | {f"{name}.css" for name in sheets}
    assert named == {path.name for path in STATIC.iterdir()}


@BUNDLES
def test_the_joined_module_imports_nothing_and_exports_one_thing(modules: tuple[str, ...]) -> None:
    text = joined(modules)
    assert not re.search(r"^\s*import\b", text, flags=re.MULTILINE)
    assert len(re.findall(r"^export\b.*", text, flags=re.MULTILINE)) == 1
    assert re.search(r"^export default pageOf\(", text, flags=re.MULTILINE)


@BUNDLES
def test_no_name_is_declared_twice_at_the_top(modules: tuple[str, ...]) -> None:
    names: list[str] = []
    for module in modules:
        text = (STATIC / f"{module}.js").read_text("utf-8")
        names += re.findall(r"^(?:export )?(?:const|class|function|let) (\w+)", text, flags=re.MULTILINE)
    assert sorted(names) == sorted(set(names))


@BUNDLES
def test_every_imported_name_is_exported_by_the_module_it_names(modules: tuple[str, ...]) -> None:
    for module in modules:
        text = (STATIC / f"{module}.js").read_text("utf-8")
        for names, source in re.findall(
            r"^import \{([^}]*)\} from \"\./(\w+)\.js\"", text, flags=re.MULTILINE
        ):
            offered = (STATIC / f"{source}.js").read_text("utf-8")
            assert modules.index(source) < modules.index(module)
            for name in filter(None, map(str.strip, names.split(","))):
                assert re.search(rf"^export (const|class|function) {name}\b", offered, flags=re.MULTILINE)


def test_code_and_style_are_small() -> None:
    assert len(joined().encode()) < MOST_CODE_BYTES
    assert len(STYLE.encode()) < MOST_STYLE_BYTES
    assert len(COMPARE_CODE.encode()) < MOST_COMPARE_BYTES


def test_a_team_s_code_is_small_and_comes_only_with_a_team() -> None:
    assert len(TEAM_CODE.encode()) < MOST_TEAM_CODE_BYTES
    assert len(TEAM_STYLE.encode()) < MOST_TEAM_STYLE_BYTES
    assert "oc-team" not in STYLE + joined()


def test_what_is_saved_with_a_notebook_is_what_asks_for_the_code() -> None:
    for widget in (PanelWidget, CompareWidget, TeamWidget):
        assert len(widget._esm.encode()) < MOST_LOADER_BYTES
        assert not hasattr(widget, "_css")
        assert "oc-panel" not in widget._esm
    assert len({PanelWidget._esm, CompareWidget._esm, TeamWidget._esm}) == 3


@pytest.mark.parametrize("path", sorted(STATIC.iterdir()), ids=lambda path: path.name)
def test_no_file_is_long_and_none_reads_markup(path: Path) -> None:
    text = path.read_text("utf-8")
    assert len(text.splitlines()) <= 300
    assert not re.search(FORBIDDEN, text)


def test_what_a_team_s_panel_is_styled_by_comes_with_it() -> None:
    named = set(re.findall(r"oc-[a-z]+(?:-[a-z]+)*(?![\w-])", TEAM_CODE))
    elsewhere = {
        name
        for name in named
        if re.search(rf"\.{name}(?![\w-])", STYLE) and not re.search(rf"\.{name}(?![\w-])", TEAM_STYLE)
    }
    assert not elsewhere
