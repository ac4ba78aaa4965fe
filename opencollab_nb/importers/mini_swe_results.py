"""Whether a command of mini-swe-agent failed: it stands beside the result, in older files in its text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from opencollab_nb.messages import Message, text_of

_RECORD = re.compile(r"\s*(?:Observation:\s*)?\{")
_FIRST = re.compile(r"\s*(?:<returncode>|(?:Observation:\s*)?\{['\"]returncode['\"]: )(-?\d{1,9})\b")
_IN_RECORD = re.compile(r"['\"]returncode['\"]: (-?\d{1,9})\b")
_END_CHARS = 200


def failed(message: Message, extra: Mapping[str, Any]) -> bool:
    """True for a result with a return code that is none of success, and for a complaint.

    Args:
        message: the result.
        extra: what stands beside it.

    >>> failed({"role": "user", "content": "<returncode>1</returncode>"}, {})
    True
    """
    code = extra.get("returncode")
    noted = isinstance(code, int) and code != 0
    if noted or extra.get("exception_info") or extra.get("interrupt_type") == "FormatError":
        return True
    return False if isinstance(code, int) else _told_code(text_of(message)) != 0


def _told_code(told: str) -> int:
    """The return code in a text: at its start, or at the end of a record; 0 where there is none."""
    first = _FIRST.match(told)
    codes = [first[1]] if first else _IN_RECORD.findall(told[-_END_CHARS:]) if _RECORD.match(told) else []
    return int(codes[-1]) if codes else 0
