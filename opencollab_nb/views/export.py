"""A shaper or summarizer of a cell as a module: its source, what it uses, and a check in a fresh process."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.secrecy import KNOWN
from opencollab_nb.views.outside_names import Needs
from opencollab_nb.views.text import escaped, visible
from opencollab_nb.views.written import Written

CHECK_SECONDS = 120
FUTURE = "from __future__ import annotations"
LAWS_BROKEN = 3
_CHECK = """
import importlib.util, sys
path, name, kind = sys.argv[1:]
spec = importlib.util.spec_from_file_location("exported_shaper", path)
module = importlib.util.module_from_spec(spec)
sys.modules["exported_shaper"] = module
spec.loader.exec_module(module)
part = getattr(module, name)
part = part() if isinstance(part, type) else part
if kind == "shaper":
    from opencollab_nb import check_shaper
    report = check_shaper(part)
    print(report)
    sys.exit(0 if report else 3)
if not callable(getattr(part, "summarize", part)):
    sys.exit(f"{name} is no summarizer")
"""


@dataclass(frozen=True, repr=False)
class Exported:
    """A module that was written."""

    path: Path
    kind: str
    name: str
    verdict: str
    """What the check in a fresh process said."""

    def lines(self) -> list[str]:
        """What was written, what was checked, how it is used."""
        call = "()" if self.kind_is_class else ""
        verb = "use" if self.kind == "shaper" else "use_summarizer"
        return [
            f"wrote {self.path}: {self.verdict}",
            f"from {self.path.stem} import {self.name}; session.{verb}({self.name}{call})",
        ]

    @property
    def kind_is_class(self) -> bool:
        """True where the name is a class, which is to be called."""
        tree = ast.parse(self.path.read_text("utf-8"))
        return any(isinstance(node, ast.ClassDef) and node.name == self.name for node in tree.body)

    def __repr__(self) -> str:
        return visible("\n".join(self.lines()))

    def _repr_html_(self) -> str:
        return f"<pre>{escaped(repr(self))}</pre>"


def export(
    kind: str,
    name: str,
    path: str | Path,
    written: Mapping[str, Written],
    user_names: Mapping[str, Any],
    *,
    force: bool = False,
) -> Exported:
    """Write a module with a shaper or summarizer that was written in a cell.

    It is tried in a fresh process first: it must import, and a shaper must pass the laws. Nothing is
    written otherwise.

    Args:
        kind: `shaper` or `summarizer`.
        name: its name.
        path: the file, `something.py`.
        written: what was written in cells, by name.
        user_names: the notebook's names, of which the code may use some.
        force: overwrite a file that is there, and write a shaper that breaks laws, saying so in it.

    Raises:
        UnknownName: nothing of that name was written in a cell.
        UsageProblem: a path that is taken or no module's, code that cannot stand alone, laws broken.
    """
    path = Path(path).expanduser()
    if path.suffix != ".py" or not path.stem.isidentifier():
        raise UsageProblem(f"{path.name!r} cannot be imported: name a module such as {name}_shaper.py")
    ours = {n: w for n, w in written.items() if w.kind == kind}
    if name not in ours:
        raise UnknownName(f"{kind} written in a cell", name, ours or [f"none yet: %%{kind} NAME writes one"])
    if path.exists() and not force:
        raise UsageProblem(f"{path} is there already; --force overwrites it")
    if not path.parent.is_dir():
        raise UsageProblem(f"there is no folder {path.parent}")
    text = module_text(ours[name], user_names)
    verdict, keeps_laws = _checked(text, ours[name])
    if not keeps_laws and not force:
        raise UsageProblem(
            f"nothing was written: {verdict}; run its %%shaper cell to see how, or --force writes it as it is"
        )
    if not keeps_laws:
        text = text.replace('."""', f'.\n\nIt does not keep all laws of shaping: {verdict}.\n"""', 1)
    _replace(path, text)
    return Exported(path, kind, name, verdict)


def module_text(written: Written, user_names: Mapping[str, Any]) -> str:
    """The module.

    Raises:
        UsageProblem: the code holds lines that are no Python, or uses what cannot be written down.
    """
    if not written.is_python:
        raise UsageProblem(
            f"the cell of {written.name} holds lines for IPython (% or !), which no module can: take them out"
        )
    future, own_imports, body = _parted(written.body)
    if written.annotations and FUTURE not in future:
        future.insert(0, FUTURE)
    needs = Needs({n: v for n, v in user_names.items() if n != written.name})
    needs.add("\n".join([*future, *own_imports, body]))
    head = f'"""{written.kind.capitalize()} `{written.name}`, exported from a notebook by `%oc export`."""'
    imports = "\n".join(merged([*own_imports, *needs.imports]))
    top = "\n\n".join(part for part in (head, "\n".join(future), imports) if part)
    return "\n\n\n".join([top, *needs.definitions, body.strip("\n")]) + "\n"


def merged(lines: list[str]) -> list[str]:
    """Import lines in order, those from one module on one line.

    >>> merged(["from b import d", "import a", "from b import c as e"])
    ['import a', 'from b import c as e, d']
    """
    plain: set[str] = set()
    names: dict[str, set[str]] = {}
    for line in lines:
        module, found, wanted = line.removeprefix("from ").partition(" import ")
        if line.startswith("from ") and found:
            names.setdefault(module, set()).update(wanted.split(", "))
        else:
            plain.add(line)
    return [*sorted(plain), *(f"from {m} import {', '.join(sorted(names[m]))}" for m in sorted(names))]


def _parted(body: str) -> tuple[list[str], list[str], str]:
    """The `from __future__` lines, the other imports that the body begins with, and the rest."""
    lines = body.splitlines()
    future: list[str] = []
    imports: list[str] = []
    for node in ast.parse(body).body:
        if not isinstance(node, (ast.Import, ast.ImportFrom)):
            break
        of_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        (future if of_future else imports).append(ast.unparse(node))
        for at in range(node.lineno - 1, node.end_lineno or node.lineno):
            lines[at] = ""
    return future, imports, "\n".join(lines)


def _checked(text: str, written: Written) -> tuple[str, bool]:
    """What a fresh process says to the module, and whether it keeps all laws."""
    with tempfile.TemporaryDirectory(prefix="opencollab_nb-") as folder:
        trial = Path(folder) / "exported.py"
        trial.write_text(text, "utf-8")
        argv = [sys.executable, "-c", _CHECK, str(trial), written.name, written.kind]
        try:
            ran = subprocess.run(
                argv,
                capture_output=True,
                text=True,
                encoding="utf-8",
                errors="replace",
                timeout=CHECK_SECONDS,
                env={**os.environ, "PYTHONIOENCODING": "utf-8"},
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise UsageProblem(
                f"nothing was written: the check of {written.name} took over {CHECK_SECONDS} seconds"
            ) from None
    if ran.returncode not in (0, LAWS_BROKEN):
        last = (ran.stderr.strip().splitlines() or ["it ended without a word"])[-1]
        raise UsageProblem(f"nothing was written: in a fresh process the module fails with {last}")
    verdict = ran.stdout.strip().splitlines()[0] if ran.stdout.strip() else "it can be imported"
    return verdict, ran.returncode == 0


def _replace(path: Path, text: str) -> None:
    """Write the file whole or not at all."""
    new = path.with_name(f".{path.name}.new")
    try:
        new.write_text(KNOWN.struck(text), "utf-8")
        new.replace(path)
    except OSError as problem:
        new.unlink(missing_ok=True)
        raise UsageProblem(f"{path} cannot be written: {problem}") from None
