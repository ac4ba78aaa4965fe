"""Hostile text in every place of a session, in JupyterLab: nothing of it acts, and the page stays quick."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from tests.browser.test_quickstart_panel import LOAD, button

SESSION = r"""
import json, pathlib, tempfile
from opencollab_nb import Session
from opencollab_nb.models.scripted import ScriptedModel

EVIL = ("<img src=x onerror=\"window.__hit='img'\"><script>window.__hit='script'</script>"
        "<svg onload=window.__hit=1><iframe srcdoc='<script>parent.__hit=1</script>'></iframe>"
        "</script></textarea></pre><a href=\"javascript:window.__hit=1\">x</a>"
        "<style>.jp-Notebook{display:none!important}</style>"
        "\x1b[2J\x1b]8;;javascript:1\x07\u202eabc\u2066\x00\ud83e $(window.__hit=1) $$x^2$$ "
        "\n!touch hit\n%%javascript\nwindow.__hit=1\n%run hit.py\n")
DEEP = "[" * 100_000
LINE = "x<b>y" * 1_000_000
work = pathlib.Path(tempfile.mkdtemp())
NAME = "<img src=x onerror=window.__hit=2>.py"
(work / NAME).write_text(EVIL.encode("utf-8", "replace").decode())

def call(name, arguments, number):
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": f"{EVIL}{number}", "type": "function", "function": {"name": name, "arguments": text}}

def reply(request):
    n = sum(m["role"] == "assistant" for m in request.messages)
    calls = [call("file_read", {"path": NAME}, n), call(EVIL, {EVIL: EVIL}, n), call("grep", DEEP, n),
             call("file_write", {"path": f"big{n}", "content": LINE if n == 1 else "y"}, n)]
    if n == 3:
        raise RuntimeError(EVIL)
    return {"content": (LINE if n == 2 else EVIL), "reasoning_content": EVIL, "tool_calls": calls}

def evil(messages, pressure):
    raise ValueError(EVIL)
evil.__name__ = evil.__qualname__ = EVIL

session = Session(EVIL, model=ScriptedModel(reply, usage="count", name=EVIL), workspace=work, window=64_000,
                  name=EVIL, system=EVIL, shapers=[evil], shell="ask")
session
"""
REST = """session.say(EVIL)
for _ in range(4):
    try: session.step()
    except RuntimeError: pass
print(len(session.transcript), (work / "hit").exists())"""
SHOWN = """from IPython.display import HTML, display
display(session.trace.to_frame().tail(3), session.rounds(), HTML(session._repr_html_()))
session.error"""


def test_hostile_text_acts_nowhere_and_the_page_answers_in_a_second(
    notebook: Callable[..., Any], page: Any
) -> None:
    book = notebook(LOAD, SESSION, REST, SHOWN, "session")
    page.evaluate("() => { window.__hit = null; }")
    for cell in (0, 1):
        book.run(cell)
    panel = book.panel(1)
    expect(panel).to_be_visible()
    book.start(2)
    book.wait(2, 120_000)
    assert book.text(2).strip().endswith("False")
    for cell in (3, 4):
        book.run(cell)
    expect(book.panel(4)).to_be_visible()
    # Every part is unfolded, and every row of the map and of the log looked at.
    for summary in panel.locator("summary").all():
        if summary.is_visible():
            summary.click()
    for row in panel.locator("tbody tr").all()[:6]:
        if row.is_visible():
            row.click()
    page.wait_for_timeout(500)
    assert page.evaluate("() => window.__hit") is None
    found = page.evaluate(
        "() => [...document.querySelectorAll('.jp-OutputArea-output')].flatMap(out =>"
        " [...out.querySelectorAll('script, iframe, img, a[href^=javascript], .oc-panel style')])"
        ".map(e => e.outerHTML.slice(0, 200))"
    )
    assert not [html for html in found if "__hit" in html or "javascript:" in html], found
    assert page.locator(".jp-NotebookPanel:visible .jp-Notebook").is_visible(), (
        "no style of theirs is in force"
    )
    assert page.locator(".jp-OutputArea-output mjx-container").count() == 0, "nothing is set as a formula"
    assert panel.evaluate("e => e.scrollWidth <= e.clientWidth + 1"), "nothing breaks the layout"
    shown = panel.inner_text()
    assert not {"\u202e", "\x1b", "\x00", "\u2066"} & set(shown)
    milliseconds = page.evaluate(
        """async () => {
            const begun = performance.now();
            await new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)));
            return performance.now() - begun;
        }"""
    )
    assert milliseconds < 1_000
    answered = page.evaluate(
        """async (name) => {
            const panel = document.querySelector('.oc-panel');
            const step = [...panel.querySelectorAll('button')].find(b => b.textContent === name);
            const begun = performance.now();
            step.click();
            await new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)));
            return performance.now() - begun;
        }""",
        "Step",
    )
    assert answered < 1_000
    assert button(panel, "Step").is_visible()
