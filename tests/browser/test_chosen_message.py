"""A message chosen on the map stays the one that is looked at, whatever of the map is new meanwhile."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.bridge import Bridge
from tests.browser.test_lab_page import choose_first, opened, strip, walk_to, wire  # noqa: F401 - fixtures
from tests.views.wire import wait_for


def run_until_another_summary(bridge: Bridge) -> None:
    """Steps of which the page hears nothing yet."""
    before = len(bridge.session.rounds())
    for _ in range(40):
        bridge.session.step()
        if len(bridge.session.rounds()) > before:
            return
    raise AssertionError("no round")


def enter(bridge: Bridge) -> None:
    bridge.page.keyboard.press("Enter")


def says_summary_of(bridge: Bridge) -> int:
    """How many messages the summary on show stands for."""
    title = bridge.root.locator(".oc-message h3")
    bridge.until(lambda: "Summary of" in title.inner_text())
    return int(title.inner_text().split()[2].replace(",", ""))


def covered(bridge: Bridge) -> int:
    [summary] = [m for m in bridge.session.request().shaped if m["meta"].get("covers")]
    return sum(last - first + 1 for first, last in summary["meta"]["covers"])


@pytest.mark.parametrize("pressed", ["before", "after"])
def test_a_summary_is_shown_though_it_is_renewed_while_the_key_is_pressed(
    opened: Any,  # noqa: F811
    pressed: str,
) -> None:
    bridge = opened()
    bridge.has_heard()
    walk_to(bridge, "stands for")
    if pressed == "before":
        enter(bridge)
    run_until_another_summary(bridge)
    if pressed == "after":
        enter(bridge)
    bridge.until(lambda: says_summary_of(bridge) == covered(bridge))
    bridge.has_heard()
    assert says_summary_of(bridge) == covered(bridge)
    assert bridge.root.locator(".oc-diff").count()


def test_a_message_that_moves_on_the_map_stays_the_one_on_show_and_under_the_keys(opened: Any) -> None:  # noqa: F811
    bridge = opened()
    choose_first(bridge, "verbatim")
    for _ in range(9):
        bridge.page.keyboard.press("ArrowRight")
    words = strip(bridge).get_attribute("aria-valuetext")
    enter(bridge)
    number = words.split()[1]
    bridge.says(".oc-message h3", f"Message {number} ")
    run_until_another_summary(bridge)
    bridge.has_heard()
    bridge.until(lambda: f"Message {number} " in bridge.root.locator(".oc-message h3").inner_text())
    now = strip(bridge).get_attribute("aria-valuetext")
    assert now != words, "it is told anew what became of it"
    assert bridge.root.locator(".oc-map .oc-told").inner_text() == now
    if f"message {number} " in now:
        enter(bridge)
        bridge.says(".oc-message h3", f"Message {number} ")


def test_the_whole_picture_again_leaves_the_choice(opened: Any) -> None:  # noqa: F811
    bridge = opened()
    choose_first(bridge, "stands for")
    run_until_another_summary(bridge)
    bridge.panel.widget.comm.handle_msg(
        {"content": {"data": {"method": "custom", "content": {"kind": "ready"}}}, "buffers": []}
    )
    bridge.until(lambda: says_summary_of(bridge) == covered(bridge))


def test_an_answer_that_is_lost_on_the_way_is_asked_for_again(opened: Any) -> None:  # noqa: F811
    bridge = opened()
    choose_first(bridge, "verbatim")
    bridge.page.keyboard.press("ArrowRight")
    enter(bridge)
    bridge.hear()
    bridge.told = len(bridge.panel.widget.comm.published)  # all that was said is lost
    before = bridge.root.locator(".oc-message h3").inner_text()
    bridge.session.step()
    bridge.until(lambda: bridge.root.locator(".oc-message h3").inner_text() != before)


def test_a_click_whose_answer_is_lost_leaves_its_button_free(opened: Any) -> None:  # noqa: F811
    bridge = opened(3)
    bridge.root.get_by_role("button", name="Step", exact=True).click()
    bridge.hear()
    wait_for(lambda: bridge.session.steps == 4 and bridge.session.state == "paused")
    bridge.panel.flush()
    bridge.told = len(bridge.panel.widget.comm.published)
    bridge.session.step()
    button = bridge.root.get_by_role("button", name="Step", exact=True)
    bridge.until(lambda: button.count() == 1 and button.get_attribute("aria-disabled") == "false")
    assert bridge.root.locator(".oc-steps b").inner_text() == "5"
