"""The browser's half of a compare panel, made of the same modules as that of a session."""

from __future__ import annotations

import hashlib
from typing import Any

import anywidget

from opencollab_nb.views.widget import STYLES, joined, lean, read, styles

MODULES = (
    *("dom", "says", "maprows", "lens", "store", "scale", "layer", "editor"),
    *("compare_files", "compare_chains", "compare_bar", "compare_chart", "compare_table", "compare_view"),
    *("frame", "page", "compare"),
)
"""In the order of their imports."""

CODE, STYLE = joined(MODULES), styles((*STYLES, "compare"))
KEY = hashlib.sha256(f"{CODE}{STYLE}".encode()).hexdigest()[:16]


def code_message() -> dict[str, Any]:
    """The answer to a page that has not got the code yet."""
    return {"kind": "code", "code": CODE, "style": STYLE}


class CompareWidget(anywidget.AnyWidget):
    """Shows one choice. A `ComparePanel` holds one of these; it is never subclassed."""

    _esm = lean(read("loader.js")).replace("«key»", KEY)

    def __repr__(self) -> str:
        return "[live compare panel: run this cell to use it; its last state stands above]"
