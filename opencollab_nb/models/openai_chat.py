"""Any endpoint that speaks Chat Completions: OpenAI, vLLM, llama.cpp, Ollama, OpenRouter and others."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

from opencollab_nb.errors import ModelError, ModelUnavailable, UsageProblem
from opencollab_nb.models import Reply
from opencollab_nb.models.ceiling import TooLong, under_ceiling
from opencollab_nb.models.openai_access import Secret, find_access
from opencollab_nb.models.openai_errors import Refusal, refusal_of
from opencollab_nb.models.openai_wire import NotAReply, payload, reply_of
from opencollab_nb.models.retries import Retries, asked_seconds, sleep
from opencollab_nb.models.sockets import Line, wakeable
from opencollab_nb.request import Request
from opencollab_nb.ticket import Ticket

CONNECT_SECONDS = 10.0


@dataclass(frozen=True)
class Unanswered:
    """One attempt without a reply. Holds no object of the HTTP client: those hold the key."""

    refusal: Refusal
    may_pass: bool
    """True if the same request may be taken a moment later."""
    asked_seconds: float | None = None
    """The pause the provider asked for."""


class OpenAIModel:
    """A model behind the `openai` client.

    Every reply is one call on a connection of its own; when the ticket is cancelled its sockets are
    shut down. Rate limits, server errors and broken connections are tried again within `retries`;
    each pause ends with the ticket. A reply that does not come within `timeout_seconds` is not asked
    for again: the provider may be working on it, and charge for it.

    The limit of the reply is sent as `max_completion_tokens` to openai.com and Azure, and as
    `max_tokens` to all others.

    Args:
        model: its name; else `OPENAI_MODEL`.
        base_url: the endpoint; else `OPENAI_BASE_URL`, else OpenAI's own.
        api_key: else `OPENAI_API_KEY`; a server on this machine needs none. Never shown or pickled.
        window: context window in tokens, where it is not the known one of that model.
        max_output_tokens: limit of each reply that the request does not limit itself.
        timeout_seconds: how long the endpoint may be silent.
        retries: further attempts and the pauses before them.

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
        base_url: str | None = None,
        api_key: str | None = None,
        window: int | None = None,
        max_output_tokens: int | None = None,
        timeout_seconds: float = 600.0,
        retries: Retries | None = None,
    ) -> None:
        for name, value in (("window", window), ("max_output_tokens", max_output_tokens)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise UsageProblem(f"{name} is a positive number of tokens, not {value!r}")
        self._access = find_access(model, base_url, api_key)
        self.window = window
        self.max_output_tokens = max_output_tokens
        self.timeout_seconds = timeout_seconds
        self.retries = retries or Retries()

    @property
    def name(self) -> str:
        """The model's name, as the endpoint knows it."""
        return self._access.model

    @property
    def base_url(self) -> str:
        """The endpoint."""
        return self._access.base_url

    @property
    def label(self) -> str:
        """How views name it."""
        return f"{self.name} at {self._access.host}"

    def __repr__(self) -> str:
        return f"OpenAIModel({self.name!r}, base_url={self.base_url!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return restored, (
            self.name,
            self.base_url,
            self.window,
            self.max_output_tokens,
            self.timeout_seconds,
            self.retries,
        )

    def __deepcopy__(self, memo: object) -> OpenAIModel:
        return self

    def reply(self, request: Request, *, cancel: Ticket | None = None) -> Reply:
        """Send the request and wait for the answer.

        Raises:
            Overflow: the endpoint says that the request is too long.
            MalformedHistory: it refuses the form of the messages.
            ModelUnavailable: no usable answer after the allowed attempts.
            StepCancelled: the ticket was cancelled.
        """
        body = payload(request, self.name, host=self._access.host, max_output_tokens=self.max_output_tokens)
        attempt = 0
        while True:
            outcome = wakeable(lambda line: self._attempt(line, body), cancel)
            if isinstance(outcome, Reply):
                return outcome
            error = outcome.refusal.error(where=self._access.host)
            pause = self.retries.pause(attempt, outcome.asked_seconds)
            if not outcome.may_pass or not isinstance(error, ModelUnavailable) or pause is None:
                raise told_how_often(error, attempt + 1)
            sleep(pause, cancel)
            attempt += 1

    def _attempt(self, line: Line, body: dict[str, Any]) -> Reply | Unanswered:
        import openai

        try:
            with self._client(line) as client:
                answer = client.chat.completions.with_raw_response.create(**body)
                text = answer.http_response.text
        except openai.APIStatusError as problem:
            text = self._access.key.struck_out_of(problem.response.text)
            refusal = refusal_of(parsed(text), status=problem.status_code, text=text)
            return Unanswered(
                refusal, may_pass=refusal.may_pass, asked_seconds=asked_seconds(problem.response.headers)
            )
        except (openai.APIConnectionError, TooLong) as problem:
            return self._not_connected(problem)
        return read(text, self._access.key)

    def _not_connected(self, problem: Exception) -> Unanswered:
        cause = problem.__cause__ or problem
        silent = type(cause).__name__ in ("ReadTimeout", "WriteTimeout")
        if isinstance(cause, TooLong):
            return Unanswered(Refusal(str(cause)), may_pass=False)
        words = f"{type(cause).__name__}: {cause}".rstrip(": ")
        if silent:
            words = f"silent for {self.timeout_seconds:g} s; a longer timeout_seconds= may help"
        return Unanswered(Refusal(words), may_pass=not silent)

    def _client(self, line: Line) -> Any:
        import openai

        http = openai.DefaultHttpxClient(
            verify=self._tls,
            trust_env=not self._access.local,
            event_hooks={"request": [line.watch], "response": [under_ceiling]},
        )
        return openai.OpenAI(
            api_key=self._access.key.reveal(),
            base_url=self.base_url,
            max_retries=0,
            timeout=openai.Timeout(self.timeout_seconds, connect=min(CONNECT_SECONDS, self.timeout_seconds)),
            http_client=http,
        )

    @cached_property
    def _tls(self) -> Any:
        """Certificates take longer to load than all the rest of a client, so they are loaded once."""
        import openai

        httpx = import_module(openai.DefaultHttpxClient.__mro__[1].__module__.partition(".")[0])
        return httpx.create_ssl_context()


def read(text: str, key: Secret) -> Reply | Unanswered:
    """A body that came with HTTP 200: a reply as it was sent, anything else without the key."""
    try:
        return reply_of(parsed(text))
    except NotAReply as problem:
        refusal = refusal_within(key.struck_out_of(text), str(problem))
        return Unanswered(refusal, may_pass=refusal.may_pass)


def refusal_within(text: str, problem: str) -> Refusal:
    """The refusal in a body that came with HTTP 200 and holds no reply."""
    body = parsed(text)
    if body is None:
        return Refusal(f"the answer is no JSON: {text[:200]!r}")
    if isinstance(body, dict) and "error" in body:
        return refusal_of(body, status=200)
    return Refusal(f"{problem}: {text[:200]}")


def parsed(text: str) -> Any:
    """The JSON of a body; None for anything else."""
    try:
        return json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None


def told_how_often(error: ModelError, attempts: int) -> ModelError:
    """The same error; its text says when more than one attempt was made."""
    if attempts > 1 and error.args:
        error.args = (f"{error.args[0]} (after {attempts} attempts)", *error.args[1:])
    return error


def restored(
    model: str,
    base_url: str,
    window: int | None,
    max_output_tokens: int | None,
    timeout_seconds: float,
    retries: Retries,
) -> OpenAIModel:
    """Unpickle: the key is read from the environment again."""
    return OpenAIModel(
        model,
        base_url=base_url,
        window=window,
        max_output_tokens=max_output_tokens,
        timeout_seconds=timeout_seconds,
        retries=retries,
    )
