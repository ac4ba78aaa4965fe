"""A real server that refuses what is too long in a provider's own words, and a session that asks it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from opencollab_nb.models.openai_chat import OpenAIModel
from opencollab_nb.models.retries import Retries
from opencollab_nb.session import Session
from tests.models.server import Answer, ChatServer, chars_over_four
from tests.session.build import a_session, working

SERVED = 6_000
QUICK = Retries(at_most=2, first_seconds=0.01)


def input_tokens(body: dict[str, Any]) -> int:
    return chars_over_four(json.dumps([body.get("messages"), body.get("tools")], ensure_ascii=False))


def told(text: str, **error: Any) -> dict[str, Any]:
    """An error body; `{input}`, `{window}`, `{output}` and `{total}` in it become numbers."""
    return {"error": {"message": text, "type": "invalid_request_error", **error}}


def filled(value: Any, numbers: dict[str, int]) -> Any:
    """The value with the numbers in it; a text that is only a number's name becomes the number."""
    if isinstance(value, dict):
        return {key: filled(inner, numbers) for key, inner in value.items()}
    if not isinstance(value, str):
        return value
    if value.strip("{}") in numbers and value.startswith("{"):
        return numbers[value.strip("{}")]
    for name, number in numbers.items():
        value = value.replace(f"{{{name}}}", str(number))
    return value


class Refusing:
    """Plays `replies`; what is over `served` tokens, the reply's limit included, is refused with `body`."""

    def __init__(
        self, status: int, body: Any, *, served: int = SERVED, replies: list[Any] | None = None
    ) -> None:
        self.status, self.body, self.served = status, body, served
        self.replies = iter(working(9, chars=3_000) if replies is None else replies)
        self.refused: list[dict[str, Any]] = []
        self.taken: list[int] = []

    def __call__(self, body: dict[str, Any]) -> Any:
        given = input_tokens(body)
        output = body.get("max_tokens") or 0
        if given + output > self.served:
            self.refused.append(body)
            numbers = {"input": given, "window": self.served, "output": output, "total": given + output}
            return Answer(self.status, filled(self.body, numbers))
        self.taken.append(given)
        return next(self.replies, "All done.")


@contextmanager
def against(script: Callable[[dict[str, Any]], Any], **settings: Any) -> Iterator[tuple[Session, ChatServer]]:
    """A session whose model asks a server that plays `script`."""
    with ChatServer(script) as server:
        model = OpenAIModel("tiny", base_url=server.url, retries=QUICK)
        session = a_session(model=model, **{"window": 65_000, **settings})
        try:
            yield session, server
        finally:
            session.close()
