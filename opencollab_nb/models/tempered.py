"""A model that is asked at one temperature, whoever asks it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from opencollab_nb.models import Reply
from opencollab_nb.request import Request
from opencollab_nb.ticket import Ticket


@dataclass(frozen=True)
class TemperedModel:
    """Puts a temperature into each request that has none; in all else it is the model it holds.

    >>> from opencollab_nb.models.scripted import ScriptedModel
    >>> asked = TemperedModel(ScriptedModel(["hello"], name="small"), 0.2)
    >>> _ = asked.reply(Request(({"role": "user", "content": "hi"},)))
    >>> asked.name, asked.requests[0].temperature
    ('small', 0.2)
    """

    model: Any
    temperature: float

    def reply(self, request: Request, *, cancel: Ticket | None = None) -> Reply:
        """The model's reply.

        Raises:
            ModelError: as the model does.
        """
        if request.temperature is None:
            request = replace(request, temperature=self.temperature)
        answered: Reply = self.model.reply(request, cancel=cancel)
        return answered

    def __getattr__(self, name: str) -> Any:
        # Copying asks for these before there is a model to ask.
        if name.startswith("__") or name == "model":
            raise AttributeError(name)
        return getattr(self.model, name)


def tempered(model: Any, temperature: float | None) -> Any:
    """The model at this temperature; the very same where none is wanted."""
    return model if temperature is None else TemperedModel(model, temperature)
