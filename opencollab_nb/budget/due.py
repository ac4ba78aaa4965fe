"""What is due before the next request of a loop of one's own, and since when."""

from __future__ import annotations

from collections.abc import Sequence

from opencollab_nb.budget import restate
from opencollab_nb.budget.filling import Filling
from opencollab_nb.budget.offload.shaper import MAX_CHARS
from opencollab_nb.budget.plain_history import is_long
from opencollab_nb.messages import Message
from opencollab_nb.shaping.groups import newest_groups

ACTIONS = ("offload", "compact", "restate", "handoff")


class Due:
    """Remembers what came and what was done since; the figures are those of a `Filling`."""

    def __init__(self, filling: Filling) -> None:
        self._filling = filling
        self.step = 0
        """How often the actions were asked for: once a step."""
        self._results_came = False
        self._long_came = self._long_was_read = False
        self._stuck = False
        self._restated_at: int | None = None
        self._milestone_since = self._compaction_since = False

    def charged(self, category: str, text: str) -> None:
        """A text entered the request."""
        if category == "tool_result":
            self._results_came = True
            self._long_came |= len(text) > MAX_CHARS

    def milestone(self) -> None:
        """A milestone was finished."""
        self._milestone_since = True

    def restated(self) -> None:
        """A restatement was made."""
        self._restated_at = self.step
        self._milestone_since = self._compaction_since = False

    def compacted(self, sent: Sequence[Message], *, lost_something: bool) -> None:
        """Room was made, as far as it went."""
        self._results_came = self._long_was_read = False
        # The newest results stay until the model has read them; then they are due.
        self._long_came |= bool(sent) and any(map(is_long, newest_groups(sent, 1)[0].messages))
        self._compaction_since |= lost_something
        self._stuck = self._over

    def restatement(self) -> str | None:
        """Why a restatement is due: `compaction`, `milestone`, `interval`, or None."""
        every = self._filling.settings.restate_every
        return restate.due(self.step, self._restated_at, every, self._milestone_since, self._compaction_since)

    def actions(self) -> list[str]:
        """What is due before this step's request."""
        self.step += 1
        moves = self._filling.settings.moves
        results_over = self._results_came and "tool_result" in self._filling.over()
        due = {
            "offload": "offload" in moves and (self._long_was_read or results_over),
            "compact": "compact" in moves and self._over,
            "restate": "restate" in moves and self.restatement() is not None,
            "handoff": self._over and (self._stuck or "compact" not in moves),
        }
        self._long_was_read, self._long_came = self._long_was_read or self._long_came, False
        return [action for action in ACTIONS if due[action]]

    @property
    def _over(self) -> bool:
        return self._filling.total > self._filling.settings.trigger_tokens
