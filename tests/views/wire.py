"""A comm that goes nowhere: it counts what a widget would send to a browser, and lets a test answer."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from comm.base_comm import BaseComm


class CountingComm(BaseComm):
    """Keeps what is published."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.published: list[tuple[str, dict[str, Any]]] = []
        self.buffers: list[list[bytes]] = []
        """The bytes beside each message."""
        super().__init__(*args, **kwargs)

    def publish_msg(self, msg_type: str, data: Any = None, buffers: Any = None, **_rest: Any) -> None:
        self.buffers.append([bytes(b) for b in buffers or ()])
        self.published.append((msg_type, json.loads(json.dumps(data or {}, default=str))))


class Browser:
    """The other end of one panel, of a session or a team."""

    def __init__(self, panel: Any) -> None:
        self.panel = panel
        self.number = 0

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The panel's own messages, in order."""
        published = self.panel.widget.comm.published
        return [data["content"] for _, data in published if data.get("method") == "custom"]

    @property
    def bytes(self) -> int:
        """Everything that was sent so far: JSON, and the bytes beside it."""
        comm = self.panel.widget.comm
        beside = sum(len(b) for buffers in comm.buffers for b in buffers)
        return beside + sum(len(json.dumps(data)) for _, data in comm.published)

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [message for message in self.messages if message["kind"] == kind]

    def say(self, **content: Any) -> None:
        """A message of the browser."""
        data = {"method": "custom", "content": content}
        self.panel.widget.comm.handle_msg({"content": {"data": data}, "buffers": []})

    def ready(self) -> dict[str, Any]:
        """Ask for everything; returns the answer."""
        self.say(kind="ready")
        return self.of("full")[-1]

    def click(self, verb: str, argument: Any = None) -> dict[str, Any]:
        """One order; returns its answer."""
        self.number += 1
        self.say(kind="do", page=7, number=self.number, verb=verb, argument=argument)
        acks = [ack for ack in self.of("ack") if ack["number"] == self.number]
        assert len(acks) == 1
        return acks[0]

    def state(self) -> dict[str, Any]:
        """The state as this browser would have put it together."""
        merged: dict[str, Any] = {}
        for message in self.messages:
            merged.update(message.get("state", {}))
        return merged


def wait_for(true: Callable[[], bool], seconds: float = 20.0) -> None:
    """Until it holds."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not come true"
        time.sleep(0.01)
