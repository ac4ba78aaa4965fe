"""The browser's half of a panel: an anywidget that holds its own code and nothing of the session.

The code is plain ES modules in `static/`, joined here into one at import: anywidget takes one module,
and there is no build step and no network. History never becomes a trait, so saved widget state stays small.
"""

from __future__ import annotations

import re
from importlib import resources

import anywidget

MODULES = (
    *(
        "dom",
        "says",
        "maprows",
        "lens",
        "store",
        "header",
        "meter",
        "scale",
        "slider",
        "moves",
        "chart",
        "strip",
        "map",
    ),
    *("diff", "message", "layer", "editor", "whatif", "cards", "log", "view", "panel"),
)
"""In the order of their imports."""
STYLES = ("theme", "bar", "parts", "lab", "reading", "moves", "narrow")


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


class PanelWidget(anywidget.AnyWidget):
    """Shows one session. A `Panel` holds one of these; it is never subclassed."""

    _esm = joined()
    _css = styles()

    def __repr__(self) -> str:
        return "[live panel: run this cell to use it; its last state stands above]"
