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
    *("dom", "says", "maprows", "lens", "wire", "store", "question", "header", "meter", "scale"),
    *("slider", "moves", "chart", "strip", "map", "diff", "message", "pairs", "layer", "editor"),
    *("whatif", "family", "cards", "log", "view", "frame", "page", "panel"),
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
    r"""The text without indentation and without comments: a fifth of what would be saved.

    At the end of a line a comment is what follows `//` behind a blank and a `;`, `,` or `{`. A line goes on
    in the next one where it ends with what opens a list, or with a comma.

    >>> lean("  at = -1; // none yet\n  // as text\n  let all = [\n    1,\n    'https://a.b'];")
    "at = -1;\nlet all = [1,'https://a.b'];"
    """
    lines = (re.sub(r"(?<=[;,{]) // .*$", "", line.strip()) for line in text.splitlines())
    code = "\n".join(line for line in lines if line and not line.startswith(("//", "/**", "* ", "*/")))
    return re.sub(r"(?<=[({,\[])\n", "", code)


def styles(names: tuple[str, ...] = STYLES) -> str:
    """The style sheets of `static/` as one, without comments and needless blanks."""
    text = "\n".join(read(f"{name}.css") for name in names)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return re.sub(r"\s*([{};,])\s+|(?<=\w)(:) ", r"\1\2", text).strip()


def loader(code: str, style: str) -> str:
    """The small module that asks for the code; a page that has it under its key does not ask again."""
    key = hashlib.sha256(f"{code}{style}".encode()).hexdigest()[:16]
    return lean(read("loader.js")).replace("«key»", key)


def code_message(code: str, style: str) -> dict[str, Any]:
    """The answer to a page that has not got the code yet."""
    return {"kind": "code", "code": code, "style": style}


def live_bundle(widget: Any) -> dict[str, Any]:
    """What a front end needs to show a widget; text for those that cannot."""
    from ipywidgets import DOMWidget  # type: ignore[import-untyped]

    made = DOMWidget._repr_mimebundle_(widget) or {}
    bundle = dict(made[0] if isinstance(made, tuple) else made)
    bundle.pop("text/html", None)
    bundle["text/plain"] = repr(widget)
    return bundle


CODE, STYLE = joined(), styles()
REPR = "[live panel: run this cell to use it; its last state stands above]"


class PanelWidget(anywidget.AnyWidget):
    """Shows one session. A `Panel` holds one of these; it is never subclassed."""

    _esm = loader(CODE, STYLE)

    def __repr__(self) -> str:
        return REPR
