"""A context budget for a loop of one's own: what is in it, what is due, and the moves."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from opencollab_nb.budget import restate
from opencollab_nb.budget.anchors import Anchor, Anchors
from opencollab_nb.budget.due import Due
from opencollab_nb.budget.filling import Filling
from opencollab_nb.budget.fixed import fixed_costs, over_quota
from opencollab_nb.budget.moves import ALL_MOVES
from opencollab_nb.budget.offload import READ_RESULT, answer_read_result
from opencollab_nb.budget.plain_history import PlainHistory
from opencollab_nb.budget.quotas import DEFAULT, Quotas
from opencollab_nb.budget.settings import Settings
from opencollab_nb.budget.todo_tool import TODO, changed_by_call
from opencollab_nb.budget.todos import Todos, newly_done
from opencollab_nb.errors import UsageProblem
from opencollab_nb.messages import Message, Messages, call_arguments, call_name
from opencollab_nb.shaping.summary import Summarizer


class ContextBudget:
    r"""Quotas, anchors, todos and the moves, for one conversation of your own loop.

    It asks no model and sends nothing: the loop does, with whatever speaks the OpenAI shape.
    `ask` stands here for a call such as

        client.chat.completions.create(model=..., messages=messages, tools=tools).choices[0].message

    of which a plain dict is made (`.model_dump(exclude_none=True)`), and `run` for your own tools, whose
    schemas are sent beside the budget's.

    >>> import json
    >>> from opencollab_nb.models.scripted import ScriptedModel
    >>> from opencollab_nb.request import Request
    >>> def calling(name, **arguments):
    ...     function = {"name": name, "arguments": json.dumps(arguments)}
    ...     return {"content": "", "tool_calls": [{"id": name, "type": "function", "function": function}]}
    >>> done = calling("todo", updates=[{"id": "t1", "status": "done"}])
    >>> model = ScriptedModel([calling("read_log"), calling("read_log"), done, "The disk was full."])
    >>> tools = [{"type": "function", "function": {"name": "read_log", "parameters": {"type": "object"}}}]
    >>> def ask(messages, tools):
    ...     return model.reply(Request(messages, tools=tools)).message
    >>> def run(call):
    ...     return "12:00 ERROR login timed out after 30 s\n" * 900

    >>> budget = ContextBudget(64_000, restate_every=3)
    >>> _ = budget.register("goal", "Find out why the login fails.")
    >>> _ = budget.register("constraints", "The database schema must not be changed.")
    >>> _ = budget.update_todos(["read the logs", "name the cause"])
    >>> messages = budget.with_anchors([{"role": "user", "content": "The login fails. Why?"}])
    >>> working = True
    >>> while working:
    ...     due = budget.check()
    ...     if "offload" in due or "compact" in due:
    ...         messages = budget.compact(messages)
    ...     tail = [{"role": "user", "content": budget.build_restatement()}] if "restate" in due else []
    ...     reply = ask([*messages, *tail], [*tools, *budget.tools])
    ...     messages = [*messages, reply]
    ...     _ = budget.charge("history", reply.get("content") or "")
    ...     for call in reply.get("tool_calls", []):
    ...         text = budget.answer(call) or run(call)
    ...         _ = budget.charge("tool_result", text)
    ...         messages = [*messages, {"role": "tool", "tool_call_id": call["id"], "content": text}]
    ...     working = "tool_calls" in reply and "handoff" not in due
    ...     print(due, f"{budget.total_used():,} tokens")
    [] 10,852 tokens
    [] 21,652 tokens
    ['offload', 'restate'] 5,470 tokens
    ['restate'] 5,475 tokens
    >>> print(budget.build_restatement())
    [Restatement at step 4, by the harness. It stands above whatever was said before.]
    Goal: Find out why the login fails.
    Constraints:
    - The database schema must not be changed.
    Finished (1): t1 "read the logs"
    Open (1): t2 "name the cause"
    """

    def __init__(
        self,
        total_budget: int = 64_000,
        trigger: float = 0.8,
        restate_every: int | None = 8,
        *,
        quotas: Quotas | str = DEFAULT,
        moves: Collection[str] = ALL_MOVES,
        model: str | None = None,
        summarizer: Summarizer | None = None,
    ) -> None:
        """See the class.

        Args:
            total_budget: tokens that one request may have.
            trigger: the share of it from which compaction is due.
            restate_every: steps between two restatements; None for none by interval.
            quotas: shares of the categories, or the name of a preset.
            moves: which moves are made, of `offload compact restate memory`.
            model: name of the model, for its encoding; without one, counts are estimates.
            summarizer: what compaction asks; without one old groups are snipped.

        Raises:
            UsageProblem: (a ValueError) a value that cannot be used; it is named.
        """
        self.settings = Settings.of(
            quotas,
            moves,
            total_budget=total_budget,
            trigger=trigger,
            restate_every=restate_every,
            model=model,
        )
        self.summarizer = summarizer
        self.filling = Filling(self.settings)
        count = self.filling.count
        self.anchors = Anchors(limit_tokens=self.settings.never_folds_tokens, count=count)
        self.todos = Todos()
        self.history = PlainHistory(self.filling, self.anchors, summarizer)
        """The messages of the conversation as they were seen last."""
        self._due = Due(self.filling)

    @property
    def step(self) -> int:
        """How often `check` was asked: once a step."""
        return self._due.step

    @property
    def source(self) -> str:
        """`counted` where the model's encoding is known, else `estimated`."""
        return "counted" if self.filling.encoder.exact else "estimated"

    def register(self, key: str, text: str) -> Anchor:
        """Keep a text word for word, from now on; see `Anchors.register`.

        Raises:
            UsageProblem: (a ValueError) no such kind, no text, or more than fits.
        """
        known = len(self.anchors)
        anchor = self.anchors.register(key, text, at=self.step)
        if anchor.kind == "milestones" and len(self.anchors) > known:
            self._due.milestone()
        return anchor

    def update_todos(self, items: Iterable[str | Mapping[str, Any]]) -> Todos:
        """Change the todos, all or none; see `Todos.updated`. What is done becomes a milestone.

        Raises:
            UsageProblem: (a ValueError) a change that cannot be made.
        """
        return self._take_todos(self.todos.updated(items))

    def charge(self, kind: str, text: str) -> dict[str, Any]:
        """Count a text before it enters the request.

        Args:
            kind: `system tool_result history restate`, or what a message calls it: `tool`, `user`, ...
            text: what enters.

        Returns:
            `kind` (the category), `cost` in tokens, and `quota_ratio`, how full its quota is with it.

        Raises:
            UnknownName: (a ValueError) no such kind.
        """
        charged = self.filling.charge(kind, text)
        self._due.charged(charged["kind"], text)
        return charged

    def release(self, kind: str, text: str) -> dict[str, Any]:
        """Count a text that left the request; returns the same as `charge`, the cost negative."""
        return self.filling.charge(kind, text, -1)

    def weigh_request(
        self, messages: Sequence[Message], tools: Iterable[Mapping[str, Any]] | None = None
    ) -> dict[str, int]:
        """Take what is really in a request instead of what was charged; returns tokens by category.

        Args:
            messages: as they are sent.
            tools: schemas that go with every request; None for those given last.
        """
        if tools is not None:
            self.filling.weigh_tools(tools)
        return self.filling.weigh(self.history.labelled(messages), messages)

    def fixed_notice(
        self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]] = ()
    ) -> str | None:
        """A sentence where system prompt, task and tool schemas are over their quota; None where not."""
        costs = fixed_costs(self.history.labelled(messages), tools, self.filling.count)
        return over_quota(costs, self.filling.quota_tokens["system"])

    def total_used(self) -> int:
        """Tokens in the request, as far as they were charged or weighed."""
        return self.filling.total

    def check(self) -> list[str]:
        """What is due before the next request; ask once a step.

        - `offload`: a long tool result was read, or new ones are over their quota: call `compact`
        - `compact`: more than the trigger is in use: call `compact`
        - `restate`: send `build_restatement()` as the last message of the next request
        - `handoff`: there is no more room to make: write down what the next session needs
        """
        return self._due.actions()

    def restatement_due(self) -> str | None:
        """Why a restatement is due: `compaction`, `milestone`, `interval`, or None."""
        return self._due.restatement()

    def build_restatement(self) -> str:
        """Goal, constraints, finished milestones and todos in the fixed format: the end of one request."""
        self._due.restated()
        text = restate.build(self.anchors, self.todos, step=self.step or None, count=self.filling.count)
        self.history.expect(text, "restatement")
        return text

    def with_anchors(self, messages: Messages) -> Messages:
        """The messages with every anchor in force, word for word; the same list where all stand there."""
        return self.history.with_anchors(messages)

    def compact(self, messages: Messages) -> Messages:
        """The messages with room made, as far as it is due, and with every anchor in force.

        Long tool results give way to a summary with a pointer; over the trigger the chain clears,
        snips or summarizes, down to three quarters of it. The system, the first user message and the
        anchors stay. `used` is then what the messages hold.

        Args:
            messages: plain messages in the OpenAI shape, those of the last `compact` among them.
        """
        sent = self.history.compacted(messages)
        self._due.compacted(sent, lost_something=self.history.lost_something)
        return sent

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools of the harness, to be offered beside those of the loop: `read_result` and `todo`."""
        moves = self.settings.moves
        return [READ_RESULT] * ("offload" in moves) + [TODO] * ("restate" in moves)

    def answer(self, call: Mapping[str, Any]) -> str | None:
        """The result of a call of one of these tools; None for a call of another tool."""
        name, arguments = call_name(call), call_arguments(call)
        if name not in [tool["function"]["name"] for tool in self.tools]:
            return None
        if name == "read_result":
            return answer_read_result(self.history.originals, arguments)
        try:
            self._take_todos(changed_by_call(self.todos, arguments))
        except UsageProblem as problem:
            return f"Error: {problem}. Nothing was changed."
        return "\n".join(todo.line for todo in self.todos) or "There are no todos."

    def to_dict(self) -> dict[str, Any]:
        """The settings, as plain data for `from_dict`."""
        return self.settings.to_dict()

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any], *, summarizer: Summarizer | None = None) -> ContextBudget:
        """A budget with the settings that `to_dict` gave, and nothing in it.

        Raises:
            UsageProblem: (a ValueError) something else.
        """
        return cls(**vars(Settings.from_dict(settings)), summarizer=summarizer)

    def fresh(self) -> ContextBudget:
        """The same settings with nothing in use: for the session that follows."""
        return self.from_dict(self.to_dict(), summarizer=self.summarizer)

    def __repr__(self) -> str:
        fills = ", ".join(f"{name} {ratio:.0%}" for name, ratio in self.filling.ratios.items())
        total = f"{self.total_used():,} of {self.settings.total_budget:,} tokens"
        return f"ContextBudget({total}, {self.source}; {fills})"

    def _take_todos(self, todos: Todos) -> Todos:
        for todo in newly_done(self.todos, todos):
            self.register("milestones", todo.text)
        self.todos = todos
        return todos
