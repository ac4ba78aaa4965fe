"""A context budget for a loop of one's own: what is in it, what is due, and the moves."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from opencollab_nb.budget import restate
from opencollab_nb.budget.anchors import Anchor, Anchors
from opencollab_nb.budget.filling import Filling
from opencollab_nb.budget.fixed import fixed_costs, over_quota
from opencollab_nb.budget.moves import ALL_MOVES
from opencollab_nb.budget.plain_history import PlainHistory
from opencollab_nb.budget.quotas import DEFAULT, Quotas
from opencollab_nb.budget.settings import Settings
from opencollab_nb.budget.todos import Todos, newly_done
from opencollab_nb.messages import Message, Messages
from opencollab_nb.shaping.summary import Summarizer

ACTIONS = ("offload", "compact", "restate", "handoff")
LONG_RESULT_CHARS = 8_000
"""A tool result longer than this is offloaded."""


class ContextBudget:
    """Quotas, anchors, todos and the moves, for one conversation.

    >>> budget = ContextBudget(64_000)
    >>> _ = budget.register("goal", "Add tests for the login.")
    >>> budget.charge("tool_result", "3 passed in 0.1 s")["kind"], budget.check()
    ('tool_result', [])
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
        self.step = 0
        """How often `check` was asked: once a step."""
        self._long_results = 0
        self._stuck = False
        self._restated_at: int | None = None
        self._milestone_since = self._compaction_since = False

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
        self._milestone_since |= anchor.kind == "milestones" and len(self.anchors) > known
        return anchor

    def update_todos(self, items: Iterable[str | Mapping[str, Any]]) -> Todos:
        """Change the todos, all or none; see `Todos.updated`. What is done becomes a milestone.

        Raises:
            UsageProblem: (a ValueError) a change that cannot be made.
        """
        before, self.todos = self.todos, self.todos.updated(items)
        for todo in newly_done(before, self.todos):
            self.register("milestones", todo.text)
        return self.todos

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
        self._long_results += charged["kind"] == "tool_result" and len(text) > LONG_RESULT_CHARS
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

        - `offload`: tool results are over their quota, or one of them is long: call `compact`
        - `compact`: more than the trigger is in use: call `compact`
        - `restate`: send `build_restatement()` as the last message of the next request
        - `handoff`: there is no more room to make: write down what the next session needs
        """
        self.step += 1
        over = self.total_used() > self.settings.trigger_tokens
        due = {
            "offload": "offload" in self.settings.moves
            and (bool(self._long_results) or "tool_result" in self.filling.over()),
            "compact": "compact" in self.settings.moves and over,
            "restate": "restate" in self.settings.moves and self.restatement_due() is not None,
            "handoff": over and (self._stuck or "compact" not in self.settings.moves),
        }
        return [action for action in ACTIONS if due[action]]

    def restatement_due(self) -> str | None:
        """Why a restatement is due: `compaction`, `milestone`, `interval`, or None."""
        return restate.due(
            self.step,
            self._restated_at,
            self.settings.restate_every,
            self._milestone_since,
            self._compaction_since,
        )

    def build_restatement(self) -> str:
        """Goal, constraints, finished milestones and todos in the fixed format: the end of one request."""
        self._restated_at = self.step
        self._milestone_since = self._compaction_since = False
        return restate.build(self.anchors, self.todos, step=self.step or None, count=self.filling.count)

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
        self._compaction_since |= self.history.lost_something
        self._long_results = 0
        self._stuck = self.total_used() > self.settings.trigger_tokens
        return sent

    def read_result(
        self,
        id: int,  # noqa: A002 - the tool's own word
        offset: int = 1,
        limit: int = 200,
        pattern: str | None = None,
    ) -> str:
        """A slice of a tool result that was offloaded or left out; the answer to the tool `read_result`."""
        from opencollab_nb.budget.offload import read_result

        return read_result(self.history.originals, id=id, offset=offset, limit=limit, pattern=pattern)

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
