"""The small local model as the writer of summaries, chosen by the panel's own control."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from opencollab_nb.messages import text_of
from opencollab_nb.models.local.weights import NAME
from opencollab_nb.session import Session
from opencollab_nb.views.panel import Panel
from tests.models.local.test_session import a_session, looking
from tests.views.wire import Browser, CountingComm

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def counting(monkeypatch: pytest.MonkeyPatch) -> None:
    """The `comm` package's own seam: what makes a comm."""
    import comm

    monkeypatch.setattr(comm, "create_comm", CountingComm)


@pytest.fixture
def session() -> Iterator[Session]:
    made = a_session(looking(40), window=3_000, policy="summarize")
    yield made
    made.close()


@pytest.fixture
def browser(session: Session) -> Iterator[Browser]:
    browser = Browser(Panel(session))
    browser.ready()
    yield browser
    browser.panel.close()


def test_it_is_chosen_in_the_panel_and_its_summary_is_used_and_booked(
    local_weights: Path, session: Session, browser: Browser
) -> None:
    assert browser.click("summarizer", ["local"])["ok"]
    browser.panel.flush()
    assert browser.state()["summarizer"] == ["model", f"{NAME} on this machine"]
    for _ in range(30):
        session.step()
        if any(e["purpose"] == "summary" for e in session.trace.of("usage")):
            break
    [booked] = [e for e in session.trace.of("usage") if e["purpose"] == "summary"]
    assert booked["reported"]
    assert booked["input_tokens"] > 500
    [written] = [e for e in session.trace.of("session.history_compaction") if e["summary"]]
    assert written["problem"] is None
    assert written["summary"]["model"] == NAME
    assert written["tokens_after"] < written["tokens_before"]
    summaries = [m for m in session.request().shaped if m["meta"].get("source") == "summary"]
    assert len(summaries) == 1
    assert len(text_of(summaries[0])) > 150


def test_without_the_weights_the_panel_says_what_to_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, session: Session, browser: Browser
) -> None:
    pytest.importorskip("xllamacpp")
    monkeypatch.setenv("OPENCOLLAB_NB_CACHE", str(tmp_path))
    former = session.summarizer
    answer = browser.click("summarizer", ["local"])
    assert not answer["ok"]
    assert "python -m opencollab_nb.models.local" in str(answer)
    assert session.summarizer is former


def test_the_control_offers_it() -> None:
    text = (ROOT / "opencollab_nb" / "views" / "static" / "editor.js").read_text()
    assert '["local", "SmolLM2 on this machine"]' in text


def test_the_magic_takes_it_by_name(local_weights: Path, session: Session) -> None:
    from opencollab_nb.views.deeds import model_named

    model = model_named("local", {})
    assert (model.name, model.window) == (NAME, 8_192)
    mine = looking(1)
    assert model_named("local", {"local": mine}) is mine
