"""The browser's half of a compare panel, made of the same modules as that of a session."""

from __future__ import annotations

import anywidget

from opencollab_nb.views.widget import STYLES, joined, loader, styles

COMPARE_MODULES = (
    *("dom", "says", "maprows", "lens", "wire", "store", "scale", "layer", "editor"),
    *("compare_files", "compare_chains", "compare_bar", "compare_chart", "compare_table", "compare_view"),
    *("frame", "page", "compare"),
)
"""In the order of their imports."""
COMPARE_STYLES = (*STYLES, "compare")

COMPARE_CODE, COMPARE_STYLE = joined(COMPARE_MODULES), styles(COMPARE_STYLES)


class CompareWidget(anywidget.AnyWidget):
    """Shows one choice. A `ComparePanel` holds one of these; it is never subclassed."""

    _esm = loader(COMPARE_CODE, COMPARE_STYLE)

    def __repr__(self) -> str:
        return "[live compare panel: run this cell to use it; its last state stands above]"
