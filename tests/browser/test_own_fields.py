"""Each kind of parameter of a user's shaper has its control in the chain editor, and the control sets it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from playwright.sync_api import expect

from tests.browser.bridge import Bridge
from tests.browser.test_lab_page import opened, wire

__all__ = ["opened", "wire"]  # the fixtures of the other screens


@dataclass(frozen=True)
class Mine:
    ratio: float = 0.5
    eager: bool = False
    keep: int | None = None
    where: Literal["head", "tail"] = "head"
    offset: int = -2
    tools: frozenset[str] = frozenset({"grep", "bash"})
    stub: str = "[gone]"
    words: tuple[str, ...] = ("zeta", "alpha")
    sizes: tuple[int, ...] = (30, 9)

    def shape(self, messages: Any, pressure: Any) -> Any:
        return messages


def test_each_field_of_a_user_s_shaper_is_set_by_its_control(opened: Callable[..., Bridge]) -> None:
    bridge = opened(3)
    bridge.session.use(Mine())
    bridge.says(".oc-cards", "ratio")
    control = bridge.root.get_by_label
    expect(control("Mine: words")).to_have_value("zeta, alpha")
    expect(control("Mine: sizes")).to_have_value("30, 9")
    bridge.root.locator(".oc-fields summary").click()

    def type_in(name: str, text: str, wanted: Any) -> None:
        control(f"Mine: {name}").fill(text)
        bridge.page.keyboard.press("Enter")
        bridge.until(lambda: getattr(bridge.session.chain.shapers[0], name) == wanted)
        bridge.pump()

    type_in("ratio", "0.25", 0.25)
    type_in("keep", "4", 4)
    type_in("keep", "", None)
    type_in("offset", "-7", -7)
    type_in("tools", "file_read, bash", frozenset({"file_read", "bash"}))
    type_in("stub", "[a, b]", "[a, b]")
    type_in("words", "c, b", ("c", "b"))
    type_in("sizes", "5, 20", (5, 20))
    control("Mine: eager").check()
    bridge.until(lambda: bridge.session.chain.shapers[0].eager)
    control("Mine: where").select_option("tail")
    bridge.until(lambda: bridge.session.chain.shapers[0].where == "tail")
    control("Mine: sizes").fill("5, many")
    bridge.page.keyboard.press("Enter")
    bridge.until(lambda: bridge.root.get_by_role("alert").is_visible())
    expect(control("Mine: sizes")).to_have_value("5, 20")
    assert bridge.session.chain.shapers[0].sizes == (5, 20)
