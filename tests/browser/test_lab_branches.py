"""Branches side by side and a what-if message by message, on a real session in a page without a server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from opencollab_nb.ticket import Ticket
from opencollab_nb.views.ticker import ticker
from tests.browser.bridge import Bridge
from tests.browser.test_lab_page import opened, wire
from tests.browser.test_page import CONTRAST, LEAST_CONTRAST

__all__ = ["opened", "wire"]  # the fixtures of the other screens

EVIL = "<img src=x onerror=window.__x=1>"
CUT_OFF = """() => [...document.querySelectorAll('.oc-panel section, .oc-card, .oc-pair-row')]
    .filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.className)"""


@pytest.fixture
def forked(opened: Callable[..., Bridge]) -> Iterator[Callable[..., tuple[Bridge, Any]]]:
    """A panel, and a branch of its session that has gone its own way."""
    branches: list[Any] = []

    def fork(step: int = 9, more: int = 6, **given: Any) -> tuple[Bridge, Any]:
        bridge = opened(**given)
        branch = bridge.session.fork(step)
        branches.append(branch)
        branch.use("no_history_compaction")
        branch.run(more)
        ticker.poke(bridge.panel)  # as the end of a cell does
        bridge.until(lambda: bridge.root.locator(".oc-run").count() == 2)
        return bridge, branch

    yield fork
    for branch in branches:
        branch.close()


def cards(bridge: Bridge) -> Any:
    return bridge.root.locator(".oc-run")


def test_a_branch_has_a_chart_on_the_axes_of_the_run_and_its_facts(forked: Any) -> None:
    bridge, branch = forked()
    own, other = cards(bridge).nth(0), cards(bridge).nth(1)
    bridge.until(lambda: other.locator(".oc-run-line").count() == 1)
    expect(own).to_contain_text("this run")
    tokens = branch.trace.last("request")["tokens"]
    for text in (
        branch.name,
        "after step 9",
        "15",
        f"{tokens:,}",
        f"{branch.input_tokens_sent:,} tokens",
        "Cap one result",
    ):
        expect(other).to_contain_text(text)
    for card in (own, other):
        assert "24" in card.locator(".oc-chart text").all_text_contents()
    assert other.locator(".oc-run-fork").count() == 1
    expect(other.locator(".oc-run-at")).to_have_text("fork 9")
    assert other.locator(".oc-run-other").count() == 1
    trigger = [float(card.locator(".oc-limit").get_attribute("y1")) for card in (own, other)]
    assert trigger[0] == trigger[1]


def test_a_branch_is_live_while_it_goes_on(forked: Any) -> None:
    bridge, branch = forked()
    other = cards(bridge).nth(1)
    bridge.until(lambda: other.locator(".oc-run-line").count() == 1)
    before = other.locator(".oc-run-line").get_attribute("d")
    branch.run(4)
    bridge.until(lambda: "19" in other.locator(".oc-facts").inner_text())
    bridge.until(lambda: other.locator(".oc-run-line").get_attribute("d") != before)
    assert f"{branch.trace.last('request')['tokens']:,}" in other.inner_text()


def test_one_click_shows_the_branch_here_and_another_the_run(forked: Any) -> None:
    bridge, branch = forked()
    bridge.root.get_by_label("Step to look at").fill("4")
    bridge.says(".oc-map h3", "at step 4")
    cards(bridge).nth(1).get_by_role("button").click()
    bridge.until(lambda: bridge.root.locator(".oc-steps b").inner_text() == "15")
    bridge.says(".oc-map h3", "at step 15")
    expect(bridge.root.locator(".oc-about")).to_contain_text(branch.name)
    expect(cards(bridge).nth(0)).to_contain_text("origin")
    bridge.press("Step")
    bridge.until(lambda: bridge.root.locator(".oc-steps b").inner_text() == "16")
    assert (branch.steps, bridge.session.steps) == (16, 24)
    cards(bridge).nth(0).get_by_role("button").click()
    bridge.until(lambda: bridge.root.locator(".oc-steps b").inner_text() == "24")


def test_a_closed_branch_shows_the_line_that_opens_it(forked: Any) -> None:
    bridge, branch = forked()
    branch.close()
    bridge.session.step()
    bridge.says(cards(bridge).nth(1), f'%oc resume "{branch.path}"')
    assert cards(bridge).nth(1).get_by_role("button").count() == 0


def test_a_hostile_name_of_a_branch_is_text(forked: Any) -> None:
    bridge, branch = forked(name=EVIL)
    assert EVIL in branch.name
    bridge.says(cards(bridge).nth(1), "<img src=x")
    assert bridge.root.locator("img").count() == 0
    assert bridge.page.evaluate("() => window.__x") is None


def drafted(bridge: Bridge, policy: str = "no_history_compaction") -> None:
    bridge.press("What if…")
    bridge.says(".oc-chain h3", "Draft")
    bridge.root.get_by_label("Policy").select_option(policy)
    bridge.pump()


def projected(bridge: Bridge) -> None:
    bridge.press("Project")
    bridge.until(lambda: bridge.root.locator(".oc-pair-list").is_visible())


def test_both_requests_are_one_list_whose_rows_open_to_both_texts(opened: Any) -> None:
    bridge = opened()
    drafted(bridge)
    projected(bridge)
    rows = bridge.root.locator("summary.oc-pair-row")
    differ = int(bridge.root.locator(".oc-pairs h3").inner_text().split("message ")[1].split()[0])
    assert rows.count() == differ > 3
    expect(bridge.root.locator(".oc-pair-fold").first).to_contain_text("the same")
    came = bridge.root.locator(".oc-pair-came")
    expect(came.first).to_contain_text("summarized")
    came.first.locator("summary").click()
    bridge.until(lambda: came.first.locator(".oc-diff").count() == 1)
    expect(came.first.locator(".oc-came").first).to_be_visible()
    gone = bridge.root.locator(".oc-pair-gone", has_text="summary")
    expect(gone).to_have_count(1)
    gone.locator("summary").focus()
    bridge.page.keyboard.press("Enter")
    bridge.until(lambda: gone.locator(".oc-diff").count() == 1)
    expect(gone.locator(".oc-diff")).to_contain_text("summary of")


def test_a_draft_has_a_target_and_a_mode_of_its_own(opened: Any) -> None:
    bridge = opened()
    drafted(bridge, "default")
    ratio, mode = bridge.session.pressure.target_ratio, bridge.session.mode
    bridge.root.get_by_role("spinbutton", name="target").fill("40")
    bridge.page.keyboard.press("Enter")
    bridge.root.get_by_label("Mode", exact=True).select_option("stateless")
    bridge.pump()
    projected(bridge)
    trigger = bridge.session.pressure.snapshot().trigger
    expect(bridge.root.locator(".oc-whatif .oc-facts")).to_contain_text(f"stateless, {trigger * 2 // 5:,} of")
    assert (bridge.session.pressure.target_ratio, bridge.session.mode) == (ratio, mode)
    bridge.press("Use this chain")
    bridge.until(lambda: bridge.session.mode == "stateless")
    assert bridge.session.pressure.target_ratio == pytest.approx(0.4)


def test_what_is_chosen_before_the_draft_is_there_goes_to_the_draft(opened: Any) -> None:
    bridge = opened(3, policy="default")
    swaps = len(bridge.session.trace.of("swap"))
    bridge.root.get_by_role("button", name="What if…").click()
    bridge.root.get_by_label("Policy").select_option("no_history_compaction")
    bridge.says(".oc-chain h3", "Draft")
    bridge.until(lambda: bridge.root.get_by_label("Policy").input_value() == "no_history_compaction")
    assert len(bridge.session.trace.of("swap")) == swaps
    bridge.press("Use this chain")
    bridge.until(lambda: bridge.session.policy == "no_history_compaction")
    bridge.pump()
    assert bridge.root.get_by_label("Policy").input_value() == "no_history_compaction"


def test_a_chain_by_hand_is_called_custom_as_soon_as_it_waits(opened: Any) -> None:
    bridge = opened(3, policy="default")
    policy = bridge.root.get_by_label("Policy")
    assert policy.input_value() == "default"
    bench, ticket = bridge.session._bench, Ticket()
    bench.begin(ticket)  # a step in flight: what is changed now waits for its end
    policy.select_option("summarize")
    bridge.until(lambda: bridge.session.pending is not None)
    bridge.pump()
    assert policy.input_value() == "summarize"
    bridge.root.get_by_label("Clear old results, in the chain").uncheck()
    bridge.until(lambda: policy.input_value() == "custom")
    assert bridge.session.policy == "default"
    bench.release(ticket)
    bridge.until(lambda: bridge.session.policy is None)
    bridge.pump()
    assert policy.input_value() == "custom"


def test_nothing_can_be_pressed_without_the_kernel(forked: Any) -> None:
    bridge, _branch = forked()
    drafted(bridge)
    projected(bridge)
    bridge.root.locator("summary", has_text="Rounds").click()
    bridge.until(lambda: bridge.root.locator(".oc-rounds .oc-card").count() > 0)
    bridge.page.evaluate("() => lose()")
    expect(bridge.root.locator(".oc-word:visible").first).to_contain_text("nothing here can be pressed")
    expect(bridge.root.locator(".oc-word:visible").first).to_contain_text("Run this cell again")
    sent = bridge.page.evaluate("() => sent.length")
    left = bridge.root.evaluate(
        """root => [...root.querySelectorAll('button, input, select')]
            .filter((e) => e.offsetParent && !e.disabled && e.getAttribute('aria-disabled') !== 'true')
            .map((e) => e.outerHTML.slice(0, 90))"""
    )
    assert left == []
    for button in bridge.root.get_by_role("button").all():
        if button.is_visible():
            button.click(force=True)
    strip = bridge.root.get_by_role("slider", name="Messages of the request")
    strip.click(position={"x": 60, "y": 15})
    bridge.root.locator(".oc-pressure .oc-chart").click(position={"x": 200, "y": 100})
    bridge.root.locator("summary.oc-pair-row").first.click()
    assert bridge.page.evaluate("() => sent.length") == sent
    expect(bridge.root.locator(".oc-map h3")).to_contain_text("at step 24")


def test_the_legend_has_a_sign_of_its_own_for_each_state(opened: Any) -> None:
    legend = opened(2).root.locator(".oc-legend")
    for word in (
        "verbatim",
        "offloaded",
        "capped",
        "cleared",
        "snipped",
        "shed",
        "stands for others",
        "pinned",
        "tail",
        "free",
        "reserve",
    ):
        expect(legend).to_contain_text(word)
    looks = legend.locator("b.oc-sign").evaluate_all(
        "signs => signs.map((e) => { const s = getComputedStyle(e);"
        " return [s.backgroundColor, s.backgroundImage, s.borderStyle, s.borderColor].join(); })"
    )
    assert len(looks) == len(set(looks)) == 12


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [800, 1400])
def test_branches_and_the_list_can_be_read_and_nothing_is_cut_off(
    page: Any, forked: Any, theme: str, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 1500})
    bridge, _branch = forked(theme=theme)
    bridge.session.fork(20).close()
    drafted(bridge)
    projected(bridge)
    bridge.root.locator("summary.oc-pair-row").first.click()
    bridge.until(lambda: bridge.root.locator(".oc-pair-body .oc-diff").count() == 1)
    bridge.session.step()
    bridge.until(lambda: cards(bridge).count() == 3)
    found = bridge.root.evaluate(CONTRAST)
    assert found[0][0] >= LEAST_CONTRAST, found[:5]
    assert page.evaluate(CUT_OFF) == []
