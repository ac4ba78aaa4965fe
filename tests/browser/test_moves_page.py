"""Quotas, direction and marks of the moves in a page: widths, themes, hostile text, a past step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.browser.bridge import Bridge, KeepingComm
from tests.browser.stage import Stage
from tests.views.budgets import HOSTILE, budgeted

CONTRAST = (Path(__file__).parent / "contrast.js").read_text("utf-8")
LEAST_CONTRAST = 4.5
LONG = "a rule that goes on and on, " * 9
MOVES: dict[str, Any] = {
    "fills": [[1_700, 1_600], [2_412, 7_200], [3_705, 5_600], [0, 1_600]],
    "direction": {
        "goal": f"Add tests. {LONG}",
        "constraints": ["The schema must not be changed.", f"{HOSTILE} {LONG}"],
        "constraints_count": 14,
        "others": [["house_style", "Short <b>words</b>."]],
        "finished": ["login: tests", "mail: tests"],
        "finished_count": 9,
    },
    "todos": {
        "open": [["t3", "comment: tests", "in_progress", "user"], ["t4", HOSTILE, "open", "agent"]],
        "open_count": 5,
        "dropped_count": 1,
    },
    "moves": {"restated": [3, "compaction", 240, 2], "offloaded": [3, 2, 9_000], "anchored": [3, 8]},
}
MARKS = [[1, "offload", 2], [2, "interval", 3], [3, "milestone", 4], [3, "clear", 0]]


def shown(page: Any, theme: str = "light", rows: int = 30, **state: Any) -> Stage:
    stage = Stage(page, theme)
    stage.full(rows, **{**MOVES, **state})
    stage.tell("add", marks=MARKS)
    return stage


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_text_can_be_read(page: Any, theme: str) -> None:
    shown(page, theme)
    found = page.locator(".oc-panel").evaluate(CONTRAST)
    assert found[0][0] >= LEAST_CONTRAST, found[:5]


@pytest.mark.parametrize("width", [300, 420, 800, 1400])
def test_nothing_is_cut_off_at_any_width(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 1000})
    shown(page)
    over = page.evaluate(
        "() => [document.documentElement.scrollWidth > innerWidth,"
        " ...[...document.querySelectorAll('.oc-panel section, .oc-quota, .oc-quota-words span, .oc-held')]"
        ".map(e => e.scrollWidth > e.clientWidth + 1)]"
    )
    assert not any(over)


def test_each_quota_is_a_bar_with_its_figures(page: Any) -> None:
    shown(page)
    bars = page.locator(".oc-quota")
    assert bars.count() == 4
    assert [" ".join(text.split()) for text in bars.all_inner_texts()] == [
        "system and head 106% 1,700 of 1,600, 100 over",
        "tool results 33% 2,412 of 7,200",
        "history 66% 3,705 of 5,600",
        "restate and memory 0% 0 of 1,600",
    ]
    widths = page.evaluate(
        "() => [...document.querySelectorAll('.oc-quota-bar')]"
        ".map(e => Math.round(100 * e.firstChild.offsetWidth / e.offsetWidth))"
    )
    assert widths == [100, pytest.approx(33, abs=1), pytest.approx(66, abs=1), 0]
    assert page.locator(".oc-quota-bar u:visible").count() == 1, "a tick where the quota was passed"
    meter = page.get_by_role("meter", name="Quota of tool results")
    assert meter.get_attribute("aria-valuetext") == "2,412 of 7,200 tokens, 33%"


def test_direction_and_todos_are_seen_and_can_be_folded(page: Any) -> None:
    shown(page)
    body = page.get_by_role("region", name="Anchors and todos")
    text = body.inner_text()
    for words in ("Goal", "and 12 more", "house style", "Finished 9", "and 7 earlier", "Open 5", "1 dropped"):
        assert words in text
    assert body.get_by_role("img", name="in progress").count() == 1
    assert text.index("mail: tests") < text.index("login: tests"), "the newest first"
    summary = page.locator("summary", has_text="Direction")
    assert "restated at step 3 (compaction), 2× so far" in summary.inner_text()
    assert "2 results offloaded, −9,000 tokens" in summary.inner_text()
    summary.click()
    assert not body.is_visible()


def test_hostile_text_stays_text(page: Any) -> None:
    dialogs: list[str] = []

    def dismissed(dialog: Any) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismissed)
    shown(page)
    assert page.locator(".oc-panel img, .oc-panel .oc-held b").count() == 0
    assert "<img src=x onerror=alert(1)>" in page.locator(".oc-held").first.inner_text()
    assert not dialogs


def test_without_a_budget_there_is_no_trace_of_it(page: Any) -> None:
    shown(page, fills=[], direction={}, todos={}, moves={})
    assert not page.locator(".oc-quotas").is_visible()
    assert not page.locator("summary", has_text="Direction").is_visible()


def test_moves_are_small_marks_and_take_no_label(page: Any) -> None:
    shown(page, rows=3)
    marks = page.locator(".oc-move-mark")
    assert marks.count() == 3
    assert [title.text_content() for title in marks.locator("title").all()] == [
        "long results offloaded at step 1",
        "direction and todos restated (interval) at step 2",
        "anchored: milestone at step 3",
    ]
    labels = page.locator(".oc-mark text").all_text_contents()
    assert "clear" in labels
    assert not {"offload", "interval", "milestone"} & set(labels)


def test_a_change_is_drawn_at_once(page: Any) -> None:
    stage = shown(page)
    todos = {**MOVES["todos"], "open": [["t9", "one more", "open", "user"]], "open_count": 1}
    stage.tell("add", state={"todos": todos, "fills": [[1, 2], [1, 2], [1, 2], [1, 2]]})
    assert "t9 one more" in page.locator(".oc-direction").inner_text()
    assert page.locator(".oc-quota b").all_inner_texts() == ["50%"] * 4


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> None:
    """The `comm` package's own seam: what makes a comm."""
    import comm

    monkeypatch.setattr(comm, "create_comm", KeepingComm)


@pytest.fixture
def bridge(wire: None, page: Any, tmp_path: Path) -> Any:
    session = budgeted(tmp_path)
    session.run(4)
    made = Bridge(page, session)
    yield made
    made.panel.close()
    session.close()


def test_a_past_step_shows_its_own_quotas_and_direction(bridge: Any) -> None:
    root = bridge.root
    now = root.locator(".oc-quota").all_inner_texts()
    assert "Finished 1" in root.locator(".oc-direction").inner_text()
    root.get_by_label("Step to look at").fill("1")
    bridge.until(lambda: "Finished" not in root.locator(".oc-direction").inner_text())
    assert root.locator(".oc-quota").all_inner_texts() != now


def test_an_offloaded_message_says_so_and_under_which_rule(bridge: Any) -> None:
    root, page = bridge.root, bridge.page
    strip = root.locator("canvas").first
    strip.focus()
    for _ in range(20):
        page.keyboard.press("ArrowLeft")
        if "· offloaded" in root.locator(".oc-told").first.inner_text():
            break
    page.keyboard.press("Enter")
    bridge.until(lambda: "offloaded" in root.locator(".oc-message h3").inner_text())
    facts = root.locator(".oc-message .oc-facts").inner_text()
    assert "Offload long results, step" in facts
    assert "tool output: may give way to a pointer." in facts
