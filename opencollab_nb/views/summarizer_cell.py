"""`%%summarizer NAME`: it is asked once, and its summary is compared with what it stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from opencollab_nb.errors import LayerDeclined, UsageProblem
from opencollab_nb.shaping import AutoCompactShaper, Summary, SummaryRequest
from opencollab_nb.shaping.law_words import place
from opencollab_nb.shaping.summary import ask
from opencollab_nb.summarizers.survival import Kept, Survival, survival
from opencollab_nb.tokens.estimate import estimate
from opencollab_nb.views.labels import clean
from opencollab_nb.views.recordings import of_file, of_session, shipped
from opencollab_nb.views.shaper_cell import mark
from opencollab_nb.views.tables import Table
from opencollab_nb.views.text import ends, escaped, visible
from opencollab_nb.views.written import Written

MOST_NAMED, NAMED_CHARS = 6, 80
SUMMARY_CHARS = 3_000


@dataclass
class Recorder:
    """Asks another summarizer, and remembers what was asked and answered."""

    summarizer: Any
    asked: list[tuple[SummaryRequest, Summary]] = field(default_factory=list)

    def summarize(self, request: SummaryRequest) -> Summary:
        """The other's answer."""
        answer = ask(self.summarizer, request)
        self.asked.append((request, answer))
        return answer


@dataclass(frozen=True, repr=False)
class SummarizerCell:
    """What came of a `%%summarizer` cell; true when its answer could be used."""

    name: str
    label: str
    request: SummaryRequest | None
    summary: Summary | None
    problem: str
    done: Sequence[str]

    def __bool__(self) -> bool:
        return self.summary is not None and not self.problem

    @property
    def survival(self) -> Survival | None:
        """What of the segment the summary still has; None where nothing was answered."""
        if self.request is None or self.summary is None:
            return None
        anchors = "\n".join(self.request.anchors)
        former = self.request.former or ""
        return survival(self.request.messages, self.summary.text, former=former, anchors=anchors)

    def _lines(self) -> list[str]:
        if self.summary is None or self.request is None:
            return [f"{self.name}: {self.problem or 'was not asked'}", *self.done]
        asked = estimate(self.request.text)
        verdict = f"its summary was refused: {self.problem}" if self.problem else "its summary can be used"
        model = f", written by {self.summary.model}" if self.summary.model else ""
        return [
            f"{self.name}: {verdict}",
            *self.done,
            f"asked once for {len(self.request.messages)} messages of {self.label}: about {asked:,} tokens "
            f"became {estimate(self.summary.text):,} of {self.request.max_tokens:,} allowed{model}",
        ]

    def table(self) -> Table | None:
        """A row for each kind of fact, and one for what was never there."""
        found = self.survival
        if found is None:
            return None
        rows = [(kept.kind, _share(kept), _named(kept.kept), _named(kept.lost)) for kept in found.kinds]
        new = [
            f"{kind} that the segment never had: {_named(facts, 20) or 'none'}"
            for kind, facts in (("paths", found.new_paths), ("numbers", found.new_numbers))
        ]
        notes = [*new, "found by fixed rules of form, the most frequent first; pinned messages are not in it"]
        return Table(("of the segment's", "kept", "such as", "lost, such as"), rows, "", notes)

    def __repr__(self) -> str:
        parts = [*map(visible, self._lines())]
        table = self.table()
        if table is not None:
            parts += [str(table)]
        if self.summary is not None:
            parts += ["--- the summary", ends(self.summary.text, SUMMARY_CHARS, ".summary.text")]
        return "\n".join(parts)

    def _repr_html_(self) -> str:
        first, *rest = map(escaped, self._lines())
        table, text = self.table(), ""
        if self.summary is not None:
            summary = escaped(ends(self.summary.text, SUMMARY_CHARS, ".summary.text"))
            text = f"<details><summary>the summary</summary><pre>{summary}</pre></details>"
        lines = "".join(f"<br>{line}" for line in rest)
        return (
            "<div class='mathjax_ignore tex2jax_ignore'>"
            f"<p><b>{first}</b>{lines}</p>{self._facts_html(table)}{text}</div>"
        )

    def _facts_html(self, table: Table | None) -> str:
        """The same as a list: names of files are long, and a table does not break them."""
        found = self.survival
        if table is None or found is None:
            return ""
        rows = "".join(
            f"<li><b>{escaped(kept.kind)}</b> {_share(kept)}"
            f"{_list_html('kept', kept.kept)}{_list_html('lost', kept.lost)}</li>"
            for kept in found.kinds
        )
        notes = "".join(f"<p>{escaped(note)}</p>" for note in table.notes)
        return f"<p>Of the segment the summary has:</p><ul style='overflow-wrap:anywhere'>{rows}</ul>{notes}"


def try_summarizer(
    written: Written, session: Any, *, use: bool, force: bool, on: str | None
) -> SummarizerCell:
    """Ask a summarizer that was just written for one summary; with `use`, put it in force.

    Args:
        written: the summarizer.
        session: the current one, or None.
        use: put it in force if its answer can be used.
        force: even if it cannot; the trace says so.
        on: path of a run folder or a file of messages to try it on instead.

    Raises:
        UsageProblem: `use` without a session, or a file that cannot be read.
    """
    if use and session is None:
        raise UsageProblem(f"there is no agent to use {written.name} in: %agent --task quickstart")
    if force and not use:
        raise UsageProblem("--force puts a summarizer in force whose answer was refused: it goes with --use")
    recording = of_file(on) if on is not None else of_session(session) if session is not None else shipped()
    pressing = recording.pressing()
    recorder, problem = Recorder(written.part), ""
    try:
        AutoCompactShaper(recorder).compact(pressing.messages, pressing.pressure.in_round())
    except LayerDeclined as reason:
        problem = str(reason) + (place(reason.__cause__) if reason.__cause__ else "")
    request, summary = recorder.asked[-1] if recorder.asked else (None, None)
    if request is None and not problem:
        problem = f"{recording.label} is too short to summarize anything of it"
    cell = SummarizerCell(written.name, recording.label, request, summary, problem, ())
    return replace(cell, done=_done(written, session, cell, use=use, force=force))


def _done(written: Written, session: Any, cell: SummarizerCell, *, use: bool, force: bool) -> list[str]:
    name = written.name
    if not use:
        return [f"{name} is ready: %oc summarizer {name}" if cell else "repair it and run the cell again"]
    if not cell and not force:
        return ["not put in force; --use --force overrides that"]
    session.use_summarizer(written.part)
    done = [f"{name} writes the summaries from the next step on"]
    if not cell:
        mark(session, f"{name} is in force by --force, though its answer could not be used: {cell.problem}")
        done = [f"{done[0]}, by --force; the trace says so"]
    if not any(isinstance(s, AutoCompactShaper) for s in (session.pending or session.chain).shapers):
        done.append("no shaper of this chain writes summaries: %oc use summarize")
    return done


def _share(kept: Kept) -> str:
    return f"{len(kept.kept):,} of {kept.total:,}" if kept.total else "none there"


def _list_html(word: str, facts: Sequence[str]) -> str:
    return f"<br>{word}: {escaped(_named(facts))}" if facts else ""


def _named(facts: Sequence[str], most: int = MOST_NAMED) -> str:
    named = ", ".join(clean(fact, NAMED_CHARS) for fact in facts[:most])
    return named + (f" and {len(facts) - most:,} more" if len(facts) > most else "")
