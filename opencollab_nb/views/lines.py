"""Reading the line of a magic: words, quotes, comments, flags and Python literals.

- Blanks part words; inside quotes or brackets they do not.
- Quotes are taken off, except inside brackets, where the text stays Python.
- `#` at the start of a word begins a comment; a `;` at the end silences the output.
- Values are Python literals; text needs quotes only if it holds blanks.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from opencollab_nb.errors import UnknownName, UsageProblem

HELP_FLAGS = ("-h", "--help")
_CLOSING = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True)
class Word:
    """One word of a line."""

    text: str
    """As it is meant: quotes taken off."""
    raw: str
    """As it was typed."""

    @property
    def is_flag(self) -> bool:
        """True for `--window` and `-h`, not for `"--window"` or `-3`."""
        return self.raw.startswith("-") and len(self.raw) > 1 and not self.raw[1].isdigit()


def split(line: str) -> list[Word]:
    """The words of a line.

    Raises:
        UsageProblem: a quote or a bracket is not closed.

    >>> [word.text for word in split('run 5 --name "two  words" # then look')]
    ['run', '5', '--name', 'two  words']
    >>> [word.text for word in split("use Clear(keep_recent=3, stub='a b') Snip")]
    ['use', "Clear(keep_recent=3, stub='a b')", 'Snip']
    """
    words: list[Word] = []
    at = 0
    while at < len(line):
        if line[at].isspace():
            at += 1
        elif line[at] == "#":
            break
        else:
            text, end = _word(line, at)
            words.append(Word(text, line[at:end]))
            at = end
    return _without_semicolon(words)


def _without_semicolon(words: list[Word]) -> list[Word]:
    """A `;` that ends the line silences the output and belongs to no word."""
    if not words or not words[-1].raw.endswith(";"):
        return words
    text, raw = words[-1].text[:-1], words[-1].raw[:-1]
    return [*words[:-1], Word(text, raw)] if raw else words[:-1]


def _word(line: str, start: int) -> tuple[str, int]:
    """The word that begins at `start`, and where it ends."""
    out: list[str] = []
    at = start
    while at < len(line) and not line[at].isspace():
        letter = line[at]
        if letter in "\"'":
            text, at = _quoted(line, at)
            out.append(text)
        elif letter in _CLOSING:
            end = _bracketed(line, at)
            out.append(line[at:end])
            at = end
        elif letter == "\\" and line[at + 1 : at + 2].isspace():
            out.append(line[at + 1])
            at += 2
        else:
            out.append(letter)
            at += 1
    return "".join(out), at


def _quoted(line: str, start: int) -> tuple[str, int]:
    """The text between the quote at `start` and its partner; a backslash keeps the next quote in."""
    quote, out, at = line[start], [], start + 1
    while at < len(line):
        if line[at] == "\\" and line[at + 1 : at + 2] == quote:
            out.append(quote)
            at += 2
        elif line[at] == quote:
            return "".join(out), at + 1
        else:
            out.append(line[at])
            at += 1
    raise UsageProblem(f"the quote {quote} is not closed: {line[start:].rstrip()}")


def _bracketed(line: str, start: int) -> int:
    """Where the bracket at `start` is closed; brackets inside quotes do not count."""
    open_ones = [line[start]]
    at = start + 1
    while at < len(line) and open_ones:
        if line[at] in "\"'":
            at = _quoted(line, at)[1]
            continue
        if line[at] in _CLOSING:
            open_ones.append(line[at])
        elif line[at] == _CLOSING[open_ones[-1]]:
            open_ones.pop()
        at += 1
    if open_ones:
        raise UsageProblem(f"the bracket {open_ones[-1]} is not closed: {line[start:].rstrip()}")
    return at


@dataclass(frozen=True)
class Kind:
    """What a value must be."""

    says: str
    """How a message names it: `a whole number such as 5`."""
    read: Callable[[str], Any]
    """From the word's text to the value; a `ValueError` or `SyntaxError` means that it is no such value."""

    def value(self, what: str, text: str) -> Any:
        """The value, or an error that names it.

        >>> COUNT.value("run", "16_000")
        16000
        """
        try:
            return self.read(text)
        except UsageProblem:
            raise
        except (ValueError, SyntaxError):
            raise UsageProblem(f"{what} takes {self.says}, not {text!r}") from None


def _whole(text: str) -> int:
    value = ast.literal_eval(text)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(text)
    return value


def _count(text: str) -> int:
    if (value := _whole(text)) < 1:
        raise ValueError(text)
    return value


TEXT = Kind("a value", str)
WHOLE = Kind("a whole number such as 0", _whole)
COUNT = Kind("a whole number from 1 up such as 5", _count)
SWITCH = Kind("no value", ast.literal_eval)
TOKENS = Kind("a whole number of tokens such as 16_000", _count)


def _seconds(text: str) -> float:
    value = ast.literal_eval(text)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < float("inf"):
        raise ValueError(text)
    return float(value)


SECONDS = Kind("a number of seconds such as 0.2", _seconds)


def _window(text: str) -> int:
    if (value := _whole(text)) < SMALLEST_WINDOW_TOKENS:
        raise ValueError(text)
    return value


SMALLEST_WINDOW_TOKENS = 1_024
WINDOW = Kind("a whole number of tokens from 1_024 up such as 64_000", _window)


def one_of(what: str, names: Callable[[], Iterable[str]]) -> Kind:
    """A value from a closed list, which is looked up when asked for; another is answered with the nearest."""

    def read(text: str) -> str:
        known = list(names())
        if text not in known:
            raise UnknownName(what, text, known)
        return text

    return Kind(f"a {what}", read)


@dataclass(frozen=True)
class Flag:
    """One `--flag VALUE` of a magic."""

    name: str
    """With its dashes."""
    shows: str
    """What stands for the value in the help; empty for a switch, which takes none."""
    help: str
    kind: Kind = TEXT
    choices: Callable[[], Iterable[str]] = tuple
    """For completion."""


def asks_for_help(words: Sequence[Word]) -> bool:
    """True if `-h` or `--help` is among the words."""
    return any(word.raw in HELP_FLAGS for word in words)


def read_flags(words: Sequence[Word], flags: Sequence[Flag]) -> tuple[list[Word], dict[str, Any]]:
    """The words that are no flags, and the values of the flags by name without dashes.

    Raises:
        UsageProblem: an unknown flag (with the nearest known one), a missing value, one given twice.

    >>> window = Flag("--window", "TOKENS", "context window", TOKENS)
    >>> read_flags(split("alice --window 16_000"), [window])[1]
    {'window': 16000}
    """
    known = {flag.name: flag for flag in flags}
    free: list[Word] = []
    values: dict[str, Any] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.is_flag:
            free.append(word)
            continue
        name, equals, text = word.text.partition("=")
        if name not in known:
            raise UnknownName("flag", name, [*known, "--help"])
        if not known[name].shows:
            if equals:
                raise UsageProblem(f"{name} takes no value")
            text = "True"
        elif not equals:
            if not rest or (rest[0].is_flag and rest[0].raw.partition("=")[0] in known):
                raise UsageProblem(f"{name} needs a value: {name} {known[name].shows}")
            text = rest.pop(0).text
        key = name.lstrip("-").replace("-", "_")
        if key in values:
            raise UsageProblem(f"{name} is given twice; keep one")
        values[key] = known[name].kind.value(name, text)
    return free, values
