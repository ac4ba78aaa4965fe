"""What users write as a model: any object that answers, in any form that can be read."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from opencollab_nb.errors import ModelUnavailable
from opencollab_nb.models import Reply, Usage
from opencollab_nb.models.asking import as_reply, reply_of
from opencollab_nb.request import Request
from opencollab_nb.ticket import Ticket

SAID = {"role": "assistant", "content": "hi"}
CALLS = [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
DUMPED = SimpleNamespace(model_dump=lambda: {**SAID, "refusal": None, "tool_calls": None})


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("hi", Reply(SAID)),
        (SAID, Reply(SAID)),
        ({"content": "hi"}, Reply(SAID)),
        (
            {"content": None, "tool_calls": CALLS},
            ({"role": "assistant", "content": None, "tool_calls": CALLS}),
        ),
        (Reply(SAID), Reply(SAID)),
        (SimpleNamespace(message=DUMPED), Reply(SAID)),
        (SimpleNamespace(message=SAID, usage=None), Reply(SAID)),
        (SimpleNamespace(message=SAID, usage={"input_tokens": 9}), Reply(SAID, Usage(9))),
        (SimpleNamespace(message=SAID, usage=SimpleNamespace(output_tokens=2)), Reply(SAID, Usage(0, 0, 2))),
        (SimpleNamespace(message=SAID, finish_reason="length"), Reply(SAID, None, "length")),
    ],
)
def test_a_reply_may_have_any_form_that_can_be_read(answer: Any, expected: Any) -> None:
    assert as_reply(answer) == (
        expected if isinstance(expected, Reply) else Reply(expected, None, "tool_calls")
    )


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        (None, "NoneType instead of a Reply"),
        (7, "int instead of a Reply"),
        (SimpleNamespace(message=7), "whose .message is int"),
        ({"message": SAID}, "(it has 'message')"),
        ({"role": "user", "content": "hi"}, "of role 'user'"),
        (SimpleNamespace(message=SAID, usage={"prompt_tokens": 3}), "without input_tokens"),
        (SimpleNamespace(message=SAID, usage={"input_tokens": -1}), "input_tokens is -1"),
        (SimpleNamespace(message=SAID, usage={"input_tokens": "9"}), "input_tokens is '9'"),
    ],
)
def test_an_answer_that_is_no_reply_says_what_was_wrong(answer: Any, named: str) -> None:
    with pytest.raises(ModelUnavailable) as refused:
        as_reply(answer)
    assert named in str(refused.value)


def test_cancel_goes_to_those_models_that_take_it() -> None:
    got: list[Any] = []

    class Plain:
        def reply(self, request: Request) -> str:
            return "plain"

    class Keywords:
        def reply(self, request: Request, **given: Any) -> str:
            got.append(given["cancel"])
            return "keywords"

    ticket, request = Ticket(), Request(({"role": "user", "content": "hi"},))
    assert [reply_of(m, request, ticket).message["content"] for m in (Plain(), Keywords())] == [
        "plain",
        "keywords",
    ]
    assert got == [ticket]
