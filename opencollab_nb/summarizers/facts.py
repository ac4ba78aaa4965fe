"""What a segment holds that a summary should not lose, and should not make up: read by fixed rules.

Goals, constraints and open tasks are sentences; paths and numbers are single words. The rules look at
form only: they find most of what a reader would list, and some that a reader would not.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from opencollab_nb.messages import Message, call_arguments, meta_of, text_of, tool_calls_of
from opencollab_nb.summarizers.findings import NOT_THE_USER

PATH = re.compile(
    r"(?<![\w/.:@-])(?:~?/|\.{1,2}/)?(?:[\w@+-][\w.@+-]*/)*[\w@+-][\w.@+-]*\.[A-Za-z][A-Za-z0-9]{0,5}(?![\w/-])"
)
"""A name with an ending, folders before it or not: `src/a.py`, `notes.md`."""
NUMBER = re.compile(r"(?<![\w.])[-−]?(?:\d{1,3}(?:[,_]\d{3})+|\d+)(?:\.\d+)?(?![\w]|\.\d)")
FILE_NAME = re.compile(
    r"(?i).*\.(?:py|pyi|ipynb|jsx?|mjs|tsx?|css|html?|jsonl?|ya?ml|toml|ini|cfg|conf|md|rst|txt|[ct]sv|log|sql|"
    r"sh|bash|zsh|[ch]|cc|[ch]pp|rs|go|java|kt|rb|php|pl|lua|r|jl|swift|scala|xml|svg|png|jpe?g|gif|pdf|lock|"
    r"env|zip|gz|tar|proto|tex|bib|db|sqlite|diff|patch|exs?|hs|ml|clj|vue|svelte|gradle|cmake|mk)"
)
"""Of a name without a folder; `e.g` and `1.x` are none."""
_DATE_OR_TIME = re.compile(r"\d{4}-\d\d(?:-\d\d)?|\d\d?:\d\d(?::\d\d)?")
NEGATION = re.compile(r"(?i)\b(?:not|never|no|nothing|none|without|nor)\b|n't\b|[不勿禁]")
CONSTRAINT = re.compile(
    r"(?i)\b(?:must|never|always|do not|don't|cannot|can't|may not|should not|shouldn't|only|at most|"
    r"at least|no more than|without|keep|leave|except|forbidden|required|unchanged|not allowed)\b"
    r"|必须|不要|不能|不得|只能|禁止"
)
GOAL = re.compile(
    r"(?i)\b(?:goal|aim|task|please|i want|we want|i need|we need|implement|fix|add|make|write|build|bring|"
    r"update|create|refactor|find out|remove|change|rename|move|port|support)\b|目标|请|修复|实现|添加"
)
OPEN = re.compile(
    r"(?i)\b(?:todo|to do|pending|remaining|remains|next(?: step)?:|not yet|unfinished|in progress|"
    r"still (?:to|open|missing|failing)|left to do|to be done)\b|\[ \]|⏳|待办|尚未|未完成"
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*|\n\s*(?=[-*•\d\[])|\n\s*\n|(?<=[:;])\n")
_WORD = re.compile(r"[\w'-]+")
_IDEOGRAPH = re.compile(r"[\u3400-\u9fff]")
_LINE_NUMBER = re.compile(r"(?m)^\s*\d+\t")
_LONGEST_SENTENCE_CHARS = 400
_LEAST_WORDS = 2


def segment_text(messages: Sequence[Message]) -> str:
    """All text of the messages and of their calls; the line numbers of listings are left out."""
    return "\n".join(text for message in messages for text in _texts(message))


def _texts(message: Message) -> Iterator[str]:
    yield _LINE_NUMBER.sub("", text_of(message))
    for call in tool_calls_of(message):
        yield from _strings(call_arguments(call))


def _strings(arguments: str) -> Iterator[str]:
    """The values of a call's arguments, read from JSON so that line ends are line ends."""
    try:
        values = json.loads(arguments)
    except (TypeError, ValueError):
        yield str(arguments)
        return
    yield from (
        (v if isinstance(v, str) else json.dumps(v) for v in values.values())
        if isinstance(values, dict)
        else ()
    )


def paths(text: str) -> Counter[str]:
    """Paths in a text with how often each stands there.

    >>> sorted(paths("see src/a.py, ./docs/b.md and version 1.2; e.g. this. src/a.py:12"))
    ['docs/b.md', 'src/a.py']
    """
    found: Counter[str] = Counter()
    for match in PATH.finditer(text):
        path = match[0].removeprefix("./")
        folders, _, name = path.rpartition("/")
        if folders or FILE_NAME.fullmatch(name):
            found[path] += 1
    return found


def numbers(text: str) -> Counter[str]:
    """Numbers of two digits and more, written in one way, with how often each stands there; no dates.

    >>> sorted(numbers("2026-01-31 10:59 1,460 of 1_460, 0.10 %, 7 left, v2, a.py:12"))
    ['0.1', '12', '1460']
    """
    found: Counter[str] = Counter()
    for match in NUMBER.finditer(_DATE_OR_TIME.sub(" ", PATH.sub(" ", text))):
        number = _plain(match[0])
        if sum(map(str.isdigit, number)) > 1:
            found[number] += 1
    return found


def _plain(number: str) -> str:
    """The number without marks between its digits and without zeros that say nothing."""
    digits = re.sub("[,_]", "", number).replace("−", "-")
    if "." in digits:
        digits = digits.rstrip("0").rstrip(".")
    return digits


def sentences(text: str) -> list[str]:
    r"""The sentences and list items of a text, on one line each; very long ones are no sentences.

    >>> sentences("Fix the bug. Keep it small:\n- no new files\n- one commit")
    ['Fix the bug.', 'Keep it small:', 'no new files', 'one commit']
    """
    parts = (" ".join(part.strip().lstrip("-*• ").split()) for part in _SENTENCE_END.split(text))
    return [p for p in parts if _is_sentence(p)]


def _is_sentence(text: str) -> bool:
    wordy = len(_WORD.findall(text)) >= _LEAST_WORDS or _IDEOGRAPH.search(text)
    return bool(wordy) and len(text) <= _LONGEST_SENTENCE_CHARS


def said_by_the_user(messages: Sequence[Message]) -> list[str]:
    """The sentences of what users said, notes of the harness aside."""
    return [
        sentence
        for message in messages
        if message.get("role") == "user" and meta_of(message).get("source") not in NOT_THE_USER
        for sentence in sentences(text_of(message))
    ]


def goals(messages: Sequence[Message]) -> list[str]:
    """What the user asked for, as far as it reads like a goal and not like a limit to it."""
    return _once(s for s in said_by_the_user(messages) if GOAL.search(s) and not CONSTRAINT.search(s))


def constraints(messages: Sequence[Message]) -> list[str]:
    """What the user said must or must not be.

    >>> constraints([{"role": "user", "content": "Fix the bug. Do not touch the tests."}])
    ['Do not touch the tests.']
    """
    return _once(s for s in said_by_the_user(messages) if CONSTRAINT.search(s))


def open_tasks(messages: Sequence[Message]) -> list[str]:
    """What users and the agent said is still to be done."""
    spoken = (m for m in messages if m.get("role") in ("user", "assistant"))
    return _once(s for m in spoken for s in sentences(text_of(m)) if OPEN.search(s))


def _once(texts: Iterator[str]) -> list[str]:
    return list(dict.fromkeys(texts))
