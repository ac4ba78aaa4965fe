"""What of a segment its summary still has, and what the summary has that the segment never had."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from opencollab_nb.messages import Message
from opencollab_nb.summarizers.facts import (
    NEGATION,
    constraints,
    goals,
    numbers,
    open_tasks,
    paths,
    segment_text,
)

WORDS_KEPT_RATIO = 0.7
"""A sentence has survived if a line of the summary has this share of its words of four letters and more."""
_WORD = re.compile(r"[^\W\d_]{4,}|\d[\d.,_]*\d|[一-鿿]")


@dataclass(frozen=True)
class Kept:
    """One kind of fact: what is still there, and what is not, the most frequent first."""

    kind: str
    """`goals`, `constraints`, `open tasks`, `paths` or `numbers`."""
    kept: tuple[str, ...]
    lost: tuple[str, ...]

    @property
    def total(self) -> int:
        """How many there were."""
        return len(self.kept) + len(self.lost)


@dataclass(frozen=True)
class Survival:
    """The comparison of one segment with its summary."""

    kinds: tuple[Kept, ...]
    new_paths: tuple[str, ...]
    """Paths of the summary that never stood in the segment."""
    new_numbers: tuple[str, ...]
    """Numbers of the summary that never stood in the segment; sums it made itself are among them."""

    def of(self, kind: str) -> Kept:
        """The facts of one kind."""
        return next(kept for kept in self.kinds if kept.kind == kind)


def survival(messages: Sequence[Message], summary: str, *, former: str = "", anchors: str = "") -> Survival:
    r"""Compare a segment with the summary that is to stand for it.

    By fixed rules of form, without a model: a sentence counts as kept where it stands word for word, or
    where one line of the summary has seven of ten of its longer words and, if it says no, says no too.
    Paths and numbers count where they stand exactly; single digits are not looked at.

    Args:
        messages: the segment.
        summary: its summary.
        former: the summary before, if the new one carries it on: its facts are facts of the segment.
        anchors: text that stays in the request anyway: what stands in it is not made up.

    >>> talk = [{"role": "user", "content": "Fix the parser in src/parse.py. Never change the tests."},
    ...         {"role": "assistant", "content": "It fails at 1,024 bytes. TODO: add a test."}]
    >>> report = survival(talk, "Parser bug in src/parse.py at 1024 bytes; see src/lexer.py, line 88.")
    >>> report.of("paths").kept, report.of("numbers").kept, report.of("constraints").lost
    (('src/parse.py',), ('1024',), ('Never change the tests.',))
    >>> report.new_paths, report.new_numbers
    (('src/lexer.py',), ('88',))
    """
    segment = "\n".join(filter(None, (former, segment_text(messages))))
    before: list[Message] = [{"role": "user", "content": former}] if former else []
    talk = [*before, *messages]
    had_paths, had_numbers = paths(segment), numbers(segment)
    has_paths, has_numbers = paths(summary), numbers(summary)
    around = f"{segment}\n{anchors}"
    said = _Said(summary)
    kinds = (
        _sorted("goals", goals(talk), said.has),
        _sorted("constraints", constraints(talk), said.has),
        _sorted("open tasks", open_tasks(talk), said.has),
        _sorted("paths", _by_count(had_paths), lambda path: _names(path, has_paths)),
        _sorted("numbers", _by_count(had_numbers), has_numbers.__contains__),
    )
    known = paths(around)
    new_paths = tuple(p for p in has_paths if not _names(p, known) and p not in around)
    known_numbers = numbers(around)
    new_numbers = tuple(n for n in has_numbers if n not in known_numbers)
    return Survival(kinds, new_paths, new_numbers)


class _Said:
    """A text that is asked which sentences it holds."""

    def __init__(self, text: str) -> None:
        self._flat = _flat(text)
        self._lines = [line for line in re.split(r"\n|(?<=[.!?;。！？])\s+", text) if line.strip()]
        self._words = [set(_words(line)) for line in self._lines]

    def has(self, sentence: str) -> bool:
        if _flat(sentence).rstrip(".") in self._flat:
            return True
        wanted = set(_words(sentence))
        if not wanted:
            return False
        no = bool(NEGATION.search(sentence))
        return any(
            len(wanted & words) >= WORDS_KEPT_RATIO * len(wanted) and (not no or NEGATION.search(line))
            for line, words in zip(self._lines, self._words, strict=True)
        )


def _sorted(kind: str, facts: Sequence[str], has: Callable[[str], bool]) -> Kept:
    kept = tuple(filter(has, facts))
    there = set(kept)
    return Kept(kind, kept, tuple(f for f in facts if f not in there))


def _by_count(found: Counter[str]) -> list[str]:
    return [fact for fact, _ in found.most_common()]


def _names(path: str, known: Counter[str]) -> bool:
    """True where the path stands there, shortened or lengthened at its front by whole folders."""
    return path in known or any(k.endswith(f"/{path}") or path.endswith(f"/{k}") for k in known)


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _flat(text: str) -> str:
    return " ".join(text.split()).lower()
