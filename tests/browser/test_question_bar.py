"""A command that waits, in the panel: allowed, changed or denied."""

from __future__ import annotations

from typing import Any

from tests.browser.stage import Stage


def asked(stage: Stage, command: str, number: int, **more: Any) -> None:
    state = {"question": command, "question_number": number, "question_editable": True, **more}
    stage.tell("add", state={"run": "running", "held_by": "confined by bubblewrap", **state})


def test_a_command_is_allowed_edited_or_denied(page: Any) -> None:
    stage = Stage(page)
    stage.full(run="running")
    press = lambda name: page.get_by_role("button", name=name, exact=True).click()  # noqa: E731
    asked(stage, "make all\nmake harm", 4)
    assert page.locator(".oc-question code").inner_text() == "make all\nmake harm"
    assert "confined by bubblewrap" in page.locator(".oc-question").inner_text()
    press("Edit")
    page.get_by_label("Command to run in its place").fill("make some")
    press("Run this")
    assert stage.orders[-1]["verb"] == "answer"
    assert stage.orders[-1]["argument"] == {"allow": True, "number": 4, "command": "make some"}
    asked(stage, "make more", 5)
    assert page.get_by_label("Command to run in its place").is_hidden(), "another question begins anew"
    press("Allow")
    assert stage.orders[-1]["argument"] == {"allow": True, "number": 5}
    asked(stage, "make less", 6)
    press("Edit")
    press("Do not edit")
    press("Deny")
    assert stage.orders[-1]["argument"] == {"allow": False, "number": 6}
    asked(stage, "pytest .", 7, question_editable=False)
    assert page.get_by_role("button", name="Edit", exact=True).count() == 0
