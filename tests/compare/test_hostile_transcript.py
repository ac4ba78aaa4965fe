"""A transcript from elsewhere, hostile in roles, names, ids, contents and `meta`: every look at it holds."""

from __future__ import annotations

import json
from typing import Any

import pytest

from opencollab_nb import Session, what_if
from opencollab_nb.compare import pressure_curve
from opencollab_nb.messages import covers_of
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.request import wire_faults
from opencollab_nb.views.contents import ContextTable
from opencollab_nb.views.panel import Panel
from opencollab_nb.views.snapshot import Snapshot
from opencollab_nb.views.text import sendable
from tests.build import call

EVIL = "<script>x</script>\x1b[2J\u202e\u2066\x00\ud83e $x$ \n!rm -rf\n%%bash\n%run x\n"
DEEP = "[" * 100_000
LINE = "x<b>y" * 1_000_000
HOSTILE: dict[str, list[Any]] = {
    "texts": [
        {"role": "user", "content": EVIL, EVIL: EVIL},
        {"role": "assistant", "content": EVIL, "tool_calls": [{**call(EVIL, {}, EVIL), EVIL: EVIL}]},
        {"role": "tool", "tool_call_id": EVIL, "content": EVIL, "name": EVIL},
    ],
    "roles": [{"role": role, "content": "x", "name": EVIL} for role in (EVIL, "", "function", "developer")],
    "parts": [
        {"role": "user", "content": [{"type": "text", "text": EVIL}, {"type": EVIL, "text": EVIL}]},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": f"data:{EVIL}"}}]},
    ],
    "no texts": [{"role": "user", "content": odd} for odd in (None, 5, {"a": 1}, [], [None], [5], [[]])],
    "deep JSON": [
        {"role": "assistant", "content": DEEP, "tool_calls": [call("f", {"x": DEEP}, "a")]},
        {"role": "tool", "tool_call_id": "a", "content": DEEP},
        {"role": "user", "content": json.loads("[" * 300 + "]" * 300)},
    ],
    "orphans": [{"role": "tool", "content": "x", "tool_call_id": "zz"}, {"role": "tool", "content": "y"}],
    "calls": [
        {"role": "assistant", "content": None, "tool_calls": odd}
        for odd in ([None, 5, {"id": None}, {"function": None}, {"function": {"name": 1}}], {"a": 1}, "x")
    ],
    "meta": [
        {"role": "user", "content": "x", "meta": meta}
        for meta in (
            {"covers": [[0, 10**12]], "source": EVIL, "priority": 10**9, "id": -4},
            {"covers": "all"},
            {"covers": [[5, 1], ["a", 2]]},
            "none",
            None,
        )
    ],
}


REFUSED_BY_SOME = {
    "an empty user message",
    "an empty assistant message",
    "a system message after the start",
}
"""Sent as it is, since most take it; where one refuses it, the form is repaired and sent once more."""


def with_messages(messages: list[Any]) -> Session:
    model = ScriptedModel(["read"] * 9, usage="count")
    made = Session("Go.", model=model, window=16_000, policy="summarize", summarizer=lambda _request: "sum")
    made.step()
    for message in messages:
        made.transcript.append(message, source="user", step=1)
    return made


@pytest.mark.parametrize("name", HOSTILE)
def test_every_look_at_a_hostile_transcript_holds(name: str) -> None:
    session = with_messages(HOSTILE[name] * 2)
    session.say("Go on.")
    assert session.step().number == 2
    assert wire_faults(session.model.requests[-1].wire) <= REFUSED_BY_SOME
    panel = Panel(session)
    told = [panel.feed.full(), Snapshot.of(session).bundle()]
    rows = len(panel.feed.lab.map)
    assert rows >= len(session.transcript) - 1
    told += [panel._asks.answer("message", [0, at]).body for at in range(rows)]
    for one in told:
        json.dumps(sendable({k: v for k, v in one.items() if k != "buffers"}), ensure_ascii=False).encode()
    table = ContextTable.of(session).table()
    assert "<script" not in table.html()
    assert not {"\x1b", "\u202e", "\x00"} & set(str(table))
    for source in (session, session.transcript.messages):
        outcome = what_if(source, "summarize", mode="stateless")
        assert "<script" not in outcome._repr_html_()
    assert len(pressure_curve(session, "default")) == 2
    assert session.audit().verify()
    panel.close()
    session.close()


def test_five_megabytes_on_one_line_are_sent_shortened_and_shown_bounded() -> None:
    session = with_messages([{"role": "user", "content": "see"}, {"role": "assistant", "content": LINE}])
    session.say("Go on.")
    assert session.step().number == 2
    panel = Panel(session)
    bodies = [panel._asks.answer("message", [0, at]).body for at in range(len(panel.feed.lab.map))]
    shown = [json.dumps(panel.feed.full(), default=repr), *map(json.dumps, bodies)]
    assert max(map(len, shown)) < 50_000
    assert len(str(ContextTable.of(session).table())) < 20_000
    panel.close()
    session.close()


def test_what_a_message_from_elsewhere_says_it_stands_for_is_bounded() -> None:
    for covers in ([[0, 10**12]], [[0, 900_000], [0, 900_000]], "all", [[5, 1]], [[-1, 3]], [["a", 2]], [3]):
        assert covers_of({"meta": {"covers": covers}}) == []
    assert covers_of({"meta": {"covers": [[0, 4], [6, 6]]}}) == [[0, 4], [6, 6]]
