"""The static twin of a compare panel: what is picked, and the results, as text and as escaped HTML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from opencollab_nb.views.tables import Table
from opencollab_nb.views.text import escaped, visible


@dataclass(frozen=True)
class CompareSnapshot:
    """One moment of a compare panel."""

    lines: tuple[str, ...]
    table: Table | None = None

    @classmethod
    def of(cls, state: Mapping[str, Any], table: Table | None) -> CompareSnapshot:
        """The state as it is now."""
        files = [row for row in state["files"] if row[1]]
        names = ", ".join(row[2] for row in files[:6]) + (f" and {len(files) - 6} more" * (len(files) > 6))
        chains = "; ".join(name for _, name, on in state["chains"] if on)
        at = f", {state['done']:,} of {state['total']:,} combinations" if state["total"] else ""
        lines = [
            f"compare: {state['run']}{at}",
            f"transcripts: {names or 'none'} ({len(files):,} of {len(state['files']):,} ticked)",
            f"chains: {chains or 'none'}",
            f"windows: {state['windows'] or 'those of the transcripts'}; modes: {state['modes']}",
            *(f"failed: {what}: {why}" for what, why in state["failed"]),
            *([state["problem"]] if state["problem"] else []),
        ]
        return cls(tuple(lines), table)

    def text(self) -> str:
        """As plain text."""
        rows = [str(self.table)] if self.table else []
        return "\n".join([*map(visible, self.lines), *rows])

    def markup(self) -> str:
        """As HTML without scripts or ids; every text is escaped."""
        head, *rest = self.lines
        body = "".join(f"<p><bdi>{escaped(line)}</bdi></p>" for line in rest)
        table = self.table.html() if self.table else ""
        return (
            f"<div class='oc-snapshot mathjax_ignore tex2jax_ignore'><p><b>{escaped(head)}</b><br>"
            f"A picture of the last state. Run this cell again for the live panel.</p>{body}{table}</div>"
        )

    def bundle(self, note: str = "") -> dict[str, Any]:
        """Both forms, by MIME type."""
        lead = f"<p>{escaped(note)}</p>" if note else ""
        return {"text/plain": "\n".join(filter(None, [note, self.text()])), "text/html": lead + self.markup()}

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return self.markup()
