"""The screens of the lab on a real session, in a page without a server: map, diff, slider, editor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from tests.browser.bridge import Bridge, KeepingComm
from tests.browser.test_page import CONTRAST, LEAST_CONTRAST
from tests.build import call

MOST_DRAW_MS = 50
SLACK = 5
"""A shared machine is slower than a desk by so much; the figure itself is printed."""


@pytest.fixture(autouse=True)
def wire(monkeypatch: pytest.MonkeyPatch) -> None:
    """The `comm` package's own seam: what makes a comm."""
    import comm

    monkeypatch.setattr(comm, "create_comm", KeepingComm)


def chatty(request: Any) -> dict[str, Any]:
    number = len(request.messages)
    lines = "\n".join(f"line {i} of {number}" for i in range(30))
    return {"content": lines, "tool_calls": [call("bash", {"command": "x " * 200}, f"c{number}")]}


def read_a_lot(name: str, arguments: Any) -> str:
    return "\n".join(f"{name} found {i}" for i in range(80))


class Files:
    """A workspace of one tool that answers at length."""

    shell, question = "off", None

    def schemas(self) -> list[dict[str, Any]]:
        return []

    def call(self, name: str, arguments: Any, *, ticket: Any = None) -> str:
        return read_a_lot(name, arguments)

    def close(self) -> None:
        pass


@pytest.fixture
def opened(page: Any) -> Iterator[Callable[..., Bridge]]:
    bridges: list[Bridge] = []

    def open_bridge(steps: int = 24, theme: str = "light", policy: str = "summarize", **given: Any) -> Bridge:
        given = {"model": ScriptedModel(chatty, usage="count"), "window": 8_000, "policy": policy, **given}
        session = Session("Find it.", **given)
        if steps:
            session.run(steps)
        bridges.append(Bridge(page, session, theme))
        return bridges[-1]

    yield open_bridge
    for bridge in bridges:
        bridge.panel.close()
        bridge.session.close()


def strip(bridge: Bridge) -> Any:
    return bridge.root.get_by_role("slider", name="Messages of the request")


def walk_to(bridge: Bridge, state: str) -> None:
    """Walk over the map by keys to the first cell of this state."""
    strip(bridge).focus()
    bridge.page.keyboard.press("Home")
    for _ in range(200):
        if state in (strip(bridge).get_attribute("aria-valuetext") or ""):
            return
        bridge.page.keyboard.press("ArrowRight")
    raise AssertionError(f"no cell is {state}")


def choose_first(bridge: Bridge, state: str) -> None:
    """Open the first cell of this state, by keys, once the map is that of the newest step."""
    bridge.has_heard()
    walk_to(bridge, state)
    bridge.page.keyboard.press("Enter")
    bridge.until(lambda: bridge.root.locator(".oc-diff").count() > 0)


def test_a_cell_tells_what_it_is_and_shows_the_original_beside_what_was_sent(opened: Any) -> None:
    bridge = opened()
    box = strip(bridge).bounding_box()
    bridge.page.mouse.move(box["x"] + 3, box["y"] + 15)
    expect(bridge.root.locator(".oc-told").first).to_contain_text("tokens")
    choose_first(bridge, "stands for")
    expect(bridge.root.locator(".oc-message h3")).to_contain_text("Summary of")
    expect(bridge.root.get_by_role("button", name="Restore the originals")).to_be_visible()
    choose_first(bridge, "summarized")
    bridge.says(".oc-message", "Not sent. The transcript still holds it.")
    first = bridge.root.locator(".oc-message h3").inner_text()
    bridge.page.keyboard.press("Enter")
    bridge.until(lambda: bridge.root.locator(".oc-message h3").inner_text() != first)


def test_a_message_is_restored_and_stays_until_it_is_unpinned(opened: Any) -> None:
    bridge = opened()
    choose_first(bridge, "summarized")
    bridge.press("Restore from the next step")
    bridge.says(".oc-foot", "Restored")
    bridge.until(lambda: bridge.root.get_by_role("button", name="Unpin").is_visible())
    bridge.session.run(6)
    held = {m["meta"].get("id") for m in bridge.session.request(30).shaped}
    assert bridge.session.at(30).pinned
    assert bridge.session.at(30).pinned <= held
    bridge.until(lambda: "step 30" in bridge.root.locator(".oc-map h3").inner_text())


def test_the_slider_shows_a_step_as_it_was_and_live_returns(opened: Any) -> None:
    bridge = opened()
    bridge.root.get_by_label("Step to look at").fill("5")
    bridge.says(".oc-map h3", "at step 5")
    expect(bridge.root.locator(".oc-message h3")).to_contain_text("step 5, as it was")
    expect(bridge.root.locator(".oc-big")).to_have_text(f"{bridge.session.at(5).tokens:,}")
    assert bridge.root.locator(".oc-then").evaluate("e => e.style.display") == ""
    bridge.session.step()
    bridge.pump()
    expect(bridge.root.locator(".oc-map h3")).to_contain_text("at step 5")
    bridge.press("Live")
    bridge.says(".oc-map h3", "at step 25")
    assert bridge.root.locator(".oc-big").inner_text() == f"{bridge.session.at(25).tokens:,}"


def test_layers_are_changed_by_their_controls(opened: Any) -> None:
    bridge = opened()
    bridge.root.get_by_label("Clear old results: keep recent").fill("2")
    bridge.page.keyboard.press("Tab")
    bridge.says(".oc-foot", "from step 25")
    clear = next(s for s in bridge.session.chain.shapers if hasattr(s, "keep_recent"))
    assert clear.keep_recent == 2
    bridge.root.get_by_label("Clear old results, in the chain").uncheck()
    bridge.until(lambda: clear not in bridge.session.chain.shapers)
    bridge.root.get_by_label("A shaper to add").select_option("OldHistorySnipShaper")
    bridge.press("Add")
    bridge.says(".oc-cards", "Snip old groups")
    bridge.press("Move Snip old groups up")
    bridge.press("Remove Cap one result")
    bridge.until(lambda: "Cap one result" not in bridge.root.locator(".oc-cards").inner_text())
    bridge.root.get_by_label("Summarizer", exact=True).select_option("none")
    bridge.until(lambda: bridge.session.summarizer is None)
    bridge.root.get_by_label("Mode", exact=True).select_option("stateless")
    bridge.until(lambda: bridge.session.mode == "stateless")
    bridge.root.get_by_role("spinbutton", name="target").fill("60")
    bridge.page.keyboard.press("Enter")
    bridge.until(lambda: bridge.session.pressure.target_ratio == pytest.approx(0.6))


def test_a_value_that_is_refused_is_said_and_taken_back(opened: Any) -> None:
    bridge = opened(3)
    control = bridge.root.get_by_label("Cap one result: max chars")
    control.fill("-4")
    bridge.page.keyboard.press("Enter")
    bridge.until(lambda: bridge.root.get_by_role("alert").is_visible())
    expect(bridge.root.get_by_label("Cap one result: max chars")).to_have_value("16000")


def test_a_what_if_compares_two_requests_and_draws_the_other_curve(opened: Any) -> None:
    bridge = opened()
    bridge.press("What if…")
    bridge.says(".oc-chain h3", "Draft")
    bridge.root.get_by_label("Policy").select_option("no_history_compaction")
    bridge.until(lambda: bridge.root.locator(".oc-cards .oc-card").count() == 1)
    bridge.press("Project")
    bridge.says(".oc-whatif", "prefix kept")
    bridge.until(lambda: bool(bridge.root.locator(".oc-other").get_attribute("d")))
    other = bridge.root.get_by_role("slider", name="The request of the draft's chain")
    other.focus()
    bridge.page.keyboard.press("Home")
    bridge.page.keyboard.press("PageDown")
    bridge.page.keyboard.press("Enter")
    bridge.says(".oc-whatif", "this draft:")
    assert not bridge.session.trace.of("swap")
    bridge.press("Use this chain")
    bridge.until(lambda: len(bridge.session.chain.shapers) == 1)
    expect(bridge.root.locator(".oc-whatif")).to_be_hidden()


def test_rounds_are_cards_with_a_way_back(opened: Any) -> None:
    bridge = opened()
    bridge.root.locator("summary", has_text="Rounds").click()
    bridge.until(lambda: bridge.root.locator(".oc-rounds .oc-card").count() == len(bridge.session.rounds()))
    card = bridge.root.locator(".oc-rounds .oc-card").first
    expect(card).to_contain_text("trigger")
    card.get_by_text("Summary:").click()
    expect(card.get_by_role("region", name="Summary")).to_be_visible()
    card.get_by_role("button", name="See step").click()
    bridge.says(".oc-map h3", f"at step {bridge.session.rounds()[-1].step}")
    card.get_by_role("button", name="Restore these").click()
    bridge.says(".oc-foot", "Restored")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [800, 1400])
def test_every_text_of_the_lab_can_be_read_and_nothing_is_cut_off(
    page: Any, opened: Any, theme: str, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 1500})
    bridge = opened(theme=theme)
    choose_first(bridge, "stands for")
    bridge.root.locator("summary", has_text="Rounds").click()
    bridge.root.locator("summary", has_text="Step log").click()
    bridge.press("What if…")
    bridge.press("Project")
    bridge.says(".oc-whatif", "prefix kept")
    bridge.until(lambda: bridge.root.locator(".oc-rounds .oc-card").count() > 0)
    found = bridge.root.evaluate(CONTRAST)
    assert len(found) > 120
    assert found[0][0] >= LEAST_CONTRAST, found[:5]
    over = page.evaluate(
        "() => [document.documentElement.scrollWidth > innerWidth,"
        " ...[...document.querySelectorAll('.oc-panel section, .oc-bar, .oc-card')]"
        ".map(e => e.scrollWidth > e.clientWidth + 1)]"
    )
    assert not any(over)


def test_the_lab_can_be_used_by_keys_alone(page: Any, opened: Any) -> None:
    bridge = opened()
    names: list[str] = []
    for _ in range(80):
        page.keyboard.press("Tab")
        name = page.evaluate(
            """() => {
                const e = document.activeElement;
                if (e === document.body) return 'end';
                const what = e.outerHTML.slice(0, 90);
                if (!e.hasAttribute('data-lm-suppress-shortcuts')) return `unprotected ${what}`;
                if (getComputedStyle(e).outlineStyle === 'none') return `no focus seen ${what}`;
                return e.getAttribute('aria-label') || e.labels?.[0]?.textContent || e.textContent;
            }"""
        )
        if name == "end":
            break
        names.append(name)
    assert not [n for n in names if n.startswith(("unprotected", "no focus"))]
    for wanted in ("Step to look at", "Messages of the request", "Policy", "Mode", "Summarizer", "What if…"):
        assert wanted in names
    assert "Clear old results: keep recent" in names
    assert "Move Clear old results up" in names

    page.get_by_label("Step to look at").focus()
    page.keyboard.press("ArrowLeft")
    bridge.says(".oc-map h3", "at step 23")
    box = page.get_by_label("Clear old results, in the chain")
    box.focus()
    page.keyboard.press(" ")
    bridge.until(lambda: not any(hasattr(s, "keep_recent") for s in bridge.session.chain.shapers))
    assert page.evaluate("() => document.activeElement.getAttribute('aria-label')") == (
        "Clear old results, in the chain"
    )


def test_five_thousand_messages_are_drawn_at_once(page: Any, opened: Any) -> None:
    bridge = opened(0, window=2_000_000)
    for number in range(5_000):
        bridge.session.say(f"note {number} " * (1 + number % 7))
    bridge.session.step()
    bridge.says(".oc-map h3", "5,002 messages stored")
    box = strip(bridge).bounding_box()
    milliseconds = page.evaluate(
        """async ([x, y, wide]) => {
            const canvas = document.querySelector('.oc-map .oc-strip');
            const spent = [];
            for (let i = 0; i < 20; i++) {
                const from = performance.now();
                const place = {clientX: x + (i * 31) % wide, clientY: y + 9};
                canvas.dispatchEvent(new PointerEvent('pointermove', place));
                canvas.getContext('2d').getImageData(0, 0, 1, 1);
                spent.push(performance.now() - from);
            }
            return spent.sort((a, b) => a - b)[10];
        }""",
        [box["x"], box["y"], box["width"] * 0.6],
    )
    print(f"5,000 messages drawn in {milliseconds:.1f} ms")
    assert milliseconds < MOST_DRAW_MS * SLACK
