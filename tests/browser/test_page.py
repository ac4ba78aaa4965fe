"""The panel's code in a page of its own."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.browser.stage import STATE, Stage, row

CONTRAST = (Path(__file__).parent / "contrast.js").read_text("utf-8")
LEAST_CONTRAST = 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    "state",
    [
        {"run": "running", "doing": "running bash", "question": "rm -rf build"},
        {"run": "stopped(budget)", "detail": "The budget is used up.", "problem": "ValueError: x"},
    ],
    ids=["running", "stopped"],
)
def test_every_text_can_be_read(page: Any, theme: str, state: dict[str, Any]) -> None:
    stage = Stage(page, theme)
    stage.full(30, tokens=11_000, **state)
    stage.tell("add", log=[[31, "a fault", 0, 3, 0.1], [31, "a note", -1, None, None]])
    page.locator("svg").hover()
    found = page.locator(".oc-panel").evaluate(CONTRAST)
    assert len(found) > 30
    assert found[0][0] >= LEAST_CONTRAST, found[:5]


@pytest.mark.parametrize("width", [300, 420, 760, 1400])
def test_nothing_is_cut_off_at_any_width(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 1000})
    stage = Stage(page)
    stage.full(40)
    over = page.evaluate(
        "() => [document.documentElement.scrollWidth > innerWidth,"
        " ...[...document.querySelectorAll('.oc-panel section, .oc-bar')]"
        ".map(e => e.scrollWidth > e.clientWidth + 1)]"
    )
    assert not any(over)


def test_marks_closer_than_eight_pixels_are_one(page: Any) -> None:
    stage = Stage(page)
    marks = [[step, "clear", 0] for step in range(1, 2_000)]
    stage.tell(
        "full", rows=[row(s) for s in range(1, 2_000)], marks=marks, log=[], state={**STATE, "step": 1_999}
    )
    places = page.evaluate(
        "() => [...document.querySelectorAll('.oc-mark line')].map(e => Number(e.getAttribute('x1')))"
    )
    assert places
    assert min(b - a for a, b in pairwise(places)) >= 8


def test_ten_thousand_steps_stay_responsive(page: Any) -> None:
    stage = Stage(page)
    stage.full(600)
    milliseconds = page.evaluate(
        """async () => {
            let seq = 1, step = 600;
            const frame = () => new Promise(requestAnimationFrame);
            const spent = [];
            for (let flush = 0; flush < 100; flush++) {
                const rows = [], log = [];
                for (let i = 0; i < 100; i++) {
                    step += 1;
                    rows.push([step, 900, 400, 500 + 70 * (step % 90), 300, 0, 0, 0]);
                    log.push([step, 'grep needle', 1, 40, 0.5]);
                }
                const marks = [[step, 'clear', 0]];
                await frame();
                const from = performance.now();
                tell({kind: 'add', seq: ++seq, rows, log: log.slice(-20), marks, state: {step}});
                await frame();
                spent.push(performance.now() - from);
            }
            return spent.slice(-20).sort((a, b) => a - b)[10];
        }"""
    )
    assert page.locator(".oc-steps b").inner_text() == "10,600"
    assert page.locator("tbody tr").count() == 200
    assert page.locator(".oc-panel *").count() < 2_500
    assert milliseconds < 500


def test_a_gap_in_the_numbers_asks_for_everything_once(page: Any) -> None:
    stage = Stage(page)
    assert stage.asks == {1}
    stage.full()
    stage.seq += 5
    stage.tell("add", rows=[row(4)])
    stage.tell("add", rows=[row(5)])
    assert stage.asks == {1, 2}


def test_a_page_asks_again_until_it_has_the_picture(page: Any) -> None:
    stage = Stage(page)
    page.wait_for_function("() => sent.length > 2")
    assert stage.asks == {1}
    stage.full()
    before = len(stage.sent)
    page.wait_for_timeout(1_500)
    assert len(stage.sent) == before


def test_a_click_is_sent_once_and_shows_that_it_waits_until_its_answer(page: Any) -> None:
    stage = Stage(page)
    stage.full()
    button = page.get_by_role("button", name="Step", exact=True)
    button.click()
    button.dispatch_event("click")
    orders = [m for m in stage.sent if m["kind"] == "do"]
    assert [(m["verb"], m["number"]) for m in orders] == [("step", 1)]
    page.get_by_role("button", name="queued").wait_for(timeout=5_000)
    stage.tell("ack", page=orders[0]["page"], number=1, ok=True, text="One step.")
    assert page.get_by_role("button", name="Step", exact=True).get_attribute("aria-disabled") == "false"
    assert page.locator(".oc-answer").inner_text() == "One step."


def test_two_clicks_in_one_frame_are_one_order(page: Any) -> None:
    stage = Stage(page)
    stage.full()
    page.get_by_role("button", name="Step", exact=True).evaluate("e => { e.click(); e.click(); }")
    order = stage.orders[-1]
    assert len(stage.orders) == 1
    stage.tell("ack", page=order["page"], number=1, ok=True, text="One step.", state={"run": "running"})
    page.get_by_role("button", name="Step", exact=True).evaluate("e => e.click()")
    assert len(stage.orders) == 1


@pytest.mark.parametrize(
    ("typed", "sent"), [("60", 60), ("1,200", 1_200), ("", None), ("abc", "abc"), ("1.7", "1.7"), ("-3", -3)]
)
def test_a_step_to_run_to_is_sent_as_a_number_or_as_it_was_typed(page: Any, typed: str, sent: Any) -> None:
    stage = Stage(page)
    stage.full()
    page.get_by_label("Run to step").fill(typed)
    page.get_by_label("Run to step").press("Enter")
    assert stage.orders[-1]["argument"] == sent


def test_a_policy_that_waits_for_the_next_step_stays_chosen(page: Any) -> None:
    stage = Stage(page)
    stage.full(run="running")
    choice = page.get_by_label("Policy")
    choice.select_option("summarize")
    order = stage.orders[-1]
    answer = {"page": order["page"], "number": order["number"], "ok": True, "text": "From the next step."}
    stage.tell("ack", **answer, state={"pending": "Changes apply from step 5."})
    assert choice.input_value() == "summarize"
    stage.tell("add", state={"pending": "", "policy": "default"})
    assert choice.input_value() == "default"


def test_the_kernel_is_told_of_another_theme(page: Any) -> None:
    stage = Stage(page)
    stage.full()
    assert stage.sent[-1]["dark"] is False
    page.evaluate("() => { document.body.dataset.jpThemeLight = 'false'; }")
    stage.tell("add", state={"step": 4})
    assert stage.sent[-1] == {"kind": "theme", "dark": True}


def test_a_run_that_asks_says_that_it_waits(page: Any) -> None:
    stage = Stage(page)
    stage.full(run="running", question="make all")
    assert page.locator(".oc-state b").inner_text() == "waiting for you"
    stage.tell("add", state={"question": ""})
    assert page.locator(".oc-state b").inner_text() == "running"


def test_an_order_that_failed_is_shown_as_an_alert(page: Any) -> None:
    stage = Stage(page)
    stage.full()
    page.get_by_label("Run to step").fill("60")
    page.get_by_label("Run to step").press("Enter")
    order = stage.sent[-1]
    assert (order["verb"], order["argument"]) == ("run", 60)
    stage.tell("ack", page=order["page"], number=order["number"], ok=False, text="SessionBusy: wait")
    assert page.get_by_role("alert").inner_text() == "SessionBusy: wait"


def test_a_lost_kernel_is_said_and_nothing_can_be_pressed(page: Any) -> None:
    stage = Stage(page)
    stage.full()
    page.evaluate("() => lose()")
    stage.drawn()
    assert "Run this cell again" in page.locator(".oc-answer").inner_text()
    before = len(stage.sent)
    page.get_by_role("button", name="Run", exact=True).dispatch_event("click")
    assert len(stage.sent) == before
    assert page.get_by_label("Policy").is_disabled()


def test_everything_that_acts_can_be_reached_by_keys_and_keeps_them_from_the_notebook(page: Any) -> None:
    stage = Stage(page)
    stage.full(question="ls", run="running")
    names = []
    for _ in range(10):
        page.keyboard.press("Tab")
        names.append(
            page.evaluate(
                """() => {
                    const e = document.activeElement;
                    if (!e.hasAttribute('data-lm-suppress-shortcuts')) return 'unprotected ' + e.tagName;
                    const outline = getComputedStyle(e);
                    if (outline.outlineStyle === 'none') return 'no focus seen';
                    return e.textContent.slice(0, 6) || e.tagName;
                }"""
            )
        )
    assert names[:4] == ["Step", "Run", "Pause", "Stop"]
    assert {"Allow", "Deny"} <= set(names)
    assert not [name for name in names if "unprotected" in name or "no focus" in name]


def test_hostile_text_is_text(page: Any) -> None:
    evil = "<img src=x onerror=window.__x=1>"
    stage = Stage(page)
    state = dict.fromkeys(("name", "detail", "question", "problem", "doing", "policy", "mode"), evil)
    lab = {
        "layers": [[1, evil, evil, 1, 0, evil, [[evil, "str", evil, evil, None]]]],
        "problems": {evil: [4, evil]},
        "summarizer": [evil, evil],
        "known": [evil],
        "known_summarizers": [evil],
        "branches": [[2, evil]],
    }
    stage.full(run="running", **state, **lab)
    stage.tell("add", log=[[4, evil, 1, 1, 1.0]], marks=[[3, evil, 1]])
    assert page.locator(".oc-panel img").count() == 0
    assert page.evaluate("() => window.__x") is None
    assert evil in page.locator(".oc-what").first.text_content()


def test_a_closed_view_leaves_nothing_behind(page: Any) -> None:
    stage = Stage(page)
    stage.full()
    page.evaluate("() => closeView()")
    assert page.locator("#place *").count() == 0


def test_terms_are_explained_to_the_pointer(page: Any) -> None:
    stage = Stage(page)
    stage.full(tokens=9_986)
    for shown in (
        "of 10,000 effective tokens",
        "target 7,500",
        "trigger 10,000",
        "99% of the trigger · calibrated by 3 replies",
        "spent 12,000 of 100,000 · 50% cached",
        "cleared",
        "not sent",
        "Clear old results",
    ):
        place = page.locator(".oc-panel [title]", has_text=shown).last
        assert len(place.get_attribute("title")) > 15, shown
    assert page.locator(".oc-panel [title=undefined]").count() == 0
    assert page.locator(".oc-steps").inner_text() == "step 3 · limit 120"


def test_a_name_of_a_layer_stays_whole_in_a_narrow_panel(page: Any) -> None:
    page.set_viewport_size({"width": 300, "height": 1000})
    stage = Stage(page)
    stage.full()
    assert page.locator(".oc-layer b", has_text="Clear old results").bounding_box()["height"] < 24
