"""What a request of OpenAI's Responses holds, and what it names instead of sending it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opencollab_nb.importers.chat import text
from opencollab_nb.importers.fields import mapping
from opencollab_nb.importers.items import messages_of
from opencollab_nb.messages import Messages


def asked(request: Mapping[str, Any], given: str | list[Any]) -> tuple[Messages, str | None, int]:
    """What was sent; the last compaction in it, and how many messages stand before that one's end."""
    leading = instructions(request)
    if isinstance(given, str):
        return [*leading, {"role": "user", "content": given}], None, 0
    sealed = [n for n, item in enumerate(given) if seal(item)]
    if not sealed:
        return leading + messages_of(given), None, 0
    at = sealed[-1] + 1
    before = leading + messages_of(given[: at - 1]) + messages_of(given[at - 1 : at])
    return before + messages_of(given[at:]), seal(given[at - 1]), len(before)


def seal(item: Any) -> str | None:
    """What tells a compaction that only the provider can read from others; None for another item.

    >>> seal({"type": "compaction", "encrypted_content": "gAAAA"}), seal({"type": "message"})
    ('gAAAA', None)
    """
    held = mapping(item)
    if held.get("type") not in ("compaction", "compaction_summary"):
        return None
    return text(held.get("encrypted_content")) or text(held.get("id")) or None


def conversation_of(request: Mapping[str, Any]) -> str:
    """The conversation that the provider keeps, by its id.

    >>> conversation_of({"conversation": "c"}), conversation_of({"conversation": {"id": "c"}})
    ('c', 'c')
    """
    named = request.get("conversation")
    return text(mapping(named).get("id") if isinstance(named, Mapping) else named)


def instructions(body: Mapping[str, Any]) -> Messages:
    """The instructions of a body, as the message that leads it."""
    given = body.get("instructions")
    return [{"role": "system", "content": text(given)}] if given else []
