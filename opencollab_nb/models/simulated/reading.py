"""What a request shows: its texts and its calls, newest first, each with its distance from the end."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

from opencollab_nb.messages import call_arguments, call_name, is_system, text_of, tool_calls_of
from opencollab_nb.models.simulated.plan import HOLE, ToolCall

STUB = re.compile(r"\[[^\n]{0,160}\]")
SUMMARY = re.compile(r"(?i)\W*(context auto-compacted|.{0,60}\bsummary of\b)")
RESTATED = ("[Restatement", "[Handoff")
STATUS = "[Status"
FAILED = ("Error", "[interrupted]")
POINTER = r"\[offloaded: result (\d+)\b"
"""What stands in a result that was offloaded, with the id under which `read_result` shows it."""
OPEN_LINE = r"(?m)^Open \(\d+\): (.*)$"
"""What is open, in a restatement, a handoff or an answer of `todo`: all in one line."""
HARNESS = ("todo", "read_result", "recall")
"""Tools that the harness offers beside those of the workspace."""
FROM_OTHERS = re.compile(r"\[(?:Message|Result|New task) \d+ (?:from|of) ")
"""How a text from another member of a team begins."""
IDENTIFYING = ("path", "offset", "limit", "pattern", "command", "search", "id", "to", "text", "role", "task")
"""Arguments that tell one call of a plan from another."""

Wire = Mapping[str, Any]


@dataclass(frozen=True)
class Text:
    """A text of the request that is no tool result."""

    kind: str
    """`said` by itself, `told` by the user, `restated` by the harness, its `status` line, or a `summary`."""
    text: str
    distance_tokens: int
    """Tokens that follow it."""
    place: int = 0
    """Its index in the request."""


@dataclass(frozen=True)
class Call:
    """A call and its result, as far as the request still shows it."""

    name: str
    arguments: Mapping[str, Any]
    result: str | None
    distance_tokens: int
    tag: str
    """What the agent's own words name it as part of: a milestone's id, `check` or `aside`."""
    said: str
    place: int
    """Index of its assistant message in the request."""

    @property
    def failed(self) -> bool:
        """No result, or one that says so."""
        return self.result is None or self.result.startswith(FAILED)

    @property
    def gone(self) -> bool:
        """The result was taken out: nothing, or a stub, stands in its place."""
        if self.result is None or self.pointer is not None:
            return False
        return not self.result.strip() or bool(STUB.fullmatch(self.result))

    @property
    def pointer(self) -> int | None:
        """The id of the result, where it was offloaded and a pointer stands in its place."""
        found = value_of(POINTER, self.result or "")
        return None if found is None else int(found)

    @property
    def shown(self) -> bool:
        """A result that can be read."""
        return not self.failed and not self.gone

    def is_for(self, call: ToolCall) -> bool:
        """Is this the call of a plan? Facts of the plan's call match whatever was put in."""
        return self.name == call.name and all(
            fits(value, self.arguments.get(key))
            for key, value in call.arguments.items()
            if key in IDENTIFYING
        )


class View:
    """Everything the agent knows: `texts` and `calls` of one request, from the newest to the oldest.

    `tools` are the names of those offered, `pointed` the offloaded results in sight: id → path.

    >>> view = View([{"role": "user", "content": "Fix the tests."}], [8])
    >>> view.texts[0].kind, view.calls
    ('told', [])
    """

    def __init__(self, messages: Sequence[Wire], weights: Sequence[int], tools: Collection[str] = ()) -> None:
        self.tools = frozenset(tools)
        self.texts: list[Text] = []
        self.calls: list[Call] = []
        results: dict[str, tuple[str, int]] = {}
        after_tokens = 0
        for place in range(len(messages) - 1, -1, -1):
            message, text = messages[place], text_of(messages[place])
            if message["role"] == "tool":
                # Ids repeat in some histories; going backwards the nearest result belongs to a call.
                results[message["tool_call_id"]] = (text, after_tokens)
            elif not (is_system(message) and place == 0):
                self._take(message, text, after_tokens, place, results)
            after_tokens += weights[place]
        self.pointed = {
            call.pointer: str(call.arguments.get("path", ""))
            for call in self.calls
            if call.pointer is not None and call.name not in HARNESS
        }

    def _take(
        self, message: Wire, text: str, after_tokens: int, place: int, results: dict[str, tuple[str, int]]
    ) -> None:
        if text:
            self.texts.append(Text(kind_of(message, text), text, after_tokens, place))
        tag, said = text.partition(":")[0] if ":" in text else "", text.partition("\n")[0]
        for call in reversed(tool_calls_of(message)):
            result, distance = results.pop(call.get("id") or "", (None, after_tokens))
            arguments = arguments_of(call_arguments(call))
            self.calls.append(Call(call_name(call), arguments, result, distance, tag, said, place))

    @cached_property
    def listed(self) -> Text | None:
        """The newest list of todos in a restatement, a handoff or an answer of `todo`."""
        found = [text for text in self.texts if text.kind == "restated"]
        found += [
            Text("restated", call.result or "", call.distance_tokens, call.place)
            for call in self.calls
            if call.name == "todo" and call.shown
        ]
        lists = [replace(text, text=state_in(text.text)) for text in found if matches(OPEN_LINE, text.text)]
        return max(lists, key=lambda text: text.place, default=None)

    @property
    def newest(self) -> list[Call]:
        """The calls of the newest message that has any."""
        return [call for call in self.calls if call.place == self.calls[0].place]

    def shows(self, call: Call, path: str) -> bool:
        """Is this a result of that path? One of `read_result` is by its pointer, or by its own words."""
        if call.name != "read_result":
            return bool(call.arguments.get("path") == path)
        source = self.pointed.get(call.arguments.get("id") or 0)
        return source == path if source is not None else matches(bounded(re.escape(path)), call.said)

    def has(self, kind: str) -> bool:
        """Does any text of this kind stand in the request?"""
        return any(text.kind == kind for text in self.texts)


def kind_of(message: Wire, text: str) -> str:
    """Where a text comes from, judged by the text and its role alone."""
    if message["role"] == "assistant":
        return "said"
    if text.startswith(RESTATED):
        return "restated"
    if text.startswith(STATUS):
        return "status"
    return "summary" if SUMMARY.match(text[:120]) else "told"


def state_in(text: str) -> str:
    """The part that says what is open: a restatement ends with it, whatever lines the goal has before it."""
    end = "\n".join(text.rsplit("\n", 2)[-2:])
    return end if text.startswith(RESTATED[0]) and matches(OPEN_LINE, end) else text


@lru_cache(maxsize=4096)
def arguments_of(text: str) -> Mapping[str, Any]:
    """The arguments of a call; none where the text is no JSON object."""
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def fits(planned: Any, given: Any) -> bool:
    """Is this the planned value, facts left open?

    >>> fits("LIMIT = <old>", "LIMIT = 47"), fits("LIMIT = <old>", "WAIT = 47"), fits(5, 5)
    (True, False, True)
    """
    if not isinstance(planned, str) or not HOLE.search(planned):
        return bool(planned == given)
    return isinstance(given, str) and matches(template(planned), given)


@lru_cache(maxsize=1024)
def template(planned: str) -> str:
    """The regular expression of a text with facts left open."""
    parts = HOLE.split(planned)[::2]
    return r"(?s)\A" + ".*?".join(map(re.escape, parts)) + r"\Z"


@lru_cache(maxsize=16_384)
def matches(pattern: str, text: str) -> bool:
    """Does the pattern occur in the text? Remembered: the same texts come again with every request."""
    return re.search(pattern, text) is not None


@lru_cache(maxsize=16_384)
def value_of(pattern: str, text: str) -> str | None:
    """The first group of the first match."""
    hit = re.search(pattern, text)
    return None if hit is None else hit[1]


def bounded(pattern: str) -> str:
    """The pattern with word and hyphen bounds, so that `a-1` is not seen in `a-12`.

    >>> bool(re.search(bounded("a-1"), "a-12")), bool(re.search(bounded("a-1"), "a-1: done"))
    (False, True)
    """
    return rf"(?<![\w-])(?:{pattern})(?![\w-])"
