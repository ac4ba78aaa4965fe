"""What is let in: every rule with its reason, in the order in which they are asked.

A store that takes everything is a second transcript, and a wrong memory costs more than a
missing one: it is believed in every later session.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from opencollab_nb.budget.memory.kinds import KINDS

TEXT_CHARS = 2_000
"""Of one memory: about a page; what is longer belongs in a file, with a memory of where it lies."""
LEAST_CONFIDENCE = 0.2
SPACED_RATIO = 0.02
"""Of prose and code far more than every fiftieth character is white space; of an encoded blob less."""
BLOB_CHARS = 200


@dataclass(frozen=True)
class Candidate:
    """What wants in, after secrets and personal data were taken out."""

    text: str
    kind: str
    by: str
    confidence: float
    now: datetime
    expires: datetime | None
    flags: tuple[str, ...]
    redacted: tuple[str, ...]


@dataclass(frozen=True)
class Rule:
    """One ground for refusing."""

    name: str
    reason: str
    """Why, to whoever asked; ends with what would be let in."""
    refuses: Callable[[Candidate], bool]


def _without_marks(text: str) -> str:
    return re.sub(r"\[redacted[^\]]*\]", "", text)


RULES: tuple[Rule, ...] = (
    Rule("empty", "there is no text to remember", lambda c: not c.text.strip()),
    Rule(
        "nothing but a secret",
        "only secrets or personal data stood in it, and they are never kept; remember what they are for",
        lambda c: bool(c.redacted) and len(re.findall(r"\w+", _without_marks(c.text))) < 2,
    ),
    Rule(
        "too long",
        f"it has more than {TEXT_CHARS:,} characters; remember its gist and where the whole lies",
        lambda c: len(c.text) > TEXT_CHARS,
    ),
    Rule(
        "no prose",
        "it is an encoded blob, which nobody can recall by words; remember what it is and where it lies",
        lambda c: (
            len(c.text) > BLOB_CHARS
            and sum(map(str.isspace, c.text)) < SPACED_RATIO * len(c.text)
            and c.text.isascii()
        ),
    ),
    Rule(
        "no right to direct",
        "a tool's or a model's words never become a rule for the agent; let the user say it",
        lambda c: KINDS[c.kind].directs and c.by in ("tool", "model"),
    ),
    Rule(
        "nothing but instructions",
        "it is short, from a tool, and reads like an order to the agent; there is no fact in it to keep",
        lambda c: c.by == "tool" and len(c.flags) > 1 and len(c.text) < BLOB_CHARS,
    ),
    Rule(
        "doubtful",
        f"its confidence is below {LEAST_CONFIDENCE}; check it first",
        lambda c: c.confidence < LEAST_CONFIDENCE,
    ),
    Rule("expired", "it would have expired already", lambda c: c.expires is not None and c.expires <= c.now),
)


def refusal(candidate: Candidate) -> Rule | None:
    """The first rule that speaks against it, None where none does."""
    return next((rule for rule in RULES if rule.refuses(candidate)), None)
