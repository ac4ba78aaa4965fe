"""What the agent takes as seen: finished milestones, the goal, constraints, facts.

When in doubt a thing is not seen. Chance is a hash of (seed, question): the same question has the same
answer in every set-up, so runs are compared in pairs, and for one question more or nearer text never
turns a yes into a no.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from opencollab_nb.models.simulated.plan import Milestone, Plan
from opencollab_nb.models.simulated.profile import Profile
from opencollab_nb.models.simulated.reading import OPEN_LINE, Text, View, bounded, matches, value_of

DONE_WORD = r"(?i)\b(done|finished|completed?|committed|implemented|merged|passed|gave up)\b|✓|✅|\[x\]|完成"
OPEN_WORD = (
    r"(?i)\b(todo|pending|remaining|still|next|not yet|open|unfinished|in progress|failed|not)\b"
    r"|\[ \]|⏳|未|待"
)
FINISHED_LINE = r"(?m)^Finished \(\d+\): (.*)$"
CLAUSES = re.compile(r"\n|(?<=[.;])\s|(?<=[。；])|(?=[✅⏳])")


@dataclass(frozen=True)
class Evidence:
    """Judges what a view shows, for one plan, profile and seed."""

    plan: Plan
    profile: Profile
    seed: int

    def chance(self, *question: object) -> float:
        """A number in [0, 1) that depends on the seed and the question only."""
        digest = hashlib.sha256(repr((self.seed, *question)).encode()).hexdigest()
        return float(int(digest[:12], 16) / 16**12)

    def finished(self, view: View, milestone: Milestone) -> bool:
        """Does anything visible say that this milestone is finished?"""
        mark = bounded(milestone.done)
        for call in view.calls:
            if call.name == "send_message" and not call.failed:
                # What it has told the others is finished for it.
                if matches(mark, str(call.arguments.get("text", ""))):
                    return True
                continue
            if call.name != "bash" or call.failed:
                continue
            if matches(mark, call.result or ""):
                return True
            if call.gone and matches(mark, str(call.arguments.get("command", ""))):
                return True
        return any(self._says_finished(text, milestone, mark) for text in view.texts) or (
            self._listed_finished(view, milestone)
        )

    def _says_finished(self, text: Text, milestone: Milestone, mark: str) -> bool:
        ident = bounded(re.escape(milestone.id))
        if text.kind not in ("said", "summary") or not matches(ident, text.text):
            return False
        if text.kind == "summary" and self.chance("sum", milestone.id) >= self.profile.obeys_summaries:
            return False
        return any(
            matches(ident, clause)
            and (matches(mark, clause) or matches(DONE_WORD, clause))
            and not matches(OPEN_WORD, clause)
            for clause in CLAUSES.split(text.text)
        )

    def _listed_finished(self, view: View, milestone: Milestone) -> bool:
        """Does the newest list of todos say so?

        It does of what it names as finished, and of what comes before the first milestone that it names as
        open: of a long list the oldest finished ones are only counted. A list that names no milestone says
        nothing.
        """
        if view.listed is None:
            return False
        still_open, finished = (self._named(view.listed.text, line) for line in (OPEN_LINE, FINISHED_LINE))
        if milestone.id in still_open or milestone.id in finished:
            return milestone.id not in still_open
        # The line may begin with what is in progress, so the first is the one first in the plan.
        order = [m.id for m in self.plan.milestones]
        first = min(map(order.index, still_open), default=len(order) if finished else 0)
        return order.index(milestone.id) < first

    def _named(self, text: str, line: str) -> set[str]:
        named = re.findall(r"[\w-]+", value_of(line, text) or "")
        return {ident for ident in named if ident in self.plan.by_id}

    def overlooked(self, view: View, pattern: str, verbatim: str) -> float | None:
        """The chance to overlook what a text says, None where no visible text says it."""
        flat = " ".join(verbatim.split())
        base: float | None = None
        restated: float | None = None
        for text in view.texts:
            if text.kind == "said":
                continue
            word_for_word = flat in flattened(text.text)
            if not word_for_word and not matches(pattern, text.text):
                continue
            miss = self.profile.overlooks(text.distance_tokens)
            if text.kind == "restated":
                restated = miss if restated is None else restated
                continue
            if text.kind == "summary" and not word_for_word:
                miss = 1 - self.profile.obeys_summaries * (1 - miss)
            base = miss if base is None else min(base, miss)
        if restated is None:
            return base
        heeds, without = self.profile.heeds_restatement, 1.0 if base is None else base
        return (1 - heeds) * without + heeds * min(restated, without)

    def fact(self, view: View, milestone: Milestone, name: str, newer_than: int = -1) -> str | None:
        """The value of a fact, None where it is not seen.

        Args:
            view: the request.
            milestone: whose fact it is.
            name: which one.
            newer_than: place in the request of a red test; what was read before it has failed.
        """
        wanted = milestone.facts[name]
        best: tuple[int, str, str] | None = None
        for call in view.calls:
            if call.failed or not call.result or not view.shows(call, wanted.path):
                continue
            value = value_of(wanted.match, call.result)
            if value is not None:
                if call.place > newer_than:
                    best = (call.distance_tokens, value, "result")
                break
        if newer_than < 0:
            best = self._nearer_note(view, milestone, name, best)
        if best is None:
            return None
        distance, value, kind = best
        if kind == "summary" and self.chance("sumfact", milestone.id, name) >= self.profile.obeys_summaries:
            return None
        if self.chance("fact", milestone.id, name) < self.profile.overlooks(distance):
            return None
        return value

    def _nearer_note(
        self, view: View, milestone: Milestone, name: str, best: tuple[int, str, str] | None
    ) -> tuple[int, str, str] | None:
        wanted = milestone.facts[name]
        same = "|".join(re.escape(m.id) for m in self.plan.milestones if m.facts.get(name) == wanted)
        note = rf"(?<![\w-])(?:{same})\.{name} = (\S+)"
        for text in view.texts:
            if best is not None and best[0] <= text.distance_tokens:
                break
            heard = wanted.told and text.kind in ("told", "summary")
            if text.kind not in ("said", "summary") and not heard:
                continue
            value = value_of(note, text.text) if text.kind != "told" else None
            if value is None and text.kind == "summary":
                value = value_of(wanted.match, text.text)
            if value is None and heard:
                value = value_of(wanted.told, text.text)
            if value is not None:
                return (text.distance_tokens, value, text.kind)
        return best


def flattened(text: str) -> str:
    """The text with every run of white space as one blank."""
    return " ".join(text.split())
