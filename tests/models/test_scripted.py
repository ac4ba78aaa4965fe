import pytest

from opencollab_nb.errors import ModelUnavailable, Overflow, StepCancelled
from opencollab_nb.models import Model, Reply
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.request import Request
from opencollab_nb.ticket import Ticket
from opencollab_nb.tokens.usage import Usage

HI = Request(({"role": "user", "content": "hi"},))


def test_lines_come_in_order_and_requests_are_kept():
    model = ScriptedModel(["one", {"content": "two"}, Reply({"role": "assistant", "content": "three"})])
    said = [model.reply(HI).message["content"] for _ in range(3)]
    assert said == ["one", "two", "three"]
    assert model.requests == [HI, HI, HI]
    assert isinstance(model, Model)


def test_a_used_up_script_says_so():
    with pytest.raises(ModelUnavailable, match="used up after 0 replies"):
        ScriptedModel([]).reply(HI)


def test_exceptions_are_raised_instances_and_classes_alike():
    model = ScriptedModel([Overflow("too long", window=100), StepCancelled])
    with pytest.raises(Overflow) as refused:
        model.reply(HI)
    assert refused.value.window == 100
    with pytest.raises(StepCancelled):
        model.reply(HI)
    assert len(model.requests) == 2


def test_a_function_answers_by_the_request():
    model = ScriptedModel(lambda request: request.wire[-1]["content"].upper())
    assert model.reply(HI).message["content"] == "HI"


def test_usage_is_none_a_function_or_a_count():
    assert ScriptedModel(["a"]).reply(HI).usage is None
    told = ScriptedModel(["a"], usage=lambda request: Usage(len(request.view)))
    assert told.reply(HI).usage == Usage(1)
    own = ScriptedModel([Reply({"role": "assistant", "content": ""}, Usage(7))], usage=lambda _: Usage(1))
    assert own.reply(HI).usage == Usage(7)


def test_a_count_grows_with_the_request():
    pytest.importorskip("opencollab_nb.tokens.estimate")
    model = ScriptedModel(["a", "a"], usage="count")
    short, long = model.reply(HI).usage, model.reply(Request((*HI.view, *HI.view))).usage
    assert 0 < short.input_tokens < long.input_tokens
    assert short.output_tokens > 0


def test_a_cancelled_ticket_is_not_answered():
    ticket = Ticket()
    ticket.cancel()
    model = ScriptedModel(["a"])
    with pytest.raises(StepCancelled):
        model.reply(HI, cancel=ticket)
    assert model.requests == []


def test_what_is_no_reply_is_refused_by_name():
    with pytest.raises(TypeError, match="not 42"):
        ScriptedModel([42]).reply(HI)
