"""The browser's half of a panel: an anywidget that can ask for its code, and holds nothing of the session.

The code is plain ES modules in `static/`, joined here into one at import: a page takes one module, and
there is no build step and no network. Neither code nor history is a trait: all traits of all panels that
ever were may be saved with a notebook, so the widget has a small module that asks for the real one.
"""

from __future__ import annotations

import hashlib
import re
from importlib import resources
from typing import Any

import anywidget

MODULES = (
    *(
        "dom",
        "says",
        "maprows",
        "lens",
        "store",
        "question",
        "header",
        "meter",
        "scale",
        "slider",
        "moves",
        "chart",
        "strip",
        "map",
    ),
    *("diff", "message", "pairs", "layer", "editor", "whatif", "family", "cards", "log", "view"),
    *("frame", "page", "panel"),
)
"""In the order of their imports."""
STYLES = ("theme", "bar", "parts", "lab", "reading", "family", "moves", "narrow")


def joined(names: tuple[str, ...] = MODULES) -> str:
    """The modules of `static/` as one: imports among them and the word `export` fall away."""
    text = "\n".join(read(f"{name}.js") for name in names)
    text = re.sub(r"^import \{[^}]*\} from \"\./[^\n]*\n", "", text, flags=re.MULTILINE)
    return lean(re.sub(r"^export (?!default)", "", text, flags=re.MULTILINE))


def read(name: str) -> str:
    """A file of `static/`."""
    return (resources.files("opencollab_nb.views") / "static" / name).read_text("utf-8")


def lean(text: str) -> str:
    """The text without indentation and without lines that are comments: a fifth of what would be saved."""
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith(("//", "/**", "* ", "*/")))


def styles(names: tuple[str, ...] = STYLES) -> str:
    """The style sheets of `static/` as one, without comments and needless blanks."""
    text = "\n".join(read(f"{name}.css") for name in names)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return re.sub(r"\s*([{};,])\s+|(?<=\w)(:) ", r"\1\2", text).strip()


CODE, STYLE = joined(), styles()
KEY = hashlib.sha256(f"{CODE}{STYLE}".encode()).hexdigest()[:16]
"""A page that has code under this key already does not ask for it again."""


def code_message() -> dict[str, Any]:
    """The answer to a page that has not got the code yet."""
    return {"kind": "code", "code": CODE, "style": STYLE}


class PanelWidget(anywidget.AnyWidget):
    """Shows one session. A `Panel` holds one of these; it is never subclassed."""

    _esm = lean(read("loader.js")).replace("«key»", KEY)

    def __repr__(self) -> str:
        return "[live panel: run this cell to use it; its last state stands above]"
