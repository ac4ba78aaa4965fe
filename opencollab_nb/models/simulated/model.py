"""SimulatedModel: plays a coding agent whose only memory is the request. Not a language model."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from opencollab_nb.errors import Overflow
from opencollab_nb.messages import Message, text_of
from opencollab_nb.models import Reply
from opencollab_nb.models.simulated.decide import Decider
from opencollab_nb.models.simulated.evidence import Evidence
from opencollab_nb.models.simulated.loading import plan_of
from opencollab_nb.models.simulated.plan import Plan, ToolCall
from opencollab_nb.models.simulated.profile import Profile, profile_named
from opencollab_nb.models.simulated.reading import View
from opencollab_nb.models.simulated.work import Decision
from opencollab_nb.request import Request
from opencollab_nb.ticket import Ticket
from opencollab_nb.tokens.exact import encoding_for
from opencollab_nb.tokens.measure import measured, measured_schemas
from opencollab_nb.tokens.usage import Usage


class HasPlan(Protocol):
    """A task."""

    @property
    def plan(self) -> Plan:
        """What the simulated agent does in it."""
        ...


class SimulatedModel:
    """A program that plays a coding agent by a written plan and forgets what shaping removes.

    `reply` is a pure function of (plan, profile, seed, request): a new instance before each call
    gives the same run byte for byte. It reads the wire form of the request and nothing else, so it
    sees no `meta`, no transcript, no workspace. The one thing an instance remembers is the request
    before, to report which part of the input a provider would have had in its cache; a fresh
    instance reports none as cached, and says and does the same.

    Usage is counted with the vocabulary o200k_base plus framing, times the profile's
    `tokenizer_ratio`: a tokenizer of its own, so that calibration has something to correct.

    Args:
        plan: the name of a shipped task, a task, a `Plan`, or the path of one.
        profile: `ideal`, `plain`, `careful`, `hasty` or a `Profile`: settings, not measurements.
        seed: what chance is hashed with.
        window: context window in tokens; a request over it is refused. None: no limit.
        pace_seconds: how long each reply takes, for the eye.

    Raises:
        UnknownName: no task or profile has this name.
        UsageProblem: no plan.
        Overflow: from `reply`, with a provider's words and both numbers.
    """

    name = "simulated"
    simulated = True
    max_output_tokens: int | None = None

    def __init__(
        self,
        plan: Plan | HasPlan | str | Path | None = None,
        profile: str | Profile = "plain",
        seed: int = 0,
        *,
        window: int | None = None,
        pace_seconds: float = 0.0,
    ) -> None:
        self.plan = plan_of(plan)
        self.profile = profile_named(profile)
        self.seed = seed
        self.window = window
        self.pace_seconds = pace_seconds
        self._decider = Decider(Evidence(self.plan, self.profile, seed))
        self._encoder = encoding_for("gpt-4o")
        self._before: tuple[Any, list[dict[str, Any]]] = ((), [])

    @property
    def label(self) -> str:
        """How every table, chart and file names it."""
        return f"simulated agent (profile {self.profile.name}, seed {self.seed})"

    def __repr__(self) -> str:
        return (
            f"SimulatedModel({self.plan.name!r}, profile={self.profile.name!r}, seed={self.seed}, "
            f"window={self.window})"
        )

    def reply(self, request: Request, *, cancel: Ticket | None = None) -> Reply:
        """Answer the request from what it shows."""
        if cancel is not None:
            cancel.check()
        weights = [measured(m, self._encoder.count) for m in request.wire]
        overhead = measured_schemas(request.tools, self._encoder.count)
        input_tokens = self._own_tokens(sum(weights) + overhead)
        self._refuse_overflow(input_tokens, request.max_output_tokens or 0)
        decision = self.decide(request, weights)
        message = message_of(decision, request.wire)
        if self.pace_seconds:
            cancel.wait(self.pace_seconds) if cancel is not None else time.sleep(self.pace_seconds)
        cached = self._own_tokens(self._cached(request, weights, overhead))
        output = self._own_tokens(measured(message, self._encoder.count))
        usage = Usage(input_tokens, min(cached, input_tokens), output)
        return Reply(message, usage, "tool_calls" if decision.calls else "stop")

    def decide(self, request: Request, weights: Sequence[int] | None = None) -> Decision:
        """What it would say and call, and by which rule; nothing is remembered or counted."""
        weights = weights or [measured(m, self._encoder.count) for m in request.wire]
        offered = [str(tool.get("function", {}).get("name", "")) for tool in request.tools]
        return self._decider.decide(View(request.wire, weights, offered))

    def _own_tokens(self, tokens: int) -> int:
        return round(tokens * self.profile.tokenizer_ratio)

    def _refuse_overflow(self, input_tokens: int, output_tokens: int) -> None:
        if self.window is None or input_tokens + output_tokens <= self.window:
            return
        asked = f" ({input_tokens} in the messages, {output_tokens} in the completion)"
        raise Overflow(
            f"This model's maximum context length is {self.window} tokens. However, you requested "
            f"{input_tokens + output_tokens} tokens{asked if output_tokens else ''}. "
            "Please reduce the length of the messages.",
            input_tokens=input_tokens,
            window=self.window,
            output_tokens=output_tokens or None,
        )

    def _cached(self, request: Request, weights: Sequence[int], overhead: int) -> int:
        """Tokens of the common prefix with the request before; the tool schemas come first."""
        (tools, before), self._before = self._before, (request.tools, request.wire)
        if not before or list(tools) != list(request.tools):
            return 0
        tokens = overhead
        for old, new, weight in zip(before, request.wire, weights, strict=False):
            if old != new:
                break
            tokens += weight
        return tokens


def message_of(decision: Decision, messages: Sequence[Mapping[str, Any]]) -> Message:
    """The assistant message; its call ids are a hash of the request's end, so they need no counter."""
    message: Message = {"role": "assistant", "content": decision.text}
    if decision.calls:
        end = [(m["role"], text_of(m)) for m in messages[-3:]]
        stamp = hashlib.sha256(repr((end, len(messages))).encode()).hexdigest()[:10]
        message["tool_calls"] = [wire_call(f"call_{stamp}{k}", c) for k, c in enumerate(decision.calls)]
    return message


def wire_call(call_id: str, call: ToolCall) -> dict[str, Any]:
    """A call in the OpenAI chat shape.

    >>> wire_call("c1", ToolCall("bash", {"command": "ls"}))["function"]
    {'name': 'bash', 'arguments': '{"command": "ls"}'}
    """
    arguments = json.dumps(call.arguments, ensure_ascii=False)
    return {"id": call_id, "type": "function", "function": {"name": call.name, "arguments": arguments}}
