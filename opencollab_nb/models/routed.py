"""A model for each request, picked by a function of the user's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.models import Reply
from opencollab_nb.models.asking import reply_of
from opencollab_nb.request import Request
from opencollab_nb.secrecy import KNOWN
from opencollab_nb.ticket import Ticket

Rule = Callable[[Request], Any]


class RoutedModel:
    """Asks the model that `rule(request)` returns; the trace says which one it was.

    The rule sees the whole request: `request.purpose` is `step` or `summary`, `request.messages` what is
    sent, `request.tools` what is offered. It is asked once for each request, so it may take turns or
    flip a coin; after an overflow it is asked again for the shorter request.

    Args:
        rule: a function of the request that returns a model, or a name from `models`.
        models: the models by name. Only from them can be known beforehand what the session asks for:
            the smallest of their windows, the lowest limit of a reply, and whether one is simulated.
        window: context window in tokens, where it shall not be that of `models`.
        name: what views and the tokenizer are told.

    Raises:
        UsageProblem: the rule is no function; from `reply`, it returned no model.

    >>> from opencollab_nb.models.scripted import ScriptedModel
    >>> cheap, strong = ScriptedModel(["a summary"], name="cheap"), ScriptedModel(["done"], name="strong")
    >>> routed = RoutedModel(lambda request: cheap if request.purpose == "summary" else strong)
    >>> reply = routed.reply(Request(({"role": "user", "content": "hi"},), purpose="summary"))
    >>> reply.message["content"], reply.model
    ('a summary', 'cheap')
    """

    def __init__(
        self,
        rule: Rule,
        *,
        models: Mapping[str, Any] | None = None,
        window: int | None = None,
        name: str = "routed",
    ) -> None:
        if not callable(rule):
            raise UsageProblem(f"rule is {rule!r}: give a function of the request that returns a model")
        for key, model in (models or {}).items():
            check(model, f"models[{key!r}]")
        self.rule, self.models, self.name = rule, dict(models or {}), name
        self._window = window

    def __repr__(self) -> str:
        rule = getattr(self.rule, "__name__", self.rule)
        return KNOWN.struck(f"RoutedModel({rule!s}, models={list(self.models)})")

    @property
    def label(self) -> str:
        """How views name it."""
        return f"{self.name} ({', '.join(self.models)})" if self.models else self.name

    @property
    def window(self) -> int | None:
        """The smallest window, so that a request fits whichever model it goes to."""
        return self._window if self._window is not None else self._least("window")

    @property
    def max_output_tokens(self) -> int | None:
        """The lowest limit of a reply."""
        return self._least("max_output_tokens")

    @property
    def simulated(self) -> bool:
        """True as soon as one of the models is no model."""
        return any(getattr(model, "simulated", False) for model in self.models.values())

    def reply(self, request: Request, *, cancel: Ticket | None = None) -> Reply:
        """What the picked model replies.

        Raises:
            UsageProblem: the rule returned no model.
            UnknownName: it returned a name that is not in `models`.
            ModelError: from the model.
            Exception: what the rule raised.
        """
        picked = self.rule(request)
        if isinstance(picked, str):
            if picked not in self.models:
                raise UnknownName("model", picked, self.models)
            picked, name = self.models[picked], picked
        else:
            check(picked, "what the rule returned")
            name = str(getattr(picked, "name", None) or type(picked).__name__)
        reply = reply_of(picked, request, cancel)
        return reply if reply.model else replace(reply, model=name)

    def _least(self, attribute: str) -> int | None:
        numbers = (getattr(model, attribute, None) for model in self.models.values())
        return min((n for n in numbers if isinstance(n, int)), default=None)


def check(model: Any, what: str) -> None:
    """Refuse what cannot be asked.

    Raises:
        UsageProblem: it has no method `reply`.
    """
    if isinstance(model, type) or not callable(getattr(model, "reply", None)):
        raise UsageProblem(f"{what} is {model!r}: needed is an object with reply(request, *, cancel=None)")
