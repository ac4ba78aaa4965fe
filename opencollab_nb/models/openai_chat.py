"""Any endpoint that speaks Chat Completions: OpenAI, vLLM, llama.cpp, Ollama, OpenRouter and others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from opencollab_nb.errors import ModelError, ModelUnavailable, UsageProblem
from opencollab_nb.models import Reply
from opencollab_nb.models.endpoints import Endpoints
from opencollab_nb.models.openai_access import Access, find_accesses
from opencollab_nb.models.openai_answer import Unanswered
from opencollab_nb.models.openai_call import Caller
from opencollab_nb.models.openai_wire import payload
from opencollab_nb.models.retries import Retries, sleep
from opencollab_nb.models.sockets import wakeable
from opencollab_nb.models.starved import odd, starved
from opencollab_nb.request import Request
from opencollab_nb.secrecy import KNOWN
from opencollab_nb.ticket import Ticket, told
from opencollab_nb.tokens.estimate import weigh


class OpenAIModel:
    """A model behind the `openai` client.

    Every reply is one call on a connection of its own; when the ticket is cancelled its sockets are
    shut down. Rate limits, server errors, broken connections, streams and bodies are tried again
    within `retries`; each pause ends with the ticket. A reply that does not come within
    `timeout_seconds` is not asked for again at the same endpoint: the provider may be working on it,
    and charge for it. Each further attempt is told to the session, which writes it into its trace.

    Several endpoints take turns. One that fails is passed over: the same request goes to the next at
    once, and it stands behind the others for half a minute, or for as long as it asked for. A pause
    comes only after all of them have failed. What is wrong with the request itself (too long, of a
    form that is not taken) is not asked elsewhere.

    The limit of the reply is sent as `max_completion_tokens` to openai.com and Azure, and as
    `max_tokens` to all others.

    Args:
        model: its name; else `OPENAI_MODEL`.
        base_url: the endpoint, or a list of them; else `OPENAI_BASE_URL` (several with commas between
            them), else OpenAI's own.
        api_key: else `OPENAI_API_KEY`; a server on this machine needs none. One for all endpoints or a
            list with one for each. Never shown or pickled.
        window: context window in tokens, where it is not the known one of that model.
        max_output_tokens: limit of each reply that the request does not limit itself.
        timeout_seconds: how long the endpoint may be silent.
        reply_seconds: how long one answer may take in all, also where bytes keep dripping in.
        retries: further attempts and the pauses before them.
        stream: ask for the reply in pieces, so that the silence is only that between two of them.

    Raises:
        MissingKey: no key for an endpoint that is not on this machine.
        UsageProblem: no model name, or an address or number that cannot be used.

    >>> OpenAIModel("tiny", base_url="http://127.0.0.1:8000/v1")
    OpenAIModel('tiny', base_url='http://127.0.0.1:8000/v1')
    """

    simulated = False

    def __init__(
        self,
        model: str | None = None,
        *,
        base_url: str | Sequence[str] | None = None,
        api_key: str | Sequence[str] | None = None,
        window: int | None = None,
        max_output_tokens: int | None = None,
        timeout_seconds: float = 600.0,
        reply_seconds: float = 3_600.0,
        retries: Retries | None = None,
        stream: bool = False,
    ) -> None:
        for name, value in (("window", window), ("max_output_tokens", max_output_tokens)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise UsageProblem(f"{name} is a positive number of tokens, not {value!r}")
        for name, seconds in (("timeout_seconds", timeout_seconds), ("reply_seconds", reply_seconds)):
            if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:
                raise UsageProblem(f"{name} is a positive number of seconds, not {seconds!r}")
        self._endpoints = Endpoints(find_accesses(model, base_url, api_key))
        self._caller = Caller(timeout_seconds, reply_seconds)
        self._without_options: set[str] = set()
        self.window = window
        self.max_output_tokens = max_output_tokens
        self.timeout_seconds, self.reply_seconds = timeout_seconds, reply_seconds
        self.retries = retries or Retries()
        self.stream = stream

    @property
    def name(self) -> str:
        """The model's name, as the endpoint knows it."""
        return self._endpoints.all_of[0].model

    @property
    def base_url(self) -> str:
        """The endpoint; the first one of several."""
        return self.base_urls[0]

    @property
    def base_urls(self) -> tuple[str, ...]:
        """All endpoints."""
        return tuple(access.base_url for access in self._endpoints.all_of)

    @property
    def label(self) -> str:
        """How views name it."""
        first, *more = self._endpoints.all_of
        return KNOWN.struck(f"{self.name} at {first.host}{f' and {len(more)} more' if more else ''}")

    def __repr__(self) -> str:
        shown = self.base_urls if len(self.base_urls) > 1 else self.base_url
        url = list(shown) if shown is not self.base_url else shown
        return KNOWN.struck(f"OpenAIModel({self.name!r}, base_url={url!r})")

    def __reduce__(self) -> tuple[Any, ...]:
        """Without the key: whoever unpickles it reads the key from the environment again."""
        settings = {
            "base_url": list(self.base_urls) if len(self.base_urls) > 1 else self.base_url,
            "window": self.window,
            "max_output_tokens": self.max_output_tokens,
            "timeout_seconds": self.timeout_seconds,
            "reply_seconds": self.reply_seconds,
            "retries": self.retries,
            "stream": self.stream,
        }
        return restored, (self.name, settings)

    def __deepcopy__(self, memo: object) -> OpenAIModel:
        return self

    def reply(self, request: Request, *, cancel: Ticket | None = None) -> Reply:
        """Send the request and wait for the answer.

        Raises:
            Overflow: the endpoint says that the request is too long, or says nothing to a huge one.
            MalformedHistory: it refuses the form of the messages.
            ModelUnavailable: no usable answer after the allowed attempts.
            StepCancelled: the ticket was cancelled.
        """
        rounds = attempts = 0
        while True:
            order = self._endpoints.order()
            failures: list[tuple[Unanswered, ModelError]] = []
            for access in order:
                outcome = self._asked(access, request, cancel)
                attempts += 1
                if isinstance(outcome, Reply):
                    self._endpoints.answered(access)
                    return outcome
                error = outcome.refusal.error(where=access.host)
                if not isinstance(error, ModelUnavailable):
                    raise error
                failures.append((outcome, error))
                self._endpoints.failed(access, outcome.asked_seconds)
                if not outcome.refusal.elsewhere:
                    raise told_how_often(error, attempts)
                if len(failures) < len(order):
                    told(cancel, f"{error}; another endpoint is asked")
            pause, error = self._pause(rounds, failures)
            if pause is None:
                raise told_how_often(error, attempts)
            told(cancel, f"{error}; it is asked again in {pause:.1f} s")
            sleep(pause, cancel)
            rounds += 1

    def _asked(self, access: Access, request: Request, cancel: Ticket | None) -> Reply | Unanswered:
        body = payload(request, access.model, host=access.host, max_output_tokens=self.max_output_tokens)
        asks_usage = self.stream and access.base_url not in self._without_options
        if self.stream:
            body["stream"] = True
        if asks_usage:
            body["stream_options"] = {"include_usage": True}
        outcome = wakeable(lambda line: self._caller.call(access, line, body), cancel)
        if asks_usage and isinstance(outcome, Unanswered) and outcome.refusal.refuses_field("stream_options"):
            self._without_options.add(access.base_url)
            told(
                cancel, f"{access.host} takes no stream_options; it is asked without, and may report no usage"
            )
            return self._asked(access, request, cancel)
        said = outcome if isinstance(outcome, Reply) else outcome.empty
        if said is not None and odd(said):
            error = starved(said, sum(map(weigh, request.messages)), self.window)
            if error is not None:
                raise error
        return outcome

    def _pause(
        self, rounds: int, failures: Sequence[tuple[Unanswered, ModelError]]
    ) -> tuple[float | None, ModelError]:
        """How long to wait until one of those that failed is asked again, None for never; what to tell."""
        passing = [(outcome, error) for outcome, error in failures if outcome.may_pass]
        if not passing:
            return None, failures[-1][1]
        pauses = [self.retries.pause(rounds, outcome.asked_seconds) for outcome, _ in passing]
        return min((p for p in pauses if p is not None), default=None), passing[-1][1]


def told_how_often(error: ModelError, attempts: int) -> ModelError:
    """The same error; its text says when more than one attempt was made."""
    if attempts > 1 and error.args:
        error.args = (f"{error.args[0]} (after {attempts} attempts)", *error.args[1:])
    return error


def restored(model: str, settings: dict[str, Any]) -> OpenAIModel:
    """Unpickle: the key is read from the environment again."""
    return OpenAIModel(model, **settings)
