"""The browser's half of a team's panel: code of its own, sent only to a page that shows a team."""

from __future__ import annotations

import anywidget

from opencollab_nb.views.widget import REPR, joined, loader, styles

TEAM_MODULES = (
    *("dom", "wire", "question", "header", "scale", "log", "teamstore", "teamwords", "teampen", "teamlanes"),
    *("teampool", "teambooks", "teammember", "teamview", "frame", "page", "teampanel"),
)
"""In the order of their imports; those without `team` are those of a session's panel."""
TEAM_STYLES = ("theme", "bar", "parts", "reading", "narrow", "team")

TEAM_CODE, TEAM_STYLE = joined(TEAM_MODULES), styles(TEAM_STYLES)


class TeamWidget(anywidget.AnyWidget):
    """Shows one team. A `TeamPanel` holds one of these; it is never subclassed."""

    _esm = loader(TEAM_CODE, TEAM_STYLE)

    def __repr__(self) -> str:
        return REPR
