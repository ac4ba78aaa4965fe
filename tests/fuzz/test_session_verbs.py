"""Verbs of a session in any order: the laws of requests hold after each, in this process and the next."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from opencollab_nb.messages import PIN_FLOOR, id_of, meta_of, wire
from opencollab_nb.session import Session
from opencollab_nb.transcript.repair import repair
from tests.session.build import Tools, a_session, echo
from tests.session.remote import short_summary
from tests.session.test_resume import CHAINS, Worker

MOST_SESSIONS = 3
EXAMPLES = int(os.environ.get("OPENCOLLAB_FUZZ_EXAMPLES", "6"))
MEMORY = Path("/dev/shm")
AT = st.integers(0, 200)


class Verbs(RuleBasedStateMachine):
    """One session at a time is worked on; branches stay open beside it."""

    def __init__(self) -> None:
        super().__init__()
        self.scratch = Path(tempfile.mkdtemp(dir=MEMORY if MEMORY.is_dir() else None))
        self.number = 0
        self.stored: list[dict[str, Any]] = []
        self.others: list[Session] = []

    @initialize(seed=st.integers(0, 20), mode=st.sampled_from(["sticky", "stateless"]))
    def begin(self, seed: int, mode: str) -> None:
        self.session = a_session(self.scratch / "run", model=Worker(seed), window=12_000, mode=mode)
        self.sent: dict[int, Any] = {}

    @rule(steps=st.integers(1, 4))
    def step(self, steps: int) -> None:
        before = len(self.session.trace.of("request"))
        self.session.run(steps)
        self.note(before)

    def note(self, before: int) -> None:
        # A step that a stop had left with all its results is finished without a request.
        events = self.session.trace.of("request")[before:]
        requests = self.session.model.requests[-len(events) :] if events else []
        for event, request in zip(events, requests, strict=True):
            self.sent[event["step"]] = request.wire

    @rule(chain=st.sampled_from(CHAINS))
    def swap(self, chain: tuple[Any, ...]) -> None:
        self.session.use(*chain)

    @rule(how=st.sampled_from(["stateless", "sticky"]))
    def swap_mode(self, how: str) -> None:
        self.session.use_mode(how)

    @rule()
    def swap_summarizer(self) -> None:
        self.session.use_summarizer(short_summary)

    @rule(at=st.lists(AT, min_size=1, max_size=3), verb=st.sampled_from(["pin", "unpin", "restore"]))
    def pin_or_restore(self, at: list[int], verb: str) -> None:
        ids = sorted({n % len(self.session.transcript) for n in at})
        getattr(self.session, verb)(ids)

    @rule(text=st.text(st.characters(codec=None), min_size=1, max_size=30).filter(str.strip))
    def say(self, text: str) -> None:
        self.session.say(text)

    @rule()
    def look(self) -> None:
        request = self.session.request()
        assert request.wire == self.session.request().wire

    @rule(after=st.integers(0, 2))
    def interrupt(self, after: int) -> None:
        """Stop from another thread: inside a reply that never comes, after so many steps."""
        worker = self.session

        def stopping(event: dict[str, Any]) -> None:
            if event["kind"] == "tool" and event["step"] >= target:
                worker.run_handle.stop()

        target = worker.steps + after
        end = worker.subscribe(stopping)
        before = len(worker.trace.of("request"))
        state = worker.run(after + 1)
        end()
        assert state in ("stopped(by user)", "paused")
        self.note(before)

    @rule()
    def resume(self) -> None:
        """Another process, as far as one can be had in this one: everything is read from the folder."""
        expected = self.session.request().wire
        model, path = self.session.model, self.session.path
        self.session.close()
        self.session = Session.resume(path, model=model, workspace=Tools(echo=echo))
        assert self.session.request().wire == expected

    @rule()
    def resume_a_copy(self) -> None:
        self.number += 1
        copy = Path(shutil.copytree(self.session.path, self.scratch / f"copy{self.number}"))
        expected = self.session.request().wire
        again = Session.resume(copy)
        assert again.request().wire == expected
        again.close()

    @precondition(lambda self: len(self.others) < MOST_SESSIONS and self.session.steps > 1)
    @rule(at=AT)
    def fork(self, at: int) -> None:
        step = at % self.session.steps
        self.number += 1
        branch = self.session.fork(step, path=self.scratch / f"fork{self.number}", workspace=Tools(echo=echo))
        assert branch.steps == step
        assert branch.transcript.messages == self.session.transcript.messages[: len(branch.transcript)]
        self.others.append(branch)

    @invariant()
    def the_laws_hold(self) -> None:
        if not hasattr(self, "session"):
            return
        session = self.session
        stored = session.transcript.messages
        assert stored[: len(self.stored)] == self.stored, "an entry was changed"
        self.stored = stored
        assert [id_of(m) for m in stored] == list(range(len(stored)))
        request = session.request()
        assert repair(request.wire)[1].keys() <= {"empty"}, "the request is not paired"
        sent = {id_of(m): m for m in request.view}
        for message in stored:
            if meta_of(message).get("priority", 0) >= PIN_FLOOR:
                assert wire(sent[id_of(message)]) == wire(message), "a pinned message is not word for word"

    def teardown(self) -> None:
        if hasattr(self, "session"):
            for step, expected in self.sent.items():
                assert self.session.request(step).wire == expected
            self.session.close()
        for other in self.others:
            other.close()
        shutil.rmtree(self.scratch, ignore_errors=True)


TestVerbs = Verbs.TestCase
TestVerbs.settings = settings(
    max_examples=EXAMPLES, stateful_step_count=14, deadline=None, suppress_health_check=list(HealthCheck)
)
