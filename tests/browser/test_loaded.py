"""A hostile transcript of another agent in every view that shows one, in JupyterLab, in both themes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from tests.browser.test_lab import nothing_is_cut_off, theme
from tests.browser.test_quickstart_panel import LOAD, button, readable

FILE = r"""
import json, pathlib, tempfile
EVIL = ("<img src=x onerror=\"window.__hit='img'\"><script>window.__hit='script'</script>"
        "<svg onload=window.__hit=1></svg></script></pre><a href=\"javascript:window.__hit=1\">x</a>"
        "<style>.jp-Notebook{display:none!important}</style>"
        "\x1b[2J\x1b]8;;javascript:1\x07\u202eabc\u2066\x00\ud83e $$x^2$$ \n%%javascript\nwindow.__hit=1\n")
LINE = "x<b>y" * 1_000_000
deep = current = {}
for _ in range(300):
    current["a"] = current = {}
messages = [{"role": "system", "content": EVIL}, {"role": "user", "content": EVIL}]
for n in range(12):
    arguments = json.dumps({EVIL: EVIL, "deep": deep})
    function = {"name": EVIL if n % 2 else "bash", "arguments": arguments}
    call = {"id": f"{EVIL}{n % 3}", "type": "function", "function": function}
    text = LINE if n == 5 else f"{EVIL} src/file{n}.py {n}471 " + "word " * 900
    messages += [{"role": "assistant", "content": EVIL, "reasoning_content": EVIL, "tool_calls": [call]},
                 {"role": "tool", "tool_call_id": call["id"], "name": EVIL, "content": text}]
messages += [{"role": "assistant", "content": f"It is src/file1.py with 1471. {EVIL}"}]
folder = pathlib.Path(tempfile.mkdtemp())
path = folder / "<img src=x onerror=window.__hit=3>.jsonl"
torn = '{"role": "user", "content": "<script>window.__hit=4</script>'
path.write_text("\n".join(json.dumps(m) for m in messages) + "\n" + torn)
evil = get_ipython().run_line_magic("oc", f"load {str(path)!r} --name evil")
evil
"""
CELLS = (
    LOAD,
    FILE,
    "%oc @evil at 9",
    "%oc @evil context --step 9",
    "%oc @evil context 11",
    "%oc @evil transcript",
    "%oc @evil whatif default --window 16_000",
    "%oc replay evil --window 16_000",
    "%oc compare evil",
    "(folder / '<b>.txt').write_text(EVIL.encode('utf-8', 'replace').decode())\n"
    "from opencollab_nb import load\nload(folder)",
)


def test_nothing_of_a_hostile_transcript_acts_and_every_view_keeps_its_place(
    notebook: Callable[..., Any], page: Any, tmp_path: Path
) -> None:
    page.set_viewport_size({"width": 1200, "height": 1500})
    book = notebook(*CELLS)
    for number in range(len(CELLS)):
        book.run(number)
        book.wait(number, timeout_ms=120_000)
    assert page.locator('[data-mime-type="application/vnd.jupyter.stderr"]:visible').count() == 0

    session, compare = book.panel(7), book.panel(8)
    for step in range(1, 4):
        button(session, "Step").click()
        expect(session.locator(".oc-steps b")).to_have_text(str(step))
    button(session, "Run").click()
    expect(session.locator(".oc-state b")).to_have_text("done", timeout=60_000)
    expect(session.locator(".oc-note-at")).to_contain_text("would have changed the run here")
    compare.get_by_placeholder("those of the transcripts").fill("16000")
    button(compare, "Run").click()
    expect(compare.locator(".oc-state b")).to_have_text("done", timeout=60_000)
    expect(compare.locator(".oc-results tbody tr")).to_have_count(2)
    # What cannot be loaded is told in the panel, and what is there stays.
    compare.get_by_label("Path to load").fill("/nowhere/<img src=x onerror=window.__hit=5>")
    button(compare, "Load").click()
    expect(compare.get_by_role("alert").first).to_contain_text("nowhere")
    expect(compare.locator(".oc-files label")).to_have_count(1)

    assert page.evaluate("() => window.__hit === undefined")
    assert page.locator(".jp-OutputArea-output mjx-container").count() == 0
    for number in range(1, len(CELLS)):
        shown = book.text(number)
        assert not {"\u202e", "\x1b", "\x00", "\u2066"} & set(shown), number
        assert len(shown) < 200_000, number
        for tag in ("script", "img[src=x]", "iframe", "style", "a[href^=javascript]"):
            assert book.output(number).locator(f".jp-RenderedHTMLCommon {tag}").count() == 0, (number, tag)
        over = book.output(number).evaluate("e => e.scrollWidth - e.clientWidth")
        assert over <= 1, (number, over)
    for shade in ("light", "dark"):
        theme(book, page, shade)
        for panel, name in ((session, "replay"), (compare, "compare")):
            readable(panel)
            nothing_is_cut_off(panel)
            panel.screenshot(path=tmp_path / f"hostile-{name}-{shade}.png")
    theme(book, page, "light")
