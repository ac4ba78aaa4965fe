import pytest

from opencollab_nb.errors import ModelUnavailable
from opencollab_nb.models.ceiling import BODY_BYTES
from opencollab_nb.models.openai_chat import OpenAIModel
from opencollab_nb.request import Request
from tests.models.server import Answer, ChatServer

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
