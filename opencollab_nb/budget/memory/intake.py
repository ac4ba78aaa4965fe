"""From what is said to what may be kept: cleaned, redacted, screened, then asked past the rules."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from opencollab_nb.budget.memory.admission import TEXT_CHARS, Candidate, refusal
from opencollab_nb.budget.memory.answers import Refused
from opencollab_nb.budget.memory.kinds import CONFIDENCE, known_kind, known_voice
from opencollab_nb.budget.memory.redaction import redacted
from opencollab_nb.budget.memory.rows import moment
from opencollab_nb.budget.memory.screening import flags_of
from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import encodable
from opencollab_nb.secrecy import KNOWN

SOURCE_CHARS = 200
_ID = re.compile(r"[\w.:/-]+")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@dataclass(frozen=True)
class Intake:
    """What was let in."""

    text: str
    kind: str
    source: str
    by: str
    confidence: float
    expires: datetime | None
    flags: tuple[str, ...]
    redacted: tuple[str, ...]


def cleaned(text: str) -> str:
    r"""Text that can be stored and shown: no lone surrogates, no control characters but tab and line end.

    >>> cleaned("a\x1b[31mb\r\n")
    'a�[31mb\n'
    """
    return _CONTROLS.sub("\ufffd", encodable(text).replace("\r\n", "\n"))


def examined(
    text: str,
    *,
    kind: str,
    source: str,
    by: str,
    confidence: float | None,
    expires: datetime | timedelta | None,
    now: datetime,
) -> Intake | Refused:
    """What is kept of it, or why nothing is.

    What the user says is not screened: the user may give instructions.
    """
    lasts = known_kind(kind).lasts
    trust = _confidence(CONFIDENCE[known_voice(by)] if confidence is None else confidence)
    plain, whence = KNOWN.struck(cleaned(_text(text, "text"))).strip(), source_of(source)
    ends = expires if expires is not None else lasts
    until = None if ends is None else moment(ends, now)
    sorts: tuple[str, ...] = ()
    if len(plain) <= TEXT_CHARS:  # what is longer is refused unread
        plain, sorts = redacted(plain)
    flags = () if by == "user" else flags_of(plain[:TEXT_CHARS])
    ground = refusal(Candidate(plain, kind, by, trust, now, until, flags, sorts))
    if ground is not None:
        return Refused(ground.name, ground.reason)
    return Intake(plain, kind, whence, by, trust, until, flags, sorts)


def source_of(source: str) -> str:
    """A source as it is stored: words are redacted, an id (by which its memories are deleted) is not.

    >>> source_of("run-d41d8cd98f00b204e9800998ecf8427e"), source_of("mail of ann@shop.example")
    ('run-d41d8cd98f00b204e9800998ecf8427e', 'mail of [redacted e-mail address]')

    Raises:
        UsageProblem: no text, none of it, or too much.
    """
    whence = KNOWN.struck(" ".join(cleaned(_text(source, "source")).split()))
    if not 0 < len(whence) <= SOURCE_CHARS:
        raise UsageProblem(f"source has {len(whence)} characters; give 1 to {SOURCE_CHARS}.")
    return whence if _ID.fullmatch(whence) else redacted(whence)[0]


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise UsageProblem(f"{what}={value!r} is no text.")
    return value


def _confidence(value: Any) -> float:
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not math.isfinite(value)
        or not 0 <= value <= 1
    ):
        raise UsageProblem(f"confidence={value!r}: give a number from 0 to 1.")
    return float(value)
