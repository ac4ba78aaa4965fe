"""The static twin of a panel."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from opencollab_nb.views.snapshot import MOST_AT_ONCE, Published, Snapshot
from tests.build import call

EVIL = "<script>window.__x=1</script><img src=x onerror=window.__x=1>\x1b[31m\u202e"


def read_file(path: str) -> dict[str, Any]:
    return {"content": EVIL, "tool_calls": [call("file_read", {"path": path}, f"c{len(path)}")]}


def played(*replies: Any, **settings: Any) -> Session:
    session = Session(EVIL, model=ScriptedModel(replies, usage="count"), window=16_000, **settings)
    session.run()
    return session


def tags_of(markup: str) -> tuple[set[str], set[str]]:
    tags, attributes = set(), set()

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            tags.add(tag)
            attributes.update(name for name, _ in attrs)

    Reader().feed(markup)
    return tags, attributes


def test_before_the_first_step_it_says_so() -> None:
    session = Session("Wait.", model=ScriptedModel(), window=16_000)
    text = Snapshot.of(session).text()
    assert "none sent yet" in text
    assert "ready" in text
    session.close()


def test_it_tells_state_steps_pressure_spending_and_chain() -> None:
    session = played(read_file("a.py"), "Done.", max_steps=9, budget_tokens=50_000)
    text = Snapshot.of(session).text()
    assert f"{session.steps} · limit 9" in text
    assert "of 10,000 effective tokens" in text
    assert f"{session.spent_tokens:,} of 50,000 tokens" in text
    assert "Clear old results" in text
    assert text.count("done") >= 1
    session.close()


def test_a_run_stopped_by_a_limit_is_not_shown_as_success() -> None:
    session = played(read_file("a.py"), read_file("b.py"), max_steps=1)
    state = dict(Snapshot.of(session).facts)["state"]
    assert state.startswith("stopped(step limit)")
    assert "done" not in state
    session.close()


def test_hostile_text_is_escaped_and_scripts_and_ids_are_absent() -> None:
    session = played(read_file(EVIL), EVIL, name=EVIL)

    tags, attributes = tags_of(Snapshot.of(session).markup())
    assert tags == {"div", "p", "b", "br", "table", "tr", "th", "td", "pre"}
    assert attributes == {"class", "style"}
    assert "\x1b" not in Snapshot.of(session).text()
    session.close()


def test_the_same_session_gives_the_same_snapshot() -> None:
    session = played(read_file("a.py"), "Done.")
    assert Snapshot.of(session).bundle() == Snapshot.of(session).bundle()
    session.close()


def test_it_stays_small_however_long_the_session() -> None:
    session = played(*(read_file(f"{'x' * 300}{i}.py") for i in range(300)), "Done.")
    snapshot = Snapshot.of(session)
    assert len(snapshot.markup()) < 5_000
    assert len(snapshot.text()) < 3_000
    session.close()


class Shown:
    """What a display would be told."""

    def __init__(self, first: Snapshot) -> None:
        self.texts = [first.text()]

    def update(self, snapshot: Snapshot) -> None:
        self.texts.append(snapshot.text())


def test_rests_are_shown_at_once_until_there_are_many_and_a_run_is_not() -> None:
    session = Session("Go on.", model=ScriptedModel(lambda request: read_file("a")), window=16_000)
    shown: list[Shown] = []
    published = Published(Snapshot.of(session), lambda first: shown.append(Shown(first)) or shown[0])
    session.step()
    assert published.update(lambda: Snapshot.of(session), "running") is False
    assert len(shown[0].texts) == 1
    later = []
    for _ in range(MOST_AT_ONCE + 2):
        session.step()
        later.append(published.update(lambda: Snapshot.of(session), session.state))
    assert len(shown[0].texts) == MOST_AT_ONCE
    assert later[0] is False
    assert later[-1] is True
    session.stop()
    published.update(lambda: Snapshot.of(session), session.state)
    assert len(shown[0].texts) == MOST_AT_ONCE + 1
    session.close()


def test_what_says_the_same_is_not_shown_again() -> None:
    session = played("Done.")
    shown: list[Shown] = []
    published = Published(Snapshot.of(session), lambda first: shown.append(Shown(first)) or shown[0])
    published.update(lambda: Snapshot.of(session), session.state)
    assert len(shown[0].texts) == 1
    session.close()
