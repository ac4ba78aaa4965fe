"""A session as the value of a cell shows its panel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

WIDGETS = ("anywidget", "ipywidgets", "traitlets", "comm", "psygnal")
"""What a panel is made with; without it a session is shown as text."""


def show_sessions(shell: Any) -> Callable[[], None]:
    """Let this shell show sessions as panels; returns the call that takes it back."""
    from opencollab_nb.session import Session

    bundles = shell.display_formatter.mimebundle_formatter
    pages = shell.display_formatter.formatters["text/html"]
    former = [(f, Session in f.type_printers, f.type_printers.get(Session)) for f in (bundles, pages)]
    bundles.for_type(Session, _panel)
    # The panel's snapshot is the page; a second one beside the widget would be shown twice by nbconvert.
    pages.for_type(Session, _nothing)

    def take_back() -> None:
        for formatter, had_one, printer in former:
            if had_one:
                formatter.type_printers[Session] = printer
            else:
                formatter.type_printers.pop(Session, None)

    return take_back


def _panel(session: Any, **_wanted: Any) -> Any:
    try:
        from opencollab_nb.views.panel import Panel
    except ImportError as missing:
        package = str(missing.name).partition(".")[0]
        if package not in WIDGETS:
            raise
        return without_panel(session, package)
    return Panel.show_for(session)


def without_panel(session: Any, package: str) -> dict[str, str]:
    """A session's snapshot, and what to install for the live panel."""
    from opencollab_nb.views.snapshot import Snapshot

    line = f"No live panel: {package} cannot be imported. Type: %pip install {package}"
    bundle = Snapshot.of(session).bundle()
    return {
        "text/plain": f"{line}\n{bundle['text/plain']}",
        "text/html": f"<p>{line}</p>{bundle['text/html']}",
    }


def _nothing(_session: Any) -> None:
    return None
