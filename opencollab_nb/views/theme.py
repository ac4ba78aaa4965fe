"""Light and dark: the theme of the page that looks at this kernel, and the colours of figures in each.

A panel's page tells its theme; figures, which are drawn in the kernel, ask for it.
"""

from __future__ import annotations

from typing import Any

from opencollab_nb.errors import UnknownName

THEMES: dict[str, dict[str, Any]] = {
    "light": {
        "paper": "#ffffff",
        "text": "#1f2328",
        "grid": "#e1e4e8",
        "marks": ["#8a929c", "#0072b2", "#e69f00", "#009e73", "#56b4e9", "#cc79a7", "#7a5cc0"],
    },
    "dark": {
        "paper": "#111418",
        "text": "#e6eaef",
        "grid": "#2b323b",
        "marks": ["#7d8691", "#3d9fe0", "#f0b13a", "#2bbf94", "#7cc8f5", "#e29bc2", "#a48be0"],
    },
}
"""The panel's colours; `marks` in the order of the categories (told apart without seeing red or green)."""

_page = "light"


def page_is(dark: object) -> None:
    """Take what a page tells of itself; the newest word counts."""
    global _page
    _page = "dark" if dark is True else "light"


def look_of(theme: str | None = None) -> dict[str, Any]:
    """The colours of a theme; of None those of the page, light as long as no page has told.

    Raises:
        UnknownName: no such theme.
    """
    theme = theme or _page
    if theme not in THEMES:
        raise UnknownName("theme", theme, THEMES)
    return THEMES[theme]
