import time

import pytest

from opencollab_nb.errors import ModelUnavailable, UsageProblem
from opencollab_nb.models.ceiling import BODY_BYTES
from opencollab_nb.models.openai_chat import OpenAIModel
from opencollab_nb.request import Request
from opencollab_nb.session import Session
from tests.models.server import DRIP, DRIP_IN_HEAD, Answer, ChatServer

HI = Request(({"role": "user", "content": "hi"},))


@pytest.mark.parametrize("status", [200, 400, 503])
def test_an_answer_over_the_ceiling_is_left_and_not_asked_for_again(status):
    endless = Answer(status, "x" * (BODY_BYTES + 1))
    with ChatServer([endless, "ok", "ok"]) as server:
        model = OpenAIModel("tiny", base_url=server.url)
        with pytest.raises(ModelUnavailable, match="longer than 64 MB; the rest was not read"):
            model.reply(HI)
        assert len(server.requests) == 1
        assert model.reply(HI).message["content"] == "ok"


def test_a_long_reply_under_the_ceiling_comes_whole():
    with ChatServer(["x" * 4_000_000]) as server:
        reply = OpenAIModel("tiny", base_url=server.url).reply(HI)
    assert len(reply.message["content"]) == 4_000_000


@pytest.mark.parametrize("drip", [DRIP, DRIP_IN_HEAD])
def test_an_answer_that_drips_in_for_ever_ends_at_the_ceiling_in_seconds_and_the_trace_says_so(drip):
    with ChatServer([drip, "done"]) as server:
        model = OpenAIModel("tiny", base_url=server.url, timeout_seconds=30, reply_seconds=0.5)
        session = Session("Go.", model=model, window=16_000)
        begun = time.monotonic()
        assert session.run() == "stopped(fault)"
        assert time.monotonic() - begun < 20
        [fault] = session.trace.of("fault")
        assert "no whole answer within 0.5 s; a longer reply_seconds= may help" in fault["message"]
        assert len(server.requests) == 1, "it may be at work on it, and charge for it"
        assert session.run() == "done"
        session.close()


def test_the_next_endpoint_is_asked_in_place_of_one_that_drips():
    with ChatServer([DRIP]) as slow, ChatServer(["ok"]) as well:
        model = OpenAIModel("tiny", base_url=[slow.url, well.url], reply_seconds=0.3)
        assert model.reply(HI).message["content"] == "ok"


@pytest.mark.parametrize("name", ["timeout_seconds", "reply_seconds"])
@pytest.mark.parametrize("seconds", [0, -1, float("nan"), "60", True, None])
def test_seconds_that_are_none_are_refused_by_name(name, seconds):
    with pytest.raises(UsageProblem, match=name):
        OpenAIModel("tiny", base_url="http://127.0.0.1:1/v1", **{name: seconds})
