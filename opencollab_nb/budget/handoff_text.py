r"""A handoff as text. The state comes first, in the lines of the restatement, so that one reader reads both.

Only these two lines begin with `Finished (` and `Open (` before any text of the user's: whoever looks for
the first such line finds the harness's.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from opencollab_nb.budget.memory.memory import quote, shortened
from opencollab_nb.budget.noted import Noted
from opencollab_nb.budget.restate import poses_as_state
from opencollab_nb.tokens.estimate import estimate

if TYPE_CHECKING:
    from opencollab_nb.budget.handoff import Handoff

FINISHED_TOKENS, OPEN_TOKENS, SAID_TOKENS = 400, 800, 1_000
"""Room for each; what does not fit is counted. The whole is read in every request of the next session."""
ITEMS_AT_MOST = 12
"""Of decisions and the like: the newest."""
ITEM_CHARS = 300
ASKED = "asked for"
"""The reason of a handoff that no end has written."""
_VOICES = {"user": "the user", "harness": "", "model": "the model's words", "tool": "quoted from a tool"}


def markdown(handoff: Handoff) -> str:
    """The whole document."""
    return "\n".join(
        [
            _title(handoff),
            *_state(handoff),
            *_section("Goal", [handoff.goal] if handoff.goal else []),
            *_section("Constraints", [f"- {text}" for text in handoff.constraints]),
            *_section("The user said", _newest(handoff.user_instructions, SAID_TOKENS)),
            *_section("Where it stands", [f"- {text}" for text in handoff.state]),
            *_section("Decisions", _items(handoff.decisions)),
            *_section("Ruled out", _items(handoff.ruled_out)),
            *_section("Next steps", _items(handoff.next_steps)),
            *_section("Cautions", _items(handoff.cautions)),
            *_section(
                "In the model's own words (its view; nobody checked it)",
                [f"> {line}" for line in handoff.model_text.splitlines()],
            ),
        ]
    )


def _title(handoff: Handoff) -> str:
    name = f" of session {json.dumps(handoff.session, ensure_ascii=False)}" if handoff.session else ""
    how = "It was written when asked for," if handoff.reason == ASKED else f"It ended as {handoff.reason}"
    ended = f" {how} after {handoff.steps:,} steps." if handoff.reason else ""
    number = len(handoff.sessions)
    spent = f"{handoff.spent_tokens:,} tokens spent"
    if number > 1:
        spent += f", {handoff.chain_spent_tokens:,} by all {number} sessions of this work"
    return f"[Handoff{name}, by the harness.{ended} {spent[:1].upper()}{spent[1:]}. Go on from here.]"


def _state(handoff: Handoff) -> Iterator[str]:
    both = poses_as_state([handoff.goal or "", *handoff.constraints, *handoff.user_instructions])
    if handoff.finished or both:
        fit = _fitting(handoff.finished[::-1], FINISHED_TOKENS)
        folded = len(handoff.finished) - fit
        shown = [*([f"{folded} earlier"] if folded else []), *handoff.finished[folded:]]
        yield f"Finished ({len(handoff.finished)}): {'; '.join(shown) or 'none'}"
    if handoff.open_todos or handoff.finished or both:
        lines = [todo.line for todo in handoff.open_todos]
        fit = _fitting(lines, OPEN_TOKENS)
        more = [f"{len(lines) - fit} more"] if fit < len(lines) else []
        yield f"Open ({len(lines)}): {'; '.join([*lines[:fit], *more]) or 'none'}"


def _fitting(items: Sequence[str], room_tokens: int) -> int:
    for number, item in enumerate(items):
        room_tokens -= estimate(item) + 2
        if room_tokens < 0:
            return number
    return len(items)


def _section(title: str, lines: Iterable[str]) -> list[str]:
    body = list(lines)
    return ["", f"## {title}", *body] if body else []


def _newest(texts: Sequence[str], room_tokens: int) -> list[str]:
    """What was said, word for word; the oldest give way, and are counted."""
    fit = max(1, _fitting(texts[::-1], room_tokens))
    left = len(texts) - fit
    return [
        *([f"- ({left} earlier ones stand in the transcript)"] if left > 0 else []),
        *map(_bullet, texts[-fit:]),
    ]


def _bullet(text: str) -> str:
    return f"- {text}"


def _items(items: Sequence[Noted]) -> list[str]:
    left = len(items) - ITEMS_AT_MOST
    shown = [_item(item) for item in items[-ITEMS_AT_MOST:]]
    return [*([f"- ({left} earlier ones stand in handoff.json)"] if left > 0 else []), *shown]


def _item(item: Noted) -> str:
    """One line; the words of a model or a tool in quotation marks, in which they can begin no line."""
    theirs = item.by in ("model", "tool")
    text, reason = (
        quote(shortened(part, ITEM_CHARS)) if theirs and part else " ".join(part.split())
        for part in (item.text, item.reason)
    )
    voice = _VOICES.get(item.by, item.by)
    return f"- {text}{f', because {reason}' if reason else ''}{f' ({voice})' if voice else ''}"
