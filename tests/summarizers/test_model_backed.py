import threading

import pytest

from opencollab_nb.errors import LayerDeclined, ModelUnavailable, Overflow, StepCancelled, UsageProblem
from opencollab_nb.models import Reply
from opencollab_nb.models.openai_chat import OpenAIModel
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.request import wire_faults
from opencollab_nb.shaping.summary import SummaryRequest, refusal
from opencollab_nb.summarizers import ModelSummarizer
from opencollab_nb.summarizers.pieces import pieces
from opencollab_nb.ticket import Ticket, holding
from opencollab_nb.tokens.usage import Usage
from tests.models.server import HANG, ChatServer

LONG = "\n\n".join(f"USER: paragraph {n} says a few words." for n in range(400))


def asked_of(model):
    return [request.wire[-1]["content"] for request in model.requests]


def test_the_question_holds_text_former_and_anchors_and_no_tools():
    model = ScriptedModel(["It is fixed."], usage=lambda _: Usage(100, 0, 10))
    request = SummaryRequest("USER: fix a.py", [], ("The goal.",), "Before that: nothing.", 700)
    summary = ModelSummarizer(model).summarize(request)
    assert (summary.text, summary.usage, summary.finish_reason) == ("It is fixed.", Usage(100, 0, 10), "stop")
    assert summary.model == "scripted"
    sent = model.requests[0]
    assert sent.tools == ()
    assert sent.max_output_tokens == 700
    assert not wire_faults(sent.wire)
    assert all(
        text in asked_of(model)[0] for text in ("USER: fix a.py", "The goal.", "Before that: nothing.")
    )
    assert "at most 700 tokens" in asked_of(model)[0]


def test_91_a_text_over_the_window_goes_in_pieces_and_nothing_is_left_out():
    model = ScriptedModel(lambda _: "so far", usage=lambda _: Usage(10, 2, 1), window=3_000)
    summary = ModelSummarizer(model).summarize(SummaryRequest(LONG, [], max_tokens=300))
    questions = asked_of(model)
    assert len(questions) > 2
    assert all(f"paragraph {n} says" in "".join(questions) for n in range(400))
    assert all("<former>\nso far\n</former>" in text for text in questions[1:])
    assert "goes on after this part" in questions[0]
    assert "goes on after this part" not in questions[-1]
    assert summary.usage == Usage(10 * len(questions), 2 * len(questions), len(questions))


def test_46_a_refusal_as_too_long_halves_the_pieces_and_nothing_is_left_out():
    def answer(request):
        return Overflow("too long") if len(request.wire[-1]["content"]) > 9_000 else "so far"

    model = ScriptedModel(answer)
    assert ModelSummarizer(model).summarize(SummaryRequest(LONG, [])).text == "so far"
    taken = [text for text in asked_of(model) if len(text) <= 9_000]
    assert all(f"paragraph {n} says" in "".join(taken) for n in range(400))
    refused = [text for text in asked_of(model) if len(text) > 9_000]
    assert len(set(refused)) == len(refused), "no refused request is sent twice"


def test_a_model_that_refuses_everything_is_told():
    with pytest.raises(Overflow):
        ModelSummarizer(ScriptedModel(lambda _: Overflow("too long"))).summarize(SummaryRequest(LONG, []))


def test_a_failure_after_paid_calls_names_their_cost():
    lines = iter(["first", ModelUnavailable("gone")])
    model = ScriptedModel(lambda _: next(lines), usage=lambda _: Usage(50), window=3_000)
    with pytest.raises(LayerDeclined, match="gone") as declined:
        ModelSummarizer(model).summarize(SummaryRequest(LONG, [], max_tokens=300))
    assert declined.value.summary.usage == Usage(50)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply({"role": "assistant", "content": "half a"}, finish_reason="length"), "cut off"),
        ({"content": "I look", "tool_calls": [{"id": "a", "function": {"name": "grep"}}]}, "called a tool"),
        (
            Reply({"role": "assistant", "content": "x", "tool_calls": [{"id": "a"}]}, finish_reason="stop"),
            "tool",
        ),
        ({"content": None, "reasoning_content": "thinking"}, "no text"),
        ("<think>only thoughts</think>", "no text"),
    ],
)
def test_40_41_what_is_no_summary_is_marked_so_that_it_is_refused(reply, reason):
    summary = ModelSummarizer(ScriptedModel([reply])).summarize(SummaryRequest("USER: hi", []))
    assert reason in refusal(summary)


def test_thoughts_before_the_summary_are_not_part_of_it():
    model = ScriptedModel(["<think>well\nthen</think>\nFixed."])
    assert ModelSummarizer(model).summarize(SummaryRequest("USER: hi", [])).text == "Fixed."


def test_another_model_prompt_or_endpoint_is_another_fingerprint():
    names = {
        ModelSummarizer(ScriptedModel([], name="a")).fingerprint,
        ModelSummarizer(ScriptedModel([], name="b")).fingerprint,
        ModelSummarizer(ScriptedModel([], name="b"), max_tokens=9).fingerprint,
        ModelSummarizer(OpenAIModel("b", base_url="http://127.0.0.1:1/v1")).fingerprint,
    }
    assert len(names) == 4


def test_the_step_s_ticket_ends_the_wait():
    with ChatServer([HANG]) as server:
        summarizer = ModelSummarizer(OpenAIModel("tiny", base_url=server.url))
        ticket = Ticket()

        def cancel():
            server.came.acquire()
            ticket.cancel()

        threading.Thread(target=cancel).start()
        with holding(ticket), pytest.raises(StepCancelled):
            summarizer.summarize(SummaryRequest("USER: hi", []))


def test_the_simulated_agent_is_no_summarizer():
    class Simulated(ScriptedModel):
        simulated = True

    with pytest.raises(UsageProblem, match=r"ExtractiveSummarizer\(\)"):
        ModelSummarizer(Simulated([]))


def test_pieces_put_together_are_the_text():
    for text in (LONG, "x" * 5_000, "你好" * 900, "", "a b"):
        for size in (1, 10, 100, 10_000):
            assert "".join(pieces(text, size)) == text
