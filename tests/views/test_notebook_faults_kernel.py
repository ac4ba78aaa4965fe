"""What users of other toolkits suffered in kernels: where output lands, loops that run, views shown twice."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.views.kernel import WIDGET, Kernel, kernel

SETUP = """
%load_ext opencollab_nb
import sys, time
from opencollab_nb import Session, figures
from opencollab_nb.models.scripted import ScriptedModel

def talker(word, steps=12, pace=0.05):
    count = iter(range(steps))
    def reply(request):
        time.sleep(pace)
        number = next(count, None)
        if number is None:
            return "Done."
        print(word, number)
        print(word, "warns", number, file=sys.stderr)
        call = {"id": f"c{number}", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
        return {"content": word, "tool_calls": [call]}
    return Session(f"Say {word}.", model=ScriptedModel(reply, usage="count"), window=16_000, name=word)
"""


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    with kernel(tmp_path_factory.mktemp("home")) as one:
        assert not one.error(one.run(SETUP))
        yield one


def words_of(text: str) -> list[str]:
    return re.findall(r"(\w+) (?:warns )?\d+", text)


def test_fault_07_runs_that_wait_and_runs_that_are_awaited_work_in_a_cell(running: Kernel) -> None:
    waits = running.run("a = talker('seven', 6, 0)\nprint(a.run(2), a.step().number, a.steps)")
    assert running.error(waits) == ""
    assert "paused 3 3" in running.printed(waits)
    awaits = running.run("r = await a.start(2)\nprint(r.state, a.steps)")
    assert "paused 5" in running.printed(awaits)
    cell = (
        "import asyncio\nasync def both():\n    return await asyncio.gather(a.start(1), asyncio.sleep(0.01))"
    )
    gathered = running.run(f"{cell}\nawait both();\nprint(a.steps, 'nest_asyncio' in sys.modules)")
    assert "6 False" in running.printed(gathered)
    for number in (waits, awaits, gathered):
        assert "never awaited" not in running.printed(number, "stderr")


def test_fault_07_asyncio_run_of_a_run_in_a_cell_loses_no_step_and_warns_of_nothing(running: Kernel) -> None:
    number = running.run("import asyncio\nb = talker('b', 3, 0)\nasyncio.run(b.run(1))\n")
    said = running.error(number)
    assert "coroutine" in said
    after = running.run("print(b.steps, b.run(1))")
    assert "2 paused" in running.printed(after) or "1 paused" in running.printed(after)
    assert "never awaited" not in running.printed(number, "stderr")


@pytest.mark.parametrize(
    "code",
    [
        "print(session.run())",
        "import asyncio\nasync def main():\n    print((await session.start()).state)\nasyncio.run(main())",
        "import asyncio\nasync def main():\n    print(session.run())\nasyncio.run(main())",
    ],
)
def test_fault_07_the_same_calls_work_in_a_script_without_a_warning(code: str, tmp_path: Path) -> None:
    script = (
        "from opencollab_nb import Session\nfrom opencollab_nb.models.scripted import ScriptedModel\n"
        f"session = Session('Say hello.', model=ScriptedModel(['Hello.']), path={str(tmp_path / 'run')!r})\n"
        f"{code}"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, timeout=120
    )
    assert (done.stdout, done.stderr) == ("done\n", "")


def test_fault_11_nothing_drives_the_kernels_loop_by_hand() -> None:
    package = Path(__file__).parents[2] / "opencollab_nb"
    forbidden = (
        r"ui_poll|ui_events|do_one_iteration|nest_asyncio|run_until_complete|set_event_loop|process_events"
    )
    found = [path for path in package.rglob("*.py") if re.search(forbidden, path.read_text("utf-8"))]
    assert not found


def test_fault_13_what_a_run_prints_comes_live_and_in_order_while_no_cell_runs(running: Kernel) -> None:
    number = running.run("p = talker('live', 12, 0.1)\np.start();")
    assert running.idle(number)
    running.until(lambda: running.printed(number).count("live") >= 3)
    assert running.printed(number).count("live") < 12, "they came one by one, not at the end"
    running.until(lambda: running.printed(number).count("live") == 12)
    assert running.printed(number).split() == [w for n in range(12) for w in ("live", str(n))]
    assert running.printed(number, "stderr").count("warns") == 12


def test_fault_14_each_runs_text_stands_under_its_own_cell(running: Kernel) -> None:
    one = running.run("one = talker('one')\none.start();")
    two = running.run("two = talker('two')\ntwo.start();")
    three = running.run("for n in range(8):\n    print('three', n)\n    time.sleep(0.1)")
    four = running.run(
        "import asyncio\nfor n in range(4):\n    print('four', n)\n    await asyncio.sleep(0.05)"
    )
    running.until(lambda: running.printed(two).count("two") == 12 and running.printed(one).count("one") == 12)
    for number, word in ((one, "one"), (two, "two"), (three, "three"), (four, "four")):
        assert set(words_of(running.printed(number))) == {word}
        assert set(words_of(running.printed(number, "stderr"))) <= {word}


def test_fault_14_a_click_prints_under_the_cell_of_its_panel_or_nowhere_else(running: Kernel) -> None:
    shown = running.run("c = talker('clicked', 3, 0)\nc")
    comm = running.views(shown)[-1][WIDGET]["model_id"]
    other = running.run("print('other', 1)")
    running.tell(comm, {"kind": "do", "page": 1, "number": 1, "verb": "step", "argument": None})
    running.until(lambda: any(m["kind"] == "ack" for m in running.sent(comm)))
    running.until(lambda: "clicked" in "".join(map(running.printed, running.came)))
    assert "clicked" not in running.printed(other)


def test_fault_22_a_session_in_a_kernel_is_shown_once_and_with_a_semicolon_not_at_all(
    running: Kernel,
) -> None:
    running.run("s = talker('shown', 5, 0)\ns.run(2)")
    for cell in ("s", "display(s)", "x = s\nx"):
        views = running.views(running.run(cell))
        assert [WIDGET in view for view in views] == [False, True]
        assert "oc-snapshot" in views[0]["text/html"], "hidden by the page while the live half is shown"
        assert "text/html" not in views[1]
    for cell in ("s;", "x = s", "s.run_handle;"):
        assert running.views(running.run(cell)) == []
    assert len(running.views(running.run("figures.pressure_figure(s)"))) == 1
    assert running.views(running.run("figures.pressure_figure(s);")) == []


def test_fault_22_two_names_of_one_session_in_one_cell_show_one_live_panel(running: Kernel) -> None:
    number = running.run("display(s)\ns")
    comms = [view[WIDGET]["model_id"] for view in running.views(number) if WIDGET in view]
    closed = [m["content"]["comm_id"] for m in running.of(number, "comm_close")]
    assert len([comm for comm in comms if comm not in closed]) == 1


def test_fault_01_the_outputs_are_readable_json_without_a_kernel(running: Kernel) -> None:
    text = json.dumps(running.views(running.run("s")))
    for word in (
        "effective tokens",
        "steps",
        "2",
        "Clear old results",
        "Evaluate the session in a cell again",
    ):
        assert word in text


@pytest.mark.parametrize("package", ["anywidget", "ipywidgets", "plotly", "pandas"])
def test_fault_16_without_a_package_there_is_text_and_the_line_to_type(package: str, tmp_path: Path) -> None:
    with kernel(tmp_path) as one:
        one.run(f"import sys\nsys.modules[{package!r}] = None")
        assert not one.error(one.run(SETUP))
        number = one.run("s = talker('bare', 3, 0)\ns.run(2)\ns")
        assert one.error(number) == ""
        shown = json.dumps(one.views(number))
        assert "effective tokens" in shown
        for verb in ("context", "rounds", "pressure", "transcript"):
            ran = one.run(f"%agent --task quickstart\n%oc step 2;\n%oc {verb}")
            assert one.error(ran) == ""
        number = one.run("figures.pressure_figure(s)" if package == "plotly" else "s.trace.to_frame()")
        if package in ("plotly", "pandas"):
            shown = one.error(number).splitlines()[-1]
        assert f"%pip install {package}" in shown
