"""Anchors: what the direction of the work hangs on, kept word for word in an append-only register."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import KEEP_KEYS, Message, encodable, meta_of, text_of
from opencollab_nb.tokens.estimate import estimate

ANCHOR_PRIORITY = 90
"""Between the task (80) and the system (100): above `PIN_FLOOR`, so no shaper may touch it."""
NEVER_FOLDS_TOKENS = 2_000
"""Goal and all constraints together stand in every restatement; this is a third of its quota at 64,000."""
_SINGULAR = {"goals": "goal", "constraint": "constraints", "milestone": "milestones"}
_KIND = re.compile(r"[a-z][a-z0-9_]{0,39}")
_HEAD_KINDS = ("goal", "constraints")
_HEAD_TITLE = "[Anchors: kept word for word by the harness, in force until the end]"
_TITLES = {"goal": "Goal", "constraints": "Constraint", "milestones": "Finished milestone"}

Count = Callable[[str], int]


@dataclass(frozen=True)
class Anchor:
    """One thing that is kept word for word."""

    kind: str
    """One of `KEEP_KEYS` or a word of the user's own."""
    text: str
    number: int
    """Its place in the register, from 1."""
    at: int = 0
    """The step at which it was registered; 0 before the first."""


class Anchors:
    """The register: anchors are added, never changed and never taken out.

    A goal registered later is the one in force; the former one stays in the register. Goal and
    constraints never fold in a restatement, so they must fit: what does not is refused when it is
    registered, with the figures.

    >>> anchors = Anchors()
    >>> anchors.register("goal", "Add tests for the login.")
    Anchor(kind='goal', text='Add tests for the login.', number=1, at=0)
    >>> anchors.register("constraints", "The schema must not be changed.").number
    2
    >>> anchors.goal, anchors.texts("constraints")
    ('Add tests for the login.', ('The schema must not be changed.',))
    """

    def __init__(self, *, limit_tokens: int = NEVER_FOLDS_TOKENS, count: Count = estimate) -> None:
        """An empty register.

        Args:
            limit_tokens: what the goal in force and all constraints may have together; any other
                anchor may have as much by itself.
            count: text -> tokens.
        """
        self.limit_tokens, self.count = limit_tokens, count
        self._kept: list[Anchor] = []

    def __iter__(self) -> Iterator[Anchor]:
        return iter(tuple(self._kept))

    def __len__(self) -> int:
        return len(self._kept)

    def __repr__(self) -> str:
        kinds = {kind: len(self.texts(kind)) for kind in dict.fromkeys(a.kind for a in self._kept)}
        return f"Anchors({', '.join(f'{n} {kind}' for kind, n in kinds.items()) or 'none'})"

    def register(self, kind: str, text: str, *, at: int = 0) -> Anchor:
        """Keep a text word for word; what is in force already is not kept twice.

        Args:
            kind: `goal`, `constraints`, `milestones`, or a word of your own in small letters.
            text: as it shall stand in the requests.
            at: the step.

        Raises:
            UsageProblem: (a ValueError) no such kind, no text, or more than fits.
        """
        kind, text = self.checked(kind, text)
        same = next((a for a in self.in_force() if (a.kind, a.text) == (kind, text)), None)
        if same is not None:
            return same
        anchor = Anchor(kind, text, len(self._kept) + 1, at)
        self._kept.append(anchor)
        return anchor

    def checked(self, kind: object, text: object) -> tuple[str, str]:
        """Kind and text as they would be kept, without keeping them.

        Raises:
            UsageProblem: (a ValueError) as in `register`.
        """
        kind = _checked_kind(kind)
        if not isinstance(text, str) or not text.strip():
            raise UsageProblem(f"an anchor of the kind {kind!r} needs a text; got {text!r}")
        text = encodable(text)
        needed = self.count(text)
        taken = 0
        if kind in _HEAD_KINDS:
            others = [
                a for a in self.in_force() if a.kind in _HEAD_KINDS and (a.kind, kind) != ("goal", "goal")
            ]
            taken = sum(self.count(a.text) for a in others if (a.kind, a.text) != (kind, text))
        if needed + taken > self.limit_tokens:
            raise UsageProblem(_too_long(kind, needed, taken, self.limit_tokens))
        return kind, text

    def in_force(self) -> tuple[Anchor, ...]:
        """All anchors but the goals that a later one replaced, in order."""
        newest_goal = next((a for a in reversed(self._kept) if a.kind == "goal"), None)
        return tuple(a for a in self._kept if a.kind != "goal" or a is newest_goal)

    @property
    def goal(self) -> str | None:
        """The goal in force."""
        return next((a.text for a in reversed(self._kept) if a.kind == "goal"), None)

    def texts(self, kind: str) -> tuple[str, ...]:
        """The texts of this kind that are in force, in order."""
        return tuple(a.text for a in self.in_force() if a.kind == kind)

    def to_list(self) -> list[dict[str, Any]]:
        """All anchors as plain data."""
        return [asdict(anchor) for anchor in self._kept]

    @classmethod
    def from_list(
        cls,
        items: Iterable[Mapping[str, Any]],
        *,
        limit_tokens: int = NEVER_FOLDS_TOKENS,
        count: Count = estimate,
    ) -> Anchors:
        """The register that `to_list` gave; what was accepted once is not measured again.

        Raises:
            UsageProblem: (a ValueError) something else.
        """
        anchors = cls(limit_tokens=limit_tokens, count=count)
        for item in items:
            anchors.take(item)
        return anchors

    def take(self, item: Mapping[str, Any]) -> Anchor:
        """Take one anchor from a record.

        Raises:
            UsageProblem: (a ValueError) it is no record of the next anchor.
        """
        try:
            anchor = Anchor(str(item["kind"]), str(item["text"]), int(item["number"]), int(item["at"]))
        except (KeyError, TypeError, ValueError) as problem:
            raise UsageProblem(f"not a stored anchor ({problem!r}): {item!r}") from problem
        if anchor.number != len(self._kept) + 1:
            raise UsageProblem(f"anchor {anchor.number} does not follow anchor {len(self._kept)}")
        self._kept.append(anchor)
        return anchor


def head_message(anchors: Anchors) -> Message | None:
    """Goal and constraints as one pinned message for the head of all requests; None where there is neither.

    >>> anchors = Anchors()
    >>> _ = anchors.register("constraints", "No new tables.")
    >>> head_message(anchors)["content"].split(chr(10))[1:]
    ['Constraints:', '- No new tables.']
    """
    lines = direction_lines(anchors)
    if not lines:
        return None
    kind = "goal" if anchors.goal is not None else "constraints"
    return _pinned("\n".join([_HEAD_TITLE, *lines]), kind)


def is_head(message: Message) -> bool:
    """True for the message that `head_message` makes."""
    return meta_of(message).get("source") == "anchor" and text_of(message).startswith(f"{_HEAD_TITLE}\n")


def direction_lines(anchors: Anchors) -> list[str]:
    """Goal and constraints in the fixed format, word for word."""
    goal, constraints = anchors.goal, anchors.texts("constraints")
    lines = [] if goal is None else [f"Goal: {goal}"]
    return lines + (["Constraints:", *(f"- {text}" for text in constraints)] if constraints else [])


def anchor_message(anchor: Anchor) -> Message:
    """One anchor as a pinned message, for the time at which it was registered.

    >>> message = anchor_message(Anchor("milestones", "login: tests", 3, at=12))
    >>> message["content"], message["meta"]
    ('[Finished milestone] login: tests', {'source': 'anchor', 'kind': 'milestones', 'priority': 90})
    """
    title = _TITLES.get(anchor.kind, anchor.kind.replace("_", " ").capitalize())
    return _pinned(f"[{title}] {anchor.text}", anchor.kind)


def _pinned(text: str, kind: str) -> Message:
    return {
        "role": "user",
        "content": text,
        "meta": {"source": "anchor", "kind": kind, "priority": ANCHOR_PRIORITY},
    }


def _checked_kind(kind: object) -> str:
    if isinstance(kind, str):
        kind = _SINGULAR.get(kind, kind)
        if _KIND.fullmatch(kind):
            return kind
    known = ", ".join(KEEP_KEYS)
    raise UsageProblem(f"{kind!r} is no kind of anchor: give {known}, or a word of your own in small letters")


def _too_long(kind: str, needed: int, taken: int, limit: int) -> str:
    advice = "say it shorter, or put the detail into a file and name the file"
    if kind not in _HEAD_KINDS:
        return f"this {kind} anchor has {needed:,} tokens; it may have {limit:,}: {advice}"
    others = f"; {taken:,} are taken" if taken else ""
    return (
        f"this {kind} anchor has {needed:,} tokens; goal and constraints may have {limit:,} together, "
        f"since they stand word for word in every restatement{others}: {advice}"
    )
