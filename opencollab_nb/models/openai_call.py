"""One call of an endpoint by the `openai` client, on a connection of its own."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from typing import Any

from opencollab_nb.models import Reply
from opencollab_nb.models.ceiling import Deadline, TooLong, under_ceiling
from opencollab_nb.models.openai_access import Access
from opencollab_nb.models.openai_answer import Unanswered, parsed, read
from opencollab_nb.models.openai_errors import Refusal, refusal_of
from opencollab_nb.models.retries import asked_seconds
from opencollab_nb.models.sockets import HungUp, Line

CONNECT_SECONDS = 10.0


class Caller:
    """Makes calls; holds what they share."""

    def __init__(self, timeout_seconds: float, reply_seconds: float) -> None:
        self.timeout_seconds = timeout_seconds
        self.reply_seconds = reply_seconds

    def call(self, access: Access, line: Line, body: dict[str, Any]) -> Reply | Unanswered:
        """Send the body and read what comes; every fault of the way is a value."""
        words = f"no whole answer within {self.reply_seconds:g} s; a longer reply_seconds= may help"
        late = Unanswered(Refusal(words), may_pass=False)
        with Deadline(self.reply_seconds, line) as deadline:
            try:
                answer = self._asked(access, line, body)
            except HungUp:
                if not deadline.passed:
                    raise
                return late
        return late if deadline.passed else answer

    def _asked(self, access: Access, line: Line, body: dict[str, Any]) -> Reply | Unanswered:
        import openai

        try:
            with self._client(access, line) as client:
                answer = client.chat.completions.with_raw_response.create(**body)
                # A stream is read to its end here, where its silence and its length have their limits.
                answer.http_response.read()
                text = answer.http_response.text
        except openai.APIStatusError as problem:
            text = access.key.struck_out_of(problem.response.text)
            refusal = refusal_of(parsed(text), status=problem.status_code, text=text)
            return Unanswered(refusal, refusal.may_pass, asked_seconds(problem.response.headers))
        except (openai.APIConnectionError, TooLong, self._httpx.HTTPError) as problem:
            return self._not_connected(problem)
        return read(text, access.key)

    def _not_connected(self, problem: Exception) -> Unanswered:
        cause = problem.__cause__ if type(problem).__module__.startswith("openai") else None
        cause = cause or problem
        if isinstance(cause, TooLong):
            return Unanswered(Refusal(str(cause)), may_pass=False)
        if type(cause).__name__ in ("ReadTimeout", "WriteTimeout"):
            words = f"silent for {self.timeout_seconds:g} s; a longer timeout_seconds= may help"
            return Unanswered(Refusal(words), may_pass=False)
        words = f"{type(cause).__name__}: {cause}".rstrip(": ")
        return Unanswered(Refusal(words, passing=True), may_pass=True)

    def _client(self, access: Access, line: Line) -> Any:
        import openai

        http = openai.DefaultHttpxClient(
            verify=self._tls,
            trust_env=not access.local,
            event_hooks={"request": [line.watch], "response": [under_ceiling]},
        )
        return openai.OpenAI(
            api_key=access.key.reveal(),
            base_url=access.base_url,
            max_retries=0,
            timeout=openai.Timeout(self.timeout_seconds, connect=min(CONNECT_SECONDS, self.timeout_seconds)),
            http_client=http,
        )

    @cached_property
    def _httpx(self) -> Any:
        """The library under the client, by whatever name that has it."""
        import openai

        return import_module(openai.DefaultHttpxClient.__mro__[1].__module__.partition(".")[0])

    @cached_property
    def _tls(self) -> Any:
        """Certificates take longer to load than all the rest of a client, so they are loaded once."""
        return self._httpx.create_ssl_context()
