"""Results stand right behind their calls."""

from __future__ import annotations

from opencollab_nb.importers.branches import branch
from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.in_order import InOrder
from opencollab_nb.importers.source import Held, Source
from tests.build import assistant, call, result, user


def test_what_waits_for_results_that_never_come_stands_before_the_next_reply():
    draft = Draft(Source(Held(b"", "x")), "mine")
    order = InOrder(draft)
    order.reply(assistant(None, call(call_id="a"), call(call_id="b")))
    order.add(user("stop"), source="user")
    order.result(result("ok", "a"))
    assert order.count == 3
    order.reply(assistant("fine"))
    assert [m["role"] for m in draft.messages] == ["assistant", "tool", "user", "assistant"]


def test_a_loop_of_parents_and_a_missing_one_end_the_branch():
    loop = [{"id": 1, "up": 2}, {"id": 2, "up": 1}, {"id": 3, "up": 9}]
    assert branch(loop, own="id", parent="up") == {0, 1, 2}
