"""The panel of a team in a page: lanes, keys, hostile text, size; the kernel's half is real."""

from __future__ import annotations

import base64
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.team import Team
from tests.browser.bridge import KeepingComm
from tests.browser.team_bridge import TeamBridge
from tests.browser.test_page import CONTRAST, LEAST_CONTRAST
from tests.team.build import a_team, look, model, reply, seats, send, spawn, wait

EVIL = "<img src=x onerror=window.__x=1>"
MEMBERS, STEPS = 20, 500


@pytest.fixture(autouse=True)
def wire(monkeypatch: pytest.MonkeyPatch) -> None:
    import comm

    monkeypatch.setattr(comm, "create_comm", KeepingComm)


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Team]:
    """Two seats: one asks, one looks until its tokens are spent; a third is never asked."""
    a = model([reply(send("b", EVIL)), reply(wait()), "All done."])
    b = model([reply(look(), text="Looking.")] * 9, cost=2_500)
    made = a_team(tmp_path / "t", {"a": a, "b": b, "c": model([])}, seats("a", "b", "c"))
    yield made
    made.close()


def many(first: int = 0, steps: int = MEMBERS * STEPS) -> dict[str, Any]:
    """What a kernel would tell of so many members and steps, each in its turn."""
    lanes = {str(at): [f"{EVIL} {at}", EVIL, at - 1, at, EVIL] for at in range(MEMBERS)}
    figures = {str(at): ["at work", STEPS, 90_000, 50_000, 40_000, 0, 10_000] for at in range(MEMBERS)}
    rows = [struct.pack("<HI", n % MEMBERS, n * 97 % 10_000) for n in range(first, first + steps)]
    letters = [
        [n, n * 25, n % MEMBERS, (n + 7) % MEMBERS, "message", EVIL, n * 25, ""] for n in range(1, 400)
    ]
    moments = [[n * 7, n % MEMBERS, "layer", EVIL, -1] for n in range(1, 1_400)]
    state = {"run": "running", "doing": EVIL, "step": first + steps, "name": EVIL, "detail": EVIL}
    return {
        "message": {
            "first": first,
            "lanes": lanes,
            "figures": figures,
            "letters": letters,
            "moments": moments,
            "log": [[1, EVIL, 1, 1, 1.0], [1, EVIL, -1, None, None]],
            "state": state,
        },
        "bytes": base64.b64encode(b"".join(rows)).decode(),
    }


TELL_MANY = """async ({message, bytes, more}) => {
    const frame = () => new Promise(requestAnimationFrame);
    const from = performance.now();
    tell('team', {kind: 'full', seq: 1000, ...message, state: {...window.known, ...message.state}}, [bytes]);
    await frame(); await frame();
    const full = performance.now() - from;
    const spent = [];
    let [seq, first] = [1000, message.state.step];
    for (let flush = 0; flush < 10; flush++) {
        const at = performance.now();
        const state = {step: first + 1};
        tell('team', {kind: 'add', seq: ++seq, first: first++, state}, [more]);
        await frame(); await frame();
        spent.push(performance.now() - at);
    }
    const canvas = document.querySelector('.oc-lanes').getBoundingClientRect();
    const at = performance.now();
    const place = {clientX: canvas.x + 300, clientY: canvas.y + 60, bubbles: true};
    document.querySelector('.oc-lanes').dispatchEvent(new PointerEvent('pointermove', place));
    return [full, spent.sort((a, b) => a - b)[5], performance.now() - at];
}"""


def test_the_buttons_move_the_team_and_a_member_opens_and_closes_by_its_lane(page: Any, team: Team) -> None:
    bridge = TeamBridge(page, team)
    bridge.press("Step")
    bridge.until(lambda: bridge.root.locator(".oc-steps b").inner_text() == "1")
    bridge.press("Run")
    bridge.until(lambda: bridge.root.locator(".oc-state b").inner_text() == "done")
    names = bridge.root.locator(".oc-lane-name").all_inner_texts()
    assert [text.split() for text in names] == [
        ["a", "finished"],
        ["b", "ran", "out"],
        ["c", "never", "acted"],
    ]
    rows = [text.split() for text in bridge.root.locator(".oc-books tbody tr").all_inner_texts()]
    assert rows[1] == ["b", "10,000", "10,000", "0", "0", "ran", "out"]
    lane = bridge.root.locator(".oc-lane-name").nth(1)
    lane.focus()
    page.keyboard.press("Enter")
    bridge.until(
        lambda: page.locator(".oc-panel").count() == 2 and page.locator(".oc-panel").nth(1).is_visible()
    )
    assert page.locator(".oc-panel").nth(1).get_attribute("aria-label") == "Session b"
    assert lane.get_attribute("aria-expanded") == "true"
    page.keyboard.press("Enter")
    bridge.until(lambda: page.locator(".oc-panel").count() == 1)
    bridge.root.locator(".oc-lane-name").nth(2).click()
    bridge.until(
        lambda: "c was given nothing to do yet" in bridge.root.get_by_role("alert").first.inner_text()
    )
    page.evaluate("() => closeView()")
    assert page.locator("#place *").count() == 0
    bridge.panel.close()


def test_messages_and_moments_are_walked_by_keys_and_told_in_words(page: Any, team: Team) -> None:
    team.run()
    bridge = TeamBridge(page, team)
    lanes, told = page.locator(".oc-lanes"), page.locator(".oc-told").first
    lanes.focus()
    page.keyboard.press("Home")
    assert told.inner_text() == f"message 1 · a → b · sent after step 0, read after step 0 · {EVIL}"
    assert lanes.get_attribute("aria-valuetext") == told.inner_text()
    seen = set()
    for _ in range(8):
        page.keyboard.press("ArrowRight")
        seen.add(told.inner_text().split(" · ")[0])
    assert {"b ran out of tokens", "result 2 (ran out)", "a ended"} <= seen
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    bridge.until(lambda: bridge.panel.member is not None)
    assert bridge.panel.member.session is team.members["b"].session
    box = lanes.bounding_box()
    page.mouse.move(box["x"] + 4, box["y"] + 14)
    assert told.inner_text().startswith("step 1 · step 1 of a · request of")
    page.evaluate("() => lose()")
    page.wait_for_function("() => document.querySelector('.oc-state b').textContent === 'kernel gone'")
    before = page.evaluate("() => sent.length")
    page.locator(".oc-lane-name").first.dispatch_event("click")
    assert page.evaluate("() => sent.length") == before
    bridge.panel.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_text_can_be_read_and_nothing_is_cut_off_at_any_width(
    page: Any, tmp_path: Path, theme: str
) -> None:
    lead = model([reply(spawn("Write it.")), reply(wait()), "All done."])
    team = a_team(tmp_path / "t", {"lead": lead, "agent": model([reply(look())] * 9, cost=4_000)})
    team.run()
    bridge = TeamBridge(page, team, theme)
    found = bridge.root.evaluate(CONTRAST)
    assert len(found) > 30
    assert found[0][0] >= LEAST_CONTRAST, found[:5]
    for width in (320, 460, 760, 1_400):
        page.set_viewport_size({"width": width, "height": 1_000})
        bridge.pump()
        over = page.evaluate(
            "() => [document.documentElement.scrollWidth > innerWidth,"
            " ...[...document.querySelectorAll('.oc-panel section, .oc-bar')]"
            ".map(e => e.scrollWidth > e.clientWidth + 1)]"
        )
        assert not any(over), width
    bridge.panel.close()
    team.close()


def test_twenty_members_and_ten_thousand_steps_are_drawn_fast_and_hostile_text_is_text(
    page: Any, team: Team
) -> None:
    bridge = TeamBridge(page, team)
    page.evaluate("(state) => { window.known = state; }", bridge.panel.feed.full()["state"])
    more = base64.b64encode(struct.pack("<HI", 3, 5_000)).decode()
    milliseconds = page.evaluate(TELL_MANY, {**many(), "more": more})
    print("full, one step more, pointer: ms", milliseconds)
    assert max(milliseconds) < 1_000
    assert page.locator(".oc-steps b").inner_text() == "10,010"
    assert page.locator(".oc-lane-name").count() == MEMBERS
    assert page.locator(".oc-panel *").count() < 2_500
    assert page.locator(".oc-panel img").count() == 0
    assert page.evaluate("() => window.__x") is None
    assert page.locator(".oc-lane-name b").first.inner_text() == f"{EVIL} 0"
    bridge.panel.close()
