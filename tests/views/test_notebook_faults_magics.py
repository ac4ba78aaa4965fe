"""What users of other toolkits suffered from magics, tried on every magic that we have."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from IPython.core.interactiveshell import InteractiveShell

from opencollab_nb import Session
from opencollab_nb.messages import text_of
from opencollab_nb.models.scripted import ScriptedModel
from tests.build import assistant, call
from tests.views.cells import run
from tests.views.test_magics_agent import BODIES

HOSTILE = [
    *BODIES,
    "{}",
    "{0} {1!r:>10} %s %(x)s %d 100%",
    "const f = (a: {b: string}) => ({...a, c: `${a.b}`});",
    "\\begin{align} x_{i} &= \\{1, 2\\} \\end{align}",
    '<script>{"a": 1}</script> &amp; &lt;',
    "a\r\nb\tc",
    "   leading blanks\n\n\n",
    "--name bob # no flag",
    ";",
    "ends with a semicolon;",
    "nothing  \n \n",
    "\u202eright to left\u202c and a zero\u200bwidth blank",
]


@pytest.fixture
def alice(shell: InteractiveShell) -> Iterator[Session]:
    """An agent that looks at a file, then hands back."""
    replies = [assistant("look", call("file_read", {"path": "a.txt"}, f"c{i}")) for i in range(3)]
    shell.user_ns["fake"] = ScriptedModel([*replies, *["Done."] * 40])
    shell.user_ns.update(x="{v}", y="{{z}}", d={"k": "{x}"}, name="wrong", keep=3)
    session = run(shell, "%%agent alice --model fake\nRead the file.").value
    yield session
    session.close()


@pytest.mark.parametrize("body", HOSTILE)
def test_fault_02_words_below_say_reach_the_agent_byte_for_byte(
    shell: InteractiveShell, alice: Session, body: str
) -> None:
    ran = run(shell, f"%%oc @alice say\n{body}")
    assert ran.error is None, ran.err
    run(shell, "%oc step;")
    assert body in [text_of(m) for m in alice.transcript.messages]


@pytest.mark.parametrize("body", HOSTILE)
def test_fault_02_a_task_reaches_the_agent_byte_for_byte(
    shell: InteractiveShell, alice: Session, body: str
) -> None:
    session = run(shell, f"%%agent bob --model fake\n{body}")
    if not body.strip():
        return
    assert session.error is None, session.err
    assert session.value.task == body
    session.value.close()


@pytest.mark.parametrize("value", ["{x}", "{{y}}", "$x", "{In[3]}", "%s", "{"])
def test_fault_02_a_value_with_braces_is_taken_as_it_is_by_python(
    shell: InteractiveShell, alice: Session, value: str
) -> None:
    shell.user_ns["told"] = value
    assert run(shell, "alice.say(f'look at {told}')").error is None
    run(shell, "%oc step;")
    assert f"look at {value}" in [text_of(m) for m in alice.transcript.messages]


@pytest.mark.parametrize("kind", ["shaper", "summarizer"])
@pytest.mark.parametrize(
    "text", ["{x}", "{{y}}", "${x}", r"\frac{a}{b}", "%oc step", "!ls {x}", "{", "?x", "'héllo' 日本 🙂"]
)
def test_fault_02_code_below_a_magic_is_the_code_that_is_run(
    shell: InteractiveShell, alice: Session, kind: str, text: str
) -> None:
    arguments, back = ("messages, pressure", "messages") if kind == "shaper" else ("request", "TEXT")
    body = f'TEXT = {text!r}\nLINES = r"""\n{text}\n"""\ndef mine({arguments}):\n    return {back}'
    ran = run(shell, f"%%{kind} mine\n{body}")
    assert ran.error is None, ran.err
    assert shell.user_ns["TEXT"] == text
    assert shell.user_ns["LINES"] == f"\n{text}\n"


@pytest.mark.parametrize(
    "stub", ["{x}", "$x", "{{y}}", "a  b", "{d['k']}", "héllo 日本 🙂", "# no comment", ";", "("]
)
def test_fault_02_04_a_value_on_a_line_is_not_looked_up_in_the_notebook(
    shell: InteractiveShell, alice: Session, stub: str
) -> None:
    ran = run(shell, f"%oc use ToolOutputClearShaper(stub={stub!r}, keep_recent=3)")
    assert ran.error is None, ran.err
    run(shell, "%oc step;")
    assert alice.chain.shapers[0].stub == stub


@pytest.mark.parametrize(
    "name", ["two words", "héllo 日本 🙂", "a  b", "{x}", "$x", "it's", 'say "hi"', "#1"]
)
def test_fault_04_a_name_is_found_again_by_every_verb(
    shell: InteractiveShell, alice: Session, name: str
) -> None:
    quoted = '"' + name.replace('"', '\\"') + '"'
    session = run(shell, f"%%agent --name {quoted} --model fake\nRead.").value
    assert session.name == name
    for verb in ("pressure", "transcript", "context", "shapers"):
        assert run(shell, f"%oc @{quoted} {verb}").error is None
    assert run(shell, f"%%oc @{quoted} say\na  b").error is None
    run(shell, f"%oc @{quoted} step;")
    assert (alice.steps, session.steps) == (0, 1)
    session.close()


@pytest.mark.parametrize("folder", ["my files", "héllo 日本 🙂", "{x}", "$x", "a  b", "it's"])
def test_fault_04_paths_are_taken_as_they_are_written(
    shell: InteractiveShell, alice: Session, tmp_path: object, folder: str
) -> None:
    place = tmp_path / folder
    place.mkdir()
    session = run(shell, f'%%agent bob --model fake --workspace "{place}"\nRead.').value
    assert session.workspace.root == place.resolve()
    session.close()


@pytest.mark.parametrize(
    "cell",
    [
        *("%oc", "%agent", "%%agent", "%%agent bob", "%%agent bob\n \n\t\n", "%%agent --model fake\n"),
        *("%%shaper", "%%shaper mine", "%%shaper mine\n  \n", "%%summarizer", "%%summarizer mine\n\n"),
    ],
)
def test_fault_05_a_magic_without_what_it_needs_is_answered_in_three_lines(
    shell: InteractiveShell, cell: str
) -> None:
    ran = run(shell, cell)
    lines = (repr(ran.value) if ran.error is None else ran.problem).splitlines()
    assert len(lines) == 3
    assert "needs" in lines[0]
    assert any("xample" in line or "--task" in line for line in lines[1:])
    assert any("--help" in line or "%oc help" in line for line in lines[1:])


@pytest.mark.parametrize("cell", ["%%oc", "%%oc say", "%%oc say\n \n", "%%oc\nsome words", "%%oc @alice"])
def test_fault_05_words_for_nobody_or_no_words_are_answered_shortly(
    shell: InteractiveShell, alice: Session, cell: str
) -> None:
    ran = run(shell, cell)
    lines = (repr(ran.value) if ran.error is None else ran.problem).splitlines()
    assert len(lines) <= 3
    assert "%oc" in "".join(lines)
    assert alice.steps == 0


@pytest.mark.parametrize("kind", ["shaper", "summarizer"])
def test_fault_05_a_cell_magic_with_one_percent_sign_is_told_of_two(
    shell: InteractiveShell, kind: str
) -> None:
    ran = run(shell, f"%{kind} mine\ndef mine(*given):\n    return given[0]")
    assert ran.error is not None
    assert f"%%{kind}" in ran.out + ran.err + str(ran.error)


@pytest.mark.parametrize(
    "verb",
    [
        "step",
        "run 1",
        "context",
        "context 1",
        "shapers",
        "pressure",
        "transcript",
        "agents",
        "help",
        "rounds",
        "at 1",
    ],
)
def test_fault_22_every_verb_shows_one_view_and_with_a_semicolon_none(
    shell: InteractiveShell, alice: Session, verb: str
) -> None:
    run(shell, "%oc step;")
    shown = run(shell, f"%oc {verb}")
    assert shown.error is None, shown.err
    assert (len(shown.shown), shown.out) == (1, "")
    silent = run(shell, f"%oc {verb};")
    assert silent.error is None, silent.err
    assert (silent.shown, silent.out, silent.value) == ([], "", None)


@pytest.mark.parametrize("cell", ["alice", "display(alice)", "x = alice\nx"])
def test_fault_22_a_session_is_shown_once(shell: InteractiveShell, alice: Session, cell: str) -> None:
    shell.push({"display": __import__("IPython.display").display.display})
    assert len(run(shell, cell).shown) == 1


@pytest.mark.parametrize(
    "cell", ["x = alice", "%%shaper mine;\ndef mine(messages, pressure):\n    return messages"]
)
def test_fault_22_a_cell_that_ends_with_a_semicolon_or_in_a_name_shows_nothing(
    shell: InteractiveShell, alice: Session, cell: str
) -> None:
    ran = run(shell, cell)
    assert (ran.shown, ran.out) == ([], "")
