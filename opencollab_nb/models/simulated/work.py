"""How the agent goes on within a milestone: position, temptation, facts, the next call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from opencollab_nb.models.simulated.evidence import Evidence
from opencollab_nb.models.simulated.offers import GAVE_UP, readings
from opencollab_nb.models.simulated.plan import Entry, Milestone, ToolCall
from opencollab_nb.models.simulated.reading import FROM_OTHERS, Call, View, matches, value_of

RED = r"\b[1-9]\d* (?:failed|error)"
GREEN = r"\b[1-9]\d* passed"
LOOK_AGAIN = "I need to look again"
WAITING = ToolCall("wait", {})
NOTHING_TO_GO_ON = ToolCall("", {})
"""In place of a call: what a colleague was to do is not there, and nobody is left to wait for."""
NOBODY = "Nobody else is at work"
"""How the answer to `wait` begins where there is nothing to wait for."""
GUESS = "0"
SPOKEN = {
    "file_read": "reading on",
    "grep": "looking for the place",
    "file_write": "writing the file",
    "apply_patch": "changing the code",
    "run_tests": "running its tests",
    "bash": "committing",
}


@dataclass(frozen=True)
class Decision:
    """What it says and calls, and by which rule."""

    text: str
    calls: tuple[ToolCall, ...]
    why: str
    """For tests and tables; it is not sent."""


@dataclass(frozen=True)
class Work:
    """One milestone as the request shows it."""

    evidence: Evidence
    view: View
    milestone: Milestone

    def next(self) -> Decision:
        """The next thing to do here.

        5. Position = the furthest entry with visible evidence.
        6. A temptation is taken where its constraint is not seen.
        7. Facts a call needs are read again where they are not seen, guessed after `patience` tries.
        8. A red test: try again with facts read after it, give up after `patience` red runs.
        9. A fact just read may be written down.
        """
        if self.red and sum(is_red(run) for run in self.runs) >= self.evidence.profile.patience:
            text = f"{self.milestone.id}: {GAVE_UP}."
            return Decision(text, (ToolCall("bash", {"command": "git status --short"}),), "gave up")
        for entry in self.entries[self.position + 1 :]:
            decision = self._do(entry)
            if decision is not None:
                return decision
        return Decision(f"{self.milestone.id}: finished.", (self.evidence.plan.check,), "check")

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """What there is to do, readings first."""
        return self.milestone.read + self.milestone.do

    @cached_property
    def segment(self) -> list[Call]:
        """The newest run of calls that belong to this milestone, newest first."""
        out = []
        for call in self.view.calls:
            if call.tag == self.milestone.id:
                out.append(call)
            elif call.tag not in ("check", "aside", "todo"):
                break
        return out

    @cached_property
    def runs(self) -> list[Call]:
        """Visible runs of the tests that must be green, newest first."""
        wanted = [e.call for e in self.milestone.do if e.expect and e.call]
        return [c for c in self.segment if any(c.is_for(call) for call in wanted)]

    @cached_property
    def red(self) -> Call | None:
        """The newest run, if it was red."""
        newest = next((run for run in self.runs if is_red(run) or is_green(run)), None)
        return newest if newest and is_red(newest) else None

    @cached_property
    def position(self) -> int:
        """Index of the furthest entry there is evidence for, -1 where there is none."""
        starts_doing = len(self.milestone.read)
        reached = -1
        for k, entry in enumerate(self.entries):
            if any(self._counts(call, entry, k >= starts_doing) for call in self.segment):
                reached = k
        # A second look is not the survey begun anew.
        if self.red or any(LOOK_AGAIN in call.said for call in self.segment):
            return max(reached, starts_doing - 1)
        return reached

    def _counts(self, call: Call, entry: Entry, doing: bool) -> bool:
        if not any(call.is_for(c) for c in entry.calls):
            return False
        if doing and self.red and call.place <= self.red.place:
            return False
        if entry.expect:
            # A result that was taken out proves nothing: run it again, but not for ever.
            gone = sum(run.gone for run in self.runs)
            return is_green(call) or (call.gone and gone >= self.evidence.profile.patience)
        if call.failed and entry.unless is None and call.name != "apply_patch":
            tries = sum(c.failed and any(c.is_for(x) for x in entry.calls) for c in self.segment)
            return tries >= self.evidence.profile.patience
        # A patch whose text is not there may have been made before: the tests will tell.
        return True

    def _do(self, entry: Entry) -> Decision | None:
        if entry.unless is not None:
            return self._be_tempted(entry)
        call = entry.call
        if call is None:
            return None
        if entry in self.milestone.read:
            if any(c.is_for(call) and c.shown for c in self.view.calls):
                return None
            return self._act(entry, [call], "read")
        values, missing = self._facts(call)
        if missing == [NOTHING_TO_GO_ON]:
            return Decision(f"{self.milestone.id}: not begun, I have nothing to go on.", (), "handed back")
        if missing:
            return self._act(Entry(None, say=self._again_words(missing)), missing, "look again")
        return self._act(entry, [call.with_facts(values)], "do")

    def _be_tempted(self, entry: Entry) -> Decision | None:
        constraint = self.evidence.plan.constraints[entry.unless or ""]
        missed = self.evidence.overlooked(self.view, constraint.seen, constraint.text)
        likely = (1.0 if missed is None else missed) * self.evidence.profile.tempted
        taken = self.evidence.chance("constraint", constraint.name, self.milestone.id) < likely
        if taken and entry.tempted:
            return self._act(entry, [entry.tempted], "tempted")
        if entry.instead:
            return self._act(Entry(None, say="within the constraints"), [entry.instead], "instead")
        return None

    def _facts(self, call: ToolCall) -> tuple[dict[str, str], list[ToolCall]]:
        """Values of the facts a call needs, and the calls that show the missing ones again."""
        values: dict[str, str] = {}
        missing: list[ToolCall] = []
        newer_than = self.red.place if self.red else -1
        for name in call.needs:
            value = self.evidence.fact(self.view, self.milestone, name, newer_than)
            if value is None:
                again = self._again(name)
                if again == [WAITING]:
                    missing += [call for call in again if call not in missing]
                    continue
                if self.milestone.facts[name].told and self._in_vain(again):
                    return {}, [NOTHING_TO_GO_ON]
                tries = {
                    c.place
                    for c in self.segment
                    if c.place > newer_than and not c.failed and self._looks_for(c, name, again)
                }
                if len(tries) < self.evidence.profile.patience:
                    missing += [call for call in again if call not in missing]
                    continue
                value = GUESS
            values[name] = value
        return values, missing

    def _in_vain(self, again: list[ToolCall]) -> bool:
        """Has it looked itself, since it was told that nobody is at work, and there was nothing?"""
        since = next((c.place for c in self.view.calls if c.name == "wait"), -1)
        return any(c.failed and c.place > since for c in self.segment if any(c.is_for(x) for x in again))

    def _looks_for(self, call: Call, name: str, again: list[ToolCall]) -> bool:
        fact = self.milestone.facts[name]
        return any(call.is_for(one) for one in again) or (
            call.name == "read_result" and self.view.shows(call, fact.path)
        )

    @cached_property
    def _somebody_works(self) -> bool:
        """Can it wait? Until it is told that nobody else is at work, and again once somebody speaks."""
        newest = next((call for call in self.view.calls if call.name == "wait"), None)
        if "wait" not in self.view.tools or newest is None:
            return "wait" in self.view.tools
        heard = max((t.place for t in self.view.texts if FROM_OTHERS.match(t.text)), default=-1)
        return heard > newest.place or not (newest.result or "").startswith(NOBODY)

    def _again_words(self, calls: list[ToolCall]) -> str:
        """Names the files whose offloaded results it asks for: once a pointer is gone, nothing else does."""
        if calls == [WAITING]:
            return "waiting for what the others find out"
        asked = [self.view.pointed.get(call.arguments.get("id") or 0) for call in calls]
        paths = ", ".join(dict.fromkeys(path for path in asked if path))
        return f"{LOOK_AGAIN}, at what {paths} showed" if paths else LOOK_AGAIN

    def _again(self, name: str) -> list[ToolCall]:
        """The calls that show a fact once more; what a colleague is to tell is waited for."""
        fact = self.milestone.facts[name]
        if fact.told and self._somebody_works:
            return [WAITING]
        offloaded = readings(self.view, fact, self.segment)
        if offloaded:
            return offloaded
        if self.evidence.profile.rereads == "whole":
            whole = [
                e.call for e in self.milestone.read if e.call and e.call.arguments.get("path") == fact.path
            ]
            # Cut off once: follow the pointer and read narrower.
            cut = any(
                LOOK_AGAIN in c.said
                and c.arguments.get("path") == fact.path
                and ("[truncated" in (c.result or "") or c.pointer is not None)
                for c in self.segment
            )
            if len(whole) == 1 and not cut:
                return [whole[0]]
        return [fact.again]

    def _act(self, entry: Entry, calls: list[ToolCall], why: str) -> Decision:
        said = entry.say or SPOKEN.get(calls[0].name, "going on")
        lines = [
            f"{self.milestone.id}: {said}." if said[-1] not in ".?!:" else f"{self.milestone.id}: {said}"
        ]
        return Decision("\n".join([*lines, *self._notes()]), tuple(calls), why)

    def _notes(self) -> Iterator[str]:
        for name, fact in self.milestone.facts.items():
            if self.evidence.chance("note", self.milestone.id, name) >= self.evidence.profile.notes:
                continue
            for call in self.view.newest:
                shows = call.result and self.view.shows(call, fact.path)
                value = value_of(fact.match, call.result or "") if shows else None
                if value is not None:
                    yield f"- {self.milestone.id}.{name} = {value}"
                    break


def is_red(run: Call) -> bool:
    """Did this run of the tests fail?"""
    return matches(RED, run.result or "")


def is_green(run: Call) -> bool:
    """Did this run of the tests pass?

    >>> is_green(Call("run_tests", {}, "3 passed", 0, "", "", 0))
    True
    """
    return matches(GREEN, run.result or "") and not is_red(run)
