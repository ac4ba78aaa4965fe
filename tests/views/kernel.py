"""A real kernel without a page: cells are run, and every message is kept with the cell it belongs to."""

from __future__ import annotations

import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty
from typing import Any

from jupyter_client.manager import start_new_kernel

WIDGET = "application/vnd.jupyter.widget-view+json"


class Kernel:
    """One kernel, and the other end of its channels."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.came: dict[str, list[dict[str, Any]]] = defaultdict(list)
        """What was published, by the request it belongs to."""

    def start(self, code: str, cell: str | None = None) -> str:
        """Begin to run a cell; its id."""
        content = {
            "code": code,
            "silent": False,
            "store_history": True,
            "user_expressions": {},
            "allow_stdin": False,
            "stop_on_error": False,
        }
        message = self.client.session.msg("execute_request", content)
        message["metadata"] = {"cellId": cell or uuid.uuid4().hex}
        self.client.shell_channel.send(message)
        number: str = message["header"]["msg_id"]
        return number

    def run(self, code: str, cell: str | None = None, seconds: float = 60.0) -> str:
        """Run a cell to its end; its id."""
        number = self.start(code, cell)
        self.until(lambda: self.idle(number), seconds)
        return number

    def tell(self, comm: str, content: dict[str, Any]) -> None:
        """A message of the page to a widget."""
        data = {"comm_id": comm, "data": {"method": "custom", "content": content}}
        self.client.shell_channel.send(self.client.session.msg("comm_msg", data))

    def until(self, true: Callable[[], bool], seconds: float = 30.0) -> None:
        """Read messages until it holds."""
        end = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < end, dict(self.came)
            self.read(0.05)

    def read(self, seconds: float) -> None:
        """Read what comes within so long."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            try:
                message = self.client.get_iopub_msg(timeout=left)
            except Empty:
                return
            self.came[message["parent_header"].get("msg_id", "")].append(message)

    def idle(self, number: str) -> bool:
        return any(m["content"]["execution_state"] == "idle" for m in self.of(number, "status"))

    def of(self, number: str, *kinds: str) -> list[dict[str, Any]]:
        """Messages of one cell."""
        return [m for m in self.came[number] if m["msg_type"] in kinds]

    def printed(self, number: str, name: str = "stdout") -> str:
        """What a cell has printed."""
        streams = (m["content"] for m in self.of(number, "stream"))
        return "".join(s["text"] for s in streams if s["name"] == name)

    def views(self, number: str) -> list[dict[str, Any]]:
        """What a cell shows, updates apart."""
        return [m["content"]["data"] for m in self.of(number, "display_data", "execute_result")]

    def error(self, number: str) -> str:
        """The error of a cell, its traceback too; empty for none."""
        return "\n".join("\n".join(m["content"]["traceback"]) for m in self.of(number, "error"))

    def sent(self, comm: str) -> list[dict[str, Any]]:
        """What a widget has sent to the page."""
        every = [m for messages in self.came.values() for m in messages if m["msg_type"] == "comm_msg"]
        mine = [m["content"]["data"] for m in every if m["content"]["comm_id"] == comm]
        return [data["content"] for data in mine if data.get("method") == "custom"]


@contextmanager
def kernel(home: Path, **environment: str) -> Iterator[Kernel]:
    """A fresh kernel whose run folders lie in `home`."""
    import os

    given = {**os.environ, "OPENCOLLAB_NB_HOME": str(home), **environment}
    manager, client = start_new_kernel(env=given, cwd=str(home))
    try:
        yield Kernel(client)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
