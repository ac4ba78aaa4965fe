"""A session, or a team, as the value of a cell shows its panel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

WIDGETS = ("anywidget", "ipywidgets", "traitlets", "comm", "psygnal")
"""What a panel is made with; without it a session is shown as text."""


def show_sessions(shell: Any) -> Callable[[], None]:
    """Let this shell show sessions and teams as panels; returns the call that takes it back."""
    from opencollab_nb.session import Session
    from opencollab_nb.team import Team

    bundles = shell.display_formatter.mimebundle_formatter
    pages = shell.display_formatter.formatters["text/html"]
    # The panel's snapshot is the page; a second one beside the widget would be shown twice by nbconvert.
    ours = [(Session, bundles, _panel), (Team, bundles, _team_panel), (Session, pages, _nothing)]
    ours.append((Team, pages, _nothing))
    former = [(kind, f, kind in f.type_printers, f.type_printers.get(kind)) for kind, f, _ in ours]
    for kind, formatter, show in ours:
        formatter.for_type(kind, show)

    def take_back() -> None:
        for kind, formatter, had_one, printer in former:
            if had_one:
                formatter.type_printers[kind] = printer
            else:
                formatter.type_printers.pop(kind, None)

    return take_back


def _panel(session: Any, **_wanted: Any) -> Any:
    try:
        from opencollab_nb.views.panel import Panel
    except ImportError as missing:
        from opencollab_nb.views.snapshot import Snapshot

        return without_panel(Snapshot.of(session).bundle(), missing)
    return Panel.show_for(session)


def _team_panel(team: Any, **_wanted: Any) -> Any:
    try:
        from opencollab_nb.views.team_panel import TeamPanel
    except ImportError as missing:
        from opencollab_nb.views.team_snapshot import TeamSnapshot

        return without_panel(TeamSnapshot.of(team).bundle(), missing)
    return TeamPanel.show_for(team)


def without_panel(bundle: dict[str, Any], missing: ImportError) -> dict[str, str]:
    """A snapshot, and what to install for the live panel."""
    package = str(missing.name).partition(".")[0]
    if package not in WIDGETS:
        raise missing
    line = f"No live panel: {package} cannot be imported. Type: %pip install {package}"
    return {
        "text/plain": f"{line}\n{bundle['text/plain']}",
        "text/html": f"<p>{line}</p>{bundle['text/html']}",
    }


def _nothing(_session: Any) -> None:
    return None
