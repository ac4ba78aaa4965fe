"""`%oc export`: a module with all that the cell's code needs, checked in a fresh process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from opencollab_nb.views.outside_names import constant, used_names
from tests.views.cells import run
from tests.views.lab_cells import good, short, wrong

AROUND = '''
import re, json as js
from opencollab_nb.messages import is_pinned
from opencollab_nb import ToolResultBudgetShaper as Cap
LIMIT = 100
WORDS = {"tool": ["a", 1.5, None]}
PATTERN = re.compile("a.b", re.IGNORECASE)
class Cutter:
    """cuts"""
    def cut(self, text):
        return text[:LIMIT]
def may_change(message):
    return not is_pinned(message) and PATTERN.flags and message["role"] in WORDS
'''
USES = """%%shaper cuts
from __future__ import annotations
class cuts(Cutter):
    cap = Cap()
    def shape(self, messages: Undefined, pressure) -> Undefined:
        if not pressure.over(messages):
            return messages
        js.dumps(1)
        shaped = [self.cutted(m) for m in messages]
        return shaped if any(a is not b for a, b in zip(shaped, messages)) else messages
    def cutted(self, message):
        text = message["content"]
        if not may_change(message) or not isinstance(text, str) or len(text) <= LIMIT:
            return message
        return {**message, "content": self.cut(text)}
"""


@pytest.fixture
def at_home(shell: InteractiveShell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> InteractiveShell:
    """A shell that works in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return shell


def in_a_fresh_process(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path.cwd()
    ).stdout


def test_a_shaper_is_a_module_that_another_process_can_use(at_home: InteractiveShell) -> None:
    run(at_home, good())
    ran = run(at_home, "%oc export shaper cut_old cut_old.py")
    assert "all 9 laws hold" in repr(ran.value)
    assert "from cut_old import cut_old; session.use(cut_old())" in repr(ran.value)
    told = in_a_fresh_process(
        "from opencollab_nb import check_shaper\n"
        "from cut_old import cut_old\n"
        "print(bool(check_shaper(cut_old())))"
    )
    assert told == "True\n"


def test_what_it_uses_of_the_notebook_comes_with_it(at_home: InteractiveShell) -> None:
    assert run(at_home, AROUND).error is None
    assert run(at_home, USES).error is None
    assert run(at_home, "%oc export shaper cuts cuts.py").error is None
    text = Path("cuts.py").read_text()
    assert text.index("from __future__ import annotations") < text.index("import json as js")
    assert "from opencollab_nb.shaping.tool_budget import ToolResultBudgetShaper as Cap" in text
    assert text.index("LIMIT = 100") < text.index("class Cutter")
    assert "PATTERN = re.compile('a.b', 2)" in text
    assert in_a_fresh_process("import cuts; print(cuts.cuts().cut('x' * 200) == 'x' * 100)") == "True\n"


def test_a_chain_on_disk_can_import_it(at_home: InteractiveShell, monkeypatch: pytest.MonkeyPatch) -> None:
    from opencollab_nb.session.chain_spec import describe, restore

    run(at_home, good().replace("cut_old", "cut_module"))
    run(at_home, "%oc export shaper cut_module cut_module.py")
    monkeypatch.syspath_prepend(str(Path.cwd()))
    import cut_module  # type: ignore[import-not-found]

    spec = describe(cut_module.cut_module(chars=70))
    assert restore(spec).chars == 70


def test_a_file_that_is_there_is_overwritten_by_force_only(at_home: InteractiveShell) -> None:
    Path("mine.py").write_text("precious = 1\n")
    run(at_home, good())
    assert (
        "is there already; --force overwrites it" in run(at_home, "%oc export shaper cut_old mine.py").problem
    )
    assert Path("mine.py").read_text() == "precious = 1\n"
    assert run(at_home, "%oc export shaper cut_old mine.py --force").error is None
    assert "class cut_old" in Path("mine.py").read_text()


def test_a_shaper_that_breaks_laws_is_written_by_force_only_and_says_so(at_home: InteractiveShell) -> None:
    run(at_home, wrong())
    assert (
        "nothing was written: last_only: breaks" in run(at_home, "%oc export shaper last_only w.py").problem
    )
    assert not Path("w.py").exists()
    assert run(at_home, "%oc export shaper last_only w.py --force").error is None
    assert "It does not keep all laws of shaping: last_only: breaks" in Path("w.py").read_text()
    assert in_a_fresh_process("import w; print(w.last_only([1], None))") == "[1]\n"


@pytest.mark.parametrize(
    ("before", "body", "told"),
    [
        ("frame = object()", "x = frame\n    return messages", "uses 'frame' of the notebook, a object"),
        ("", "x = nowhere\n    return messages", "uses 'nowhere', which the notebook does not have"),
        ("", "!ls\n    return messages", "holds lines for IPython"),
    ],
)
def test_code_that_cannot_stand_alone_is_not_written(
    at_home: InteractiveShell, before: str, body: str, told: str
) -> None:
    run(at_home, before or "1")
    run(at_home, f"%%shaper mine\ndef mine(messages, pressure):\n    if 0: return 1\n    {body}")
    assert told in run(at_home, "%oc export shaper mine mine.py").problem
    assert not list(Path.cwd().iterdir())


def test_a_module_that_fails_in_a_fresh_process_is_not_written(at_home: InteractiveShell) -> None:
    run(at_home, "import sys, types\nsys.modules['ghost'] = ghost = types.ModuleType('ghost')")
    run(at_home, "%%shaper mine\ndef mine(messages, pressure):\n    ghost\n    return messages")
    try:
        assert "No module named 'ghost'" in run(at_home, "%oc export shaper mine mine.py").problem
    finally:
        del sys.modules["ghost"]
    assert not list(Path.cwd().iterdir())


def test_a_summarizer_can_be_exported(at_home: InteractiveShell) -> None:
    run(at_home, short())
    assert run(at_home, "%oc export summarizer short s.py").error is None
    assert "invented" in in_a_fresh_process("import s; print(s.short(None))")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("", "%oc export shaper NAME FILE.py"),
        ("shaper cut_odl a.py", "did you mean 'cut_old'"),
        ("sharper cut_old a.py", "did you mean 'shaper'"),
        ("shaper cut_old a.txt", "cannot be imported"),
        ("shaper cut_old 2-b.py", "cannot be imported"),
        ("shaper cut_old no/where.py", "there is no folder"),
        ("summarizer cut_old a.py", "unknown summarizer"),
    ],
)
def test_a_line_that_cannot_be_obeyed_says_why(at_home: InteractiveShell, line: str, told: str) -> None:
    run(at_home, good())
    assert told in run(at_home, f"%oc export {line}").problem


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("def f(x, y=D):\n    z = 1\n    return [a + B for a in x]", ["D", "B"]),
        ("class A(Base):\n    n = N\n    def g(self): return self.n + M", ["Base", "N", "M"]),
        ("import os\nos.path\nlen(q)", ["len", "q"]),
        ("def f():\n    global G\n    G = 1", []),
        ("@deco\ndef f(a: Ann) -> Ret: ...", ["deco", "Ann", "Ret"]),
        ("from __future__ import annotations\ndef f(a: Ann): ...", []),
        ("def f():\n    def g():\n        return h\n    return g", ["h"]),
    ],
)
def test_the_names_that_code_uses(code: str, names: list[str]) -> None:
    assert used_names(code) == names


@pytest.mark.parametrize(
    "value", [1, "a'b\n", 1.5, None, True, (1, ("a",)), [1], {"a": {1, 2}}, frozenset({1}), frozenset(), b"x"]
)
def test_constants_are_written_so_that_they_are_equal(value: Any) -> None:
    text = constant(value)
    assert text is not None
    assert eval(text) == value
    assert type(eval(text)) is type(value)


@pytest.mark.parametrize("value", [object(), float("nan"), [object()], "x" * 9_999])
def test_other_values_are_no_constants(value: Any) -> None:
    assert constant(value) is None
