"""Which lines of a Claude Code conversation were left behind when the user went back."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from opencollab_nb.importers.fields import mapping, sequence, text


def abandoned(lines: Sequence[dict[str, Any]]) -> set[int]:
    """The places of lines that no later request held.

    A line is left behind where it or one above it stands beside a later line of the living branch: both
    answer the same parent. Calls that ran side by side make such forks as well; they are told by the id of
    their message and by what they answer, and stay. So does whatever hangs on no fork.

    >>> tree = [("a", None), ("b", "a"), ("c", "a")]
    >>> abandoned([{"type": "user", "uuid": own, "parentUuid": up} for own, up in tree])
    {1}
    """
    places = {text(line.get("uuid")): at for at, line in enumerate(lines) if text(line.get("uuid"))}
    spoken = [at for at, line in enumerate(lines) if line.get("type") in ("user", "assistant")]
    if not spoken:
        return set()
    ups = [_up(line, at, places, spoken) for at, line in enumerate(lines)]
    living: set[int] = set()
    at: int | None = spoken[-1]
    while at is not None and at not in living:
        living.add(at)
        at = ups[at]
    ids = {_reply_id(lines[at]) for at in living} - {""}
    gone: set[int] = set()
    for at, line in enumerate(lines):
        up = ups[at]
        if at not in living and (up in gone or (up in living and _turns_off(line, ids))):
            gone.add(at)
    return gone


def _turns_off(line: dict[str, Any], ids: set[str]) -> bool:
    """True for a line beside the living branch that begins another one.

    A line of a living reply does not, nor does a result, nor what the program added.
    """
    if line.get("type") not in ("user", "assistant") or line.get("isMeta") is True:
        return False
    return _reply_id(line) not in ids and not _answers(line)


def _up(line: dict[str, Any], at: int, places: dict[str, int], spoken: list[int]) -> int | None:
    """The place of the line above; None at a root.

    Above a compaction, and above a line whose parent is not there, stands what was said last before it.
    """
    named = text(line.get("parentUuid"))
    if named in places:
        return places[named]
    if not named and line.get("subtype") != "compact_boundary" and line.get("isCompactSummary") is not True:
        return None
    before = bisect_left(spoken, at)
    return spoken[before - 1] if before else None


def _reply_id(line: dict[str, Any]) -> str:
    return text(mapping(line.get("message")).get("id")) if line.get("type") == "assistant" else ""


def _answers(line: dict[str, Any]) -> bool:
    blocks = sequence(mapping(line.get("message")).get("content"))
    return any(mapping(block).get("type") == "tool_result" for block in blocks)
