"""Answers of OpenAI's Responses that a file holds behind the request: polled ones, and the rest of a stream.

A request in the background is answered at once, with nothing; what it gave is asked for by its id. A stream
that broke off is asked for from where it ended.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from opencollab_nb.importers.exchanges import body_of
from opencollab_nb.importers.fields import mapping, text
from opencollab_nb.importers.source import Source

PENDING = ("queued", "in_progress")
_ID = re.compile(r'"id":\s*"(resp_[^"]+)"')
_LOOKED_AT_CHARS = 4_000


class Later:
    """What the exchanges of a file without a request of their own brought, by the id of the answer.

    Args:
        source: the file.
    """

    def __init__(self, source: Source) -> None:
        values = source.json if isinstance(source.json, list) else source.objects
        self._whole: dict[str, Mapping[str, Any]] = {}
        self._rest: dict[str, list[str]] = {}
        for value in values:
            if not isinstance(value, dict) or "response" not in value or body_of(value.get("request")):
                continue
            answer = body_of(value["response"])
            if isinstance(answer, str) and (named := _named(answer)):
                self._rest.setdefault(named, []).append(answer)
            elif isinstance(answer, dict) and text(answer.get("id")) and not is_pending(answer):
                self._whole[text(answer["id"])] = answer

    def of(self, response: Any) -> Any:
        """The answer as it became; itself where nothing more is known of it."""
        if isinstance(response, str):
            named = _named(response)
            return "\n\n".join([response, *(self._rest.get(named, ()) if named else ())])
        known = self._whole.get(text(mapping(response).get("id")))
        return known if known and is_pending(response) else response


def is_pending(response: Any) -> bool:
    """True for an answer that holds nothing yet.

    >>> is_pending({"status": "queued", "output": []}), is_pending({"status": "completed"})
    (True, False)
    """
    answer = mapping(response)
    return answer.get("status") in PENDING and not answer.get("output")


def _named(stream: str) -> str:
    """The id of the answer that a stream brings."""
    found = _ID.search(stream[:_LOOKED_AT_CHARS])
    return found[1] if found else ""
