"""The steps of a SWE-agent trajectory: what was sent for each, and replies that the history lacks."""

from __future__ import annotations

from typing import Any

from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.fields import mapping, sequence, text
from opencollab_nb.messages import Message, text_of


class Steps:
    """Walked through beside the history.

    A step may hold the messages of its request (`query`), or those that stood after it (`messages`): old
    results are elided there, and each elision is told to the draft as a compaction of that one message.

    Args:
        steps: as the file holds them.
        replies: how many the history has; steps beyond them are replies that could not be used.

    >>> steps = Steps([{"response": "a", "query": [{"role": "user", "content": "hi"}]}])
    >>> steps.read, steps.tells_views, len(steps.as_history())
    (1, True, 3)
    """

    def __init__(self, steps: list[Any], replies: int = 0) -> None:
        self._steps = [step for step in steps if isinstance(step, dict)]
        self.read = len(steps)
        self._views = {
            len(view): view
            for step in self._steps
            if (view := sequence(step.get("query") or step.get("messages")))
        }
        self._responses = [text(step.get("response")) for step in self._steps]
        self._at = 0
        # A reply that was edited by hand is like no step; only more steps than replies tell of failed ones.
        self._failed_at_most = sum(map(bool, self._responses)) - replies
        self._elided: dict[int, str] = {}

    @property
    def tells_views(self) -> bool:
        """True where the file holds what was sent."""
        return any(mapping(message).get("role") for view in self._views.values() for message in view)

    def before_reply(self, draft: Draft, reply: Message, model: str | None) -> None:
        """Tell the draft, whose next message is this reply, what its request left out and which failed."""
        said = text_of(reply)
        if said in self._responses[self._at :]:
            here = self._responses.index(said, self._at)
            for failed in self._responses[self._at : here]:
                if failed and self._failed_at_most > 0:
                    self._failed_at_most -= 1
                    draft.asked(model=model)
            self._at = here + 1
        for at, sent in enumerate(self._views.get(len(draft.messages), ())):
            if not isinstance(sent, dict) or sent.get("role") != draft.messages[at].get("role"):
                continue
            shown = text_of(sent)
            if shown != self._elided.get(at, text_of(draft.messages[at])):
                self._elided[at] = shown
                draft.compacted(shown, [at])

    def as_history(self) -> list[Any]:
        """The conversation, for a file that holds nothing but steps."""
        history: list[Any] = []
        for step in self._steps:
            if not history:
                history += sequence(step.get("query"))
            if text(step.get("response")) or text(step.get("action")):
                history.append(
                    {"role": "assistant", "content": text(step.get("response")) or text(step["action"])}
                )
            history.append({"role": "user", "content": text(step.get("observation")) or "[no output]"})
        return history
