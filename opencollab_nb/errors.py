"""The errors of the house, split by who must act.

OpenCollabError
├── UsageProblem            you: an argument, a name, a file that cannot be used as it is
│   ├── UnknownName         ... a name that is not known; the nearest known one is named
│   ├── SpecificationError  ... a policy, plan or run specification with unknown keys or values
│   ├── MissingKey          ... no API key for a real model; names the keyless way
│   └── ImportProblem       ... a file that holds no transcript of a known format, or none that can be read
├── ShapingError            a shaper, or its summarizer
│   └── LayerDeclined       a layer had a reason not to act; it is shown, the view stays as it was
├── ModelError              the model or its provider
│   ├── Overflow            the provider refused the request as too long
│   ├── MalformedHistory    the provider refused the form of the history
│   └── ModelUnavailable    no usable answer after the allowed retries
├── WorkflowBudgetExceeded  the workflow's pool of tokens ended; it carries the results so far
├── TranscriptError         the run folder: unreadable, unwritable, of another session
└── SessionBusy             a step is in flight; pause or stop it first

StepCancelled (BaseException)   a step whose ticket was cancelled; `except Exception` must not eat it
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable

__all__ = [
    "ImportProblem",
    "LayerDeclined",
    "MalformedHistory",
    "MissingKey",
    "ModelError",
    "ModelUnavailable",
    "OpenCollabError",
    "Overflow",
    "SessionBusy",
    "ShapingError",
    "SpecificationError",
    "StepCancelled",
    "TranscriptError",
    "UnknownName",
    "UsageProblem",
    "WorkflowBudgetExceeded",
    "nearest",
]


class OpenCollabError(Exception):
    """Root of all errors raised by this package."""


class UsageProblem(OpenCollabError, ValueError):
    """What was asked for cannot be done as it stands; the message says what to change."""


class UnknownName(UsageProblem):
    """A name that is not known.

    >>> str(UnknownName("policy", "defualt", ["default", "summarize"]))
    "unknown policy 'defualt'; did you mean 'default'? Known: default, summarize"
    """

    def __init__(self, kind: str, name: object, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, tuple(known)
        guess = nearest(str(name), self.known)
        hint = f"; did you mean {guess!r}?" if guess else "."
        super().__init__(f"unknown {kind} {name!r}{hint} Known: {', '.join(self.known)}")


class SpecificationError(UsageProblem):
    """A written specification (policy, plan, run) holds something that is not understood."""


class MissingKey(UsageProblem):
    """A real model was asked for and no key for it was found."""


class ImportProblem(UsageProblem):
    """A file cannot be read as a transcript; the message says what was tried and what it is most like."""


class ShapingError(OpenCollabError):
    """A request could not be shaped."""


class LayerDeclined(ShapingError):
    """Raised by a layer that cannot do its part; the chain goes on without it.

    `summary` is what a refused summary had cost, so that it is booked all the same.
    """

    def __init__(self, reason: str, *, summary: object = None) -> None:
        super().__init__(reason)
        self.summary = summary


class ModelError(OpenCollabError):
    """A model call failed."""


class Overflow(ModelError):
    """The provider refused the request as too long; the numbers are those it gave, or None."""

    def __init__(
        self,
        message: str,
        *,
        input_tokens: int | None = None,
        window: int | None = None,
        output_tokens: int | None = None,
    ) -> None:
        super().__init__(message)
        self.input_tokens, self.window, self.output_tokens = input_tokens, window, output_tokens
        self.counts_the_reply = False
        """True where input and reply together are too long: a lower limit of the reply may be enough."""
        self.usage: object = None
        """What the call had cost all the same: an empty answer to a prompt that filled the window."""


class MalformedHistory(ModelError):
    """The provider refused the form of the messages, not their length."""


class ModelUnavailable(ModelError):
    """The provider gave no usable answer after the allowed retries.

    `nothing_said` is True for an answer that came and held nothing.
    """

    nothing_said = False


class WorkflowBudgetExceeded(OpenCollabError):
    """The pool of a workflow has ended; `partial` has the results of all agents so far, in order."""

    def __init__(self, message: str, partial: Iterable[object] = ()) -> None:
        super().__init__(f"{message} ({len(found := list(partial))} results so far are in `.partial`)")
        self.partial = found


class TranscriptError(OpenCollabError):
    """A run folder cannot be read or written, or does not fit the session."""


class SessionBusy(OpenCollabError, RuntimeError):
    """A step is in flight: pause or stop the run first."""


class StepCancelled(BaseException):
    """Raised inside a step whose ticket was cancelled."""


def nearest(name: str, known: Collection[str]) -> str | None:
    """The known name most like `name`, or None. Letters that changed places count as nearest.

    >>> nearest("sumarize", ["default", "summarize"]), nearest("stpe", ["stop", "step"])
    ('summarize', 'step')
    """
    by_letters = {k.lower(): k for k in reversed(list(known))}
    wanted = name.lower()
    swapped = [k for k in by_letters if sorted(k) == sorted(wanted)]
    found = swapped or difflib.get_close_matches(wanted, by_letters, n=1, cutoff=0.5)
    return by_letters[found[0]] if found else None
