"""What an extractive summary takes over from messages: whole lines, word for word."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from opencollab_nb.messages import Message, call_arguments, call_name, meta_of, text_of
from opencollab_nb.shaping.faults import object_in
from opencollab_nb.shaping.groups import groups
from opencollab_nb.summarizers.sections import (
    COMMITTED,
    ERRORS,
    FILES,
    FINISHED,
    LINE_CHARS,
    NOTES,
    SAID,
    USER,
    Sections,
    clipped,
)

NOT_THE_USER = frozenset({"summary", "restatement", "note"})
PATH_KEYS = ("path", "file_path", "filepath", "filename", "file")

_CHANGING = re.compile(r"write|edit|patch|replace|create|insert|delete|move", re.IGNORECASE)
_READING = re.compile(r"read|view|open|cat\b", re.IGNORECASE)
_NOTE_LINE = re.compile(r"^[\s*•-]*(\w[\w.\-/ ]{0,60}?) = (\S.*)$")
_NOTE_INLINE = re.compile(r"(?<![\w.-])([\w-]+(?:\.[\w-]+)+) = (\S*[^\s.,;])")
_DONE = re.compile(
    r"(?i)\b(?:finished|done|completed?|committed|implemented|merged|gave up)\b|✓|✅|\[x\]|完成"
)
_OPEN = re.compile(
    r"(?i)\b(?:todo|pending|remaining|still|next|not|yet|open|unfinished|in progress|failed|will|to be)\b"
    r"|\[ \]|⏳|未|待"
)
_LABEL = re.compile(r"\s*([\w./-]{2,60}):\s")
_NAMED = re.compile(r"^[\s*•-]*[\w./-]*\w\s*:\s")
_ERROR = re.compile(
    r"^(?:E\s{2,}\S|FAILED |ERROR |Traceback|fatal: |error: |Error: |[\w.]*(?:Error|Exception)\b: )"
)
_OF_PYTEST = re.compile(r"^E\s+")
_LOG_LINE = re.compile(r"^(?:\[[^\]\n]*[0-9a-f]{7,40}\]|[0-9a-f]{7,40}(?: \([^)]*\))?) (\S.*)$", re.MULTILINE)
_COMMIT_MESSAGE = re.compile(r"""git commit\b[^|;&]*?-\w*m\s*(?:"([^"]+)"|'([^']+)')""")
_SUBJECTS_ONLY = re.compile(r"(?:--format|--pretty)=\W?(?:format:)?%s")
_NO_COMMIT = re.compile(r"nothing to commit|nothing added to commit|no changes added", re.IGNORECASE)
_REFUSED = re.compile(r"^(?:Error|fatal:|error:|\[interrupted\])", re.IGNORECASE)
_STUB = re.compile(r"^\[[^\n]{0,160}\]$")


def findings(messages: Sequence[Message], anchors: Sequence[str] = ()) -> Sections:
    """The sections of these messages; what stands in `anchors` word for word is left to them.

    >>> findings([{"role": "assistant", "content": "login.wait = 30"}])
    {'Notes': ['login.wait = 30']}
    """
    found: Sections = {}

    def add(heading: str, item: str) -> None:
        found.setdefault(heading, []).append(item)

    for group in groups(messages):
        first = group.speaker
        if first.get("role") == "user":
            said = text_of(first).strip()
            if said and meta_of(first).get("source") not in NOT_THE_USER and not stands_in(anchors, said):
                add(USER, said)
        elif first.get("role") == "assistant":
            _from_words(text_of(first), add)
        for call, at in zip(group.calls, group.results, strict=True):
            result = text_of(group.messages[at - group.start]) if at is not None else ""
            _from_call(call, result, label_of(text_of(first)), add)
    return found


def _from_words(text: str, add: Callable[[str, str], None]) -> None:
    """Notes, finished things and, of the rest, the first line."""
    rest = ""
    for line in map(str.strip, text.splitlines()):
        notes = _NOTE_INLINE.findall(line) or _NOTE_LINE.findall(line)
        for name, value in notes:
            add(NOTES, clipped(f"{name} = {value}", LINE_CHARS))
        if is_finished(line):
            add(FINISHED, clipped(line.lstrip("*•- "), LINE_CHARS))
        elif line and not notes:
            rest = rest or line
    if rest:
        add(SAID, clipped(rest, LINE_CHARS))


def is_finished(line: str) -> bool:
    """A line that names a thing and says that it is finished, with no word of doubt.

    >>> [is_finished(t) for t in ("a-1: finished.", "a-1: not finished", "All done")]
    [True, False, False]
    """
    return bool(_NAMED.match(line) and _DONE.search(line) and not _OPEN.search(line))


def label_of(text: str) -> str:
    """What the words beside a call name as their subject.

    >>> label_of("login-lockout: committing this part."), label_of("I commit it: done")
    ('login-lockout', '')
    """
    found = _LABEL.match(text)
    return found[1] if found else ""


def _from_call(call: dict[str, Any], result: str, label: str, add: Callable[[str, str], None]) -> None:
    arguments = object_in(call_arguments(call)) or {}
    path = next((arguments[k] for k in PATH_KEYS if isinstance(arguments.get(k), str)), "").strip()
    verb = _file_verb(call_name(call))
    if verb and path not in ("", ".", "/"):
        add(FILES, f"{clipped(path, LINE_CHARS)} ({verb})")
    command = arguments.get("command")
    if isinstance(command, str) and "git" in command:
        # No word such as "done" is added: a commit may be one part of what its label names.
        named = f" [{label}]" if label and _COMMIT_MESSAGE.search(command) else ""
        for subject in commits(command, result):
            short = clipped(subject, LINE_CHARS)
            add(COMMITTED, short if subject.startswith(label) else short + named)
    for line in result.splitlines():
        if _ERROR.match(line):
            add(ERRORS, clipped(_OF_PYTEST.sub("", line).strip(), LINE_CHARS))


def _file_verb(tool: str) -> str | None:
    """What a tool does to the file it is given; None for one that only passes by."""
    if _CHANGING.search(tool):
        return "changed"
    return "read" if _READING.search(tool) else None


def commits(command: str, result: str) -> Iterator[str]:
    """The subjects of commits that a git command made or listed.

    >>> list(commits("git log --oneline", "1a2b3c4 login-lockout: tests"))
    ['login-lockout: tests']
    >>> list(commits("git commit -qm 'mail: tests'", "")), list(commits("git status", "x"))
    (['mail: tests'], [])
    """
    made = _COMMIT_MESSAGE.search(command)
    if not (made or "git log" in command) or _REFUSED.match(result):
        return
    if _SUBJECTS_ONLY.search(command):
        listed = [line for line in result.splitlines() if line.strip() and not line[0].isspace()]
    else:
        listed = _LOG_LINE.findall(result)
    if listed and not _STUB.match(result):
        yield from (line.strip() for line in listed if not _NO_COMMIT.search(line))
    elif made and not _NO_COMMIT.search(result):
        yield (made[1] or made[2]).strip()


def stands_in(anchors: Sequence[str], text: str) -> bool:
    """True if an anchor holds the text, white space aside."""
    flat = " ".join(text.split())
    return any(flat in " ".join(anchor.split()) for anchor in anchors)
