"""Agents' files with any part missing, doubled or of another type: read as far as they go, and soundly."""

from __future__ import annotations

from typing import Any

import pytest

from opencollab_nb.importers import (
    anthropic,
    inspect_log,
    langchain,
    litellm_log,
    mini_swe_agent,
    openai_responses,
    openhands,
    swe_agent,
)
from opencollab_nb.importers.draft import mended
from opencollab_nb.importers.source import Held, Source
from opencollab_nb.importers.view import view_sent
from opencollab_nb.messages import id_of, text_of, tool_calls_of
from opencollab_nb.tokens.estimate import weigh
from opencollab_nb.transcript import Transcript
from tests.importers.files import whole
from tests.importers.inspect_files import LOG
from tests.importers.openhands_files import KINDS_METRICS, OPENHANDS_KINDS, OPENHANDS_NESTED
from tests.importers.spoiling import spoilt
from tests.importers.swe_files import MINI_CALLS, MINI_ITEMS, SWE_AGENT
from tests.importers.test_anthropic import SUMMED_UP
from tests.importers.test_langchain import DATA, DUMPED, run
from tests.importers.test_litellm_log import FIRST, SECOND
from tests.importers.test_openai_responses import COMPACTED, POLLED

FORMS: dict[str, tuple[Any, Any]] = {
    "swe-agent": (swe_agent, SWE_AGENT),
    "mini-swe-agent, calls": (mini_swe_agent, MINI_CALLS),
    "mini-swe-agent, items": (mini_swe_agent, MINI_ITEMS),
    "openhands, nested": (openhands, {"history": OPENHANDS_NESTED}),
    "openhands, kinds": (openhands, {"history": OPENHANDS_KINDS, "metrics": KINDS_METRICS}),
    "inspect": (inspect_log, LOG),
    "litellm": (litellm_log, [FIRST, SECOND]),
    "langchain, data": (langchain, DATA),
    "langchain, dumped": (langchain, DUMPED),
    "langchain, runs": (langchain, [run(DUMPED[:2], DUMPED[2]), run(DUMPED[:5], DUMPED[5])]),
    "responses": (openai_responses, [*COMPACTED, *POLLED]),
    "anthropic": (anthropic, SUMMED_UP),
}

AT_MOST = 300
"""Spoilt files that are tried of each form, evenly taken from all of them."""


def sound(transcript: Transcript) -> None:
    messages, origin = transcript.messages, transcript.origin
    assert origin is not None
    assert [id_of(message) for message in messages] == list(range(len(messages)))
    assert not mended(messages)[1]
    assert origin.read == origin.used + sum(origin.skipped.values())
    assert repr(origin)
    for message in messages:
        assert message["role"] in ("system", "developer", "user", "assistant", "tool")
        assert message.get("content") is None or isinstance(message["content"], (str, list))
        assert all(isinstance(call["function"]["arguments"], str) for call in tool_calls_of(message))
        assert isinstance(text_of(message), str)
        assert weigh(message) > 0
    for n, call in enumerate(origin.sent, 1):
        assert call.usage is None or call.usage.cached_input_tokens <= call.usage.input_tokens
        assert call.reply is None or messages[call.reply]["role"] == "assistant"
        view_sent(transcript, n)
    for child in origin.children:
        sound(child)


@pytest.mark.parametrize("form", FORMS)
def test_a_file_with_a_wrong_part_is_read_soundly(form: str) -> None:
    known, value = FORMS[form]
    every = list(spoilt(value))
    for changed in every[:: 1 + len(every) // AT_MOST]:
        source = whole(changed)
        assert 0 <= known.signs(source) <= 1
        for transcript in known.read(source):
            sound(transcript)


@pytest.mark.parametrize("form", FORMS)
def test_a_file_that_is_cut_off_is_read_soundly(form: str) -> None:
    known, value = FORMS[form]
    data = whole(value).data
    for n in range(40):
        source = Source(Held(data[: len(data) * n // 40], "cut"))
        known.signs(source)
        for transcript in known.read(source):
            sound(transcript)


@pytest.mark.parametrize("form", FORMS)
def test_the_form_is_recognised_as_its_own(form: str) -> None:
    known, value = FORMS[form]
    assert known.signs(whole(value)) > 0.8
    others = {id(other): other for other, _ in FORMS.values() if other is not known}
    assert all(other.signs(whole(value)) < 0.5 for other in others.values())
