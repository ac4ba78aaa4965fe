"""The map of a request: its rows, and what of them goes to a browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from opencollab_nb.shaping import AutoCompactShaper, ContextShedShaper, OldHistorySnipShaper
from opencollab_nb.summarizers import ExtractiveSummarizer
from opencollab_nb.views.live_map import LiveMap, MapNews
from opencollab_nb.views.mapping import BY_HAND, BY_PRIORITY, ROW, STATES
from opencollab_nb.views.moments_view import MomentMap
from opencollab_nb.views.pages import PAGE_ROWS, Pages, news_of
from opencollab_nb.views.splices import splices
from tests.build import call

MOST_BYTES_A_MESSAGE = 20


def chatty(request: Any) -> dict[str, Any]:
    number = len(request.messages)
    return {"content": "words " * 60, "tool_calls": [call("bash", {"command": "x " * 300}, f"c{number}")]}


@pytest.fixture
def session() -> Iterator[Session]:
    made = Session("Go on.", model=ScriptedModel(chatty, usage="count"), window=8_000)
    yield made
    made.close()


class Page:
    """Puts a map together as a browser does."""

    def __init__(self) -> None:
        self.rows: list[bytes] = []
        self.facts: dict[str, Any] = {}
        self.bytes = 0

    def take(self, news: MapNews | None) -> None:
        if news is None:
            return
        self.bytes += len(news.rows)
        fresh = [news.rows[i : i + ROW.size] for i in range(0, len(news.rows), ROW.size)]
        for at, gone, come in news.facts.get("cut", ()):
            self.rows[at : at + gone] = fresh[:come]
            fresh = fresh[come:]
        assert not fresh
        self.facts.update(news.facts)

    def states(self) -> list[str]:
        return [STATES[ROW.unpack(row)[5]] for row in self.rows]


def follow(session: Session) -> tuple[LiveMap, Page]:
    live, page = LiveMap(session), Page()
    for event in session.trace.events:
        live.take(event)
    page.take(live.everything())
    session.subscribe(live.take)
    return live, page


CHAINS: dict[str, list[Any]] = {
    "default": ["default"],
    "summarize": ["summarize"],
    "snip": [ContextShedShaper(), OldHistorySnipShaper(1)],
    "compact": [AutoCompactShaper(ExtractiveSummarizer(), keep_recent_groups=1)],
}


@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("mode", ["sticky", "stateless"])
def test_what_was_put_together_step_by_step_is_the_map_made_afresh(
    session: Session, chain: str, mode: str
) -> None:
    session.use(*CHAINS[chain])
    session.use_mode(mode)
    live, page = follow(session)
    seen: set[str] = set()
    for step in range(1, 31):
        if step == 12:
            session.pin([5])
        if step == 20:
            session.restore([2, 3])
        session.step()
        page.take(live.news())
        afresh = MomentMap.of(session, step)
        assert without_why(page.rows) == without_why(afresh.rows)
        assert page.facts["step"] == step
        seen |= set(page.states())
    assert len(seen) > 1


def without_why(rows: Any) -> list[tuple[Any, ...]]:
    """A map made afresh numbers its reasons and tools anew."""
    packed = b"".join(rows) if isinstance(rows, list) else rows
    return [row[:3] + row[4:6] + row[7:] for row in ROW.iter_unpack(packed)]


def test_tokens_of_the_rows_and_the_overhead_add_up_to_the_number_shown(session: Session) -> None:
    live, page = follow(session)
    session.run(20)
    page.take(live.news())
    measured = sum(ROW.unpack(row)[1] for row in page.rows)
    total = page.facts["overhead"] + page.facts["ratio"] * measured
    assert total == pytest.approx(page.facts["tokens"], abs=2)


def test_a_step_that_only_grows_sends_its_new_rows_alone(session: Session) -> None:
    live, page = follow(session)
    session.run(3)
    page.take(live.news())
    before = page.bytes
    session.step()
    page.take(live.news())
    assert page.bytes - before == 2 * ROW.size
    assert live.news() is None


def test_a_pin_shows_before_its_request(session: Session) -> None:
    live, page = follow(session)
    session.run(4)
    page.take(live.news())
    session.pin([3])
    page.take(live.news())
    pins = {ROW.unpack(row)[0]: ROW.unpack(row)[7] for row in page.rows}
    assert pins[3] == BY_HAND
    assert pins[0] == BY_PRIORITY
    session.unpin([3])
    page.take(live.news())
    assert not any(ROW.unpack(row)[7] == BY_HAND for row in page.rows)


def test_reasons_name_the_layer_and_the_step(session: Session) -> None:
    session.run(25)
    _, page = follow(session)
    whys = page.facts["whys"]
    cleared = [ROW.unpack(row) for row in page.rows if STATES[ROW.unpack(row)[5]] in ("cleared", "snipped")]
    assert cleared
    assert all("step" in whys[row[3]] for row in cleared)
    assert all(page.facts["tools"][row[6]] == "bash" for row in cleared)


def test_five_thousand_messages_take_at_most_twenty_bytes_each() -> None:
    session = Session("Go on.", model=ScriptedModel(chatty), window=3_000_000)
    for _ in range(5_000):
        session.say("noted")
    session.step()
    _, page = follow(session)
    assert len(page.rows) >= 5_000
    assert page.bytes / len(page.rows) <= MOST_BYTES_A_MESSAGE
    session.close()


rows = st.lists(
    st.builds(lambda i, state: ROW.pack(i, 1, 1, 0, 2, state, 0, 0), st.integers(-9, 30), st.integers(0, 8)),
    max_size=20,
)


@given(before=rows, after=rows)
def test_splices_turn_any_map_into_any_other(before: list[bytes], after: list[bytes]) -> None:
    out = list(before)
    for at, gone, come in splices(before, after):
        out[at : at + gone] = after[at : at + come]
    assert out == after


places = st.lists(
    st.tuples(st.integers(0, 3 * PAGE_ROWS), st.sampled_from([b"s" * 18, b"t" * 18])), max_size=4
)
renewed = st.sets(st.integers(0, 3 * PAGE_ROWS - 1), max_size=6)


@given(draws=st.lists(st.tuples(st.integers(0, PAGE_ROWS), renewed, places), min_size=1, max_size=6))
def test_pages_tell_the_rows_of_all_draws_and_touch_what_changed_alone(draws: list[Any]) -> None:
    drawn, base, page = Pages(), list[bytes](), list[bytes]()
    for number, (fresh, again, between) in enumerate(draws):
        told, length = drawn.pages, len(base)
        row = [ROW.pack(own, number, 1, 0, 2, 0, 0, 0) for own in range(length + fresh)]
        base += row[length:]
        changed = {own for own in again if own < length} | set(range(length, len(base)))
        for own in changed:
            base[own] = row[own]
        extras = sorted((at, some) for at, some in between if at <= len(base))
        drawn.draw(base, extras, changed)
        cut, rows = news_of(told, drawn.pages)
        for at, gone, come in cut:
            page[at : at + gone] = [rows[i : i + ROW.size] for i in range(0, come * ROW.size, ROW.size)]
            rows = rows[come * ROW.size :]
        wanted = [some for _, some in sorted([*((own + 0.5, r) for own, r in enumerate(base)), *extras])]
        assert page == wanted
        assert len(drawn) == len(wanted)
        if not between:
            same = {at for at, (old, new) in enumerate(zip(told, drawn.pages, strict=False)) if old is new}
            assert len(drawn.pages) - len(same) <= len({own // PAGE_ROWS for own in changed}) + 4
