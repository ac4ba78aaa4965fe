"""`%%shaper NAME`: what the body defines is tried on laws and transcript, and put in force if asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from opencollab_nb.errors import SessionBusy, UsageProblem
from opencollab_nb.shaping import LawReport, ShaperPipeline, check_shaper, name_of
from opencollab_nb.shaping.law_words import as_html
from opencollab_nb.shaping.laws import LAWS
from opencollab_nb.views.recordings import Recording, of_file, of_session, shipped
from opencollab_nb.views.text import escaped, visible
from opencollab_nb.views.trials import Trial, try_on_messages, try_on_session
from opencollab_nb.views.written import Written

PRESSURES_A_TRANSCRIPT = 3
"""A real transcript is tried calm, in a round and forced, as the seed has it."""


@dataclass(frozen=True, repr=False)
class ShaperCell:
    """What came of a `%%shaper` cell; true when all laws hold."""

    name: str
    laws: LawReport
    trial: Trial | None
    done: Sequence[str]
    """What was put in force, or why nothing was; what can be done next."""

    def __bool__(self) -> bool:
        return bool(self.laws)

    def _verdict(self) -> str:
        if self:
            return f"{self.name}: all {len(LAWS)} laws hold ({self.laws.examples} transcripts)"
        return f"{self.name}: breaks {', '.join(self.laws.failures)} ({self.laws.examples} transcripts)"

    def __repr__(self) -> str:
        parts = [self._verdict(), *self.done]
        if not self:
            parts += repr(self.laws).splitlines()[1:]
        return visible("\n".join([*parts, *([repr(self.trial)] if self.trial else [])]))

    def _repr_html_(self) -> str:
        done = "".join(f"<br>{escaped(line)}" for line in self.done)
        broken = "".join(map(as_html, self.laws.failures.values()))
        preview = self.trial._repr_html_() if self.trial else ""
        return (
            "<div class='mathjax_ignore tex2jax_ignore'>"
            f"<p><b>{escaped(self._verdict())}</b>{done}</p>{broken}{preview}</div>"
        )


def try_shaper(written: Written, session: Any, *, use: bool, force: bool, on: str | None) -> ShaperCell:
    """Try a shaper that was just written; with `use`, put it in force.

    Args:
        written: the shaper.
        session: the current one, or None.
        use: put it in force if all laws hold.
        force: put it in force even if they do not; the trace says so.
        on: path of a run folder or a file of messages to preview it on instead.

    Raises:
        UsageProblem: `use` without a session, or a file that cannot be read.
    """
    if use and session is None:
        raise UsageProblem(f"there is no agent to use {written.name} in: %agent --task quickstart")
    if force and not use:
        raise UsageProblem("--force puts a shaper in force that breaks laws: it goes with --use")
    recordings = _recordings(session, on)
    real = [r.for_laws() for r in {id(r): r for r in (*recordings, shipped())}.values()]
    laws = check_shaper(written.part, transcripts=[m for m in real for _ in range(PRESSURES_A_TRANSCRIPT)])
    chain = chain_with(session, written) if session is not None else ShaperPipeline(written.part)
    if session is not None and on is None:
        trial = try_on_session(session, *chain.shapers, name=written.name, recording=recordings[0])
    else:
        trial = try_on_messages(*chain.shapers, name=written.name, recording=recordings[0])
    return ShaperCell(written.name, laws, trial, _done(written, session, chain, laws, use=use, force=force))


def _recordings(session: Any, on: str | None) -> list[Recording]:
    """What it is tried on, the one for the preview first."""
    own = [of_session(session)] if session is not None else []
    return [of_file(on), *own] if on is not None else own or [shipped()]


def chain_with(session: Any, written: Written) -> ShaperPipeline:
    """The session's chain with a former version of the shaper replaced; without one, the shaper alone."""
    held = (session.pending or session.chain).shapers
    if not any(is_version_of(shaper, written) for shaper in held):
        return ShaperPipeline(written.part)
    return ShaperPipeline(*(written.part if is_version_of(s, written) else s for s in held))


def is_version_of(shaper: Any, written: Written) -> bool:
    """True for a shaper that was written in a cell under the same name."""
    kind = shaper if hasattr(shaper, "__qualname__") else type(shaper)
    return name_of(shaper) == written.name and getattr(kind, "__module__", None) == "__main__"


def _done(
    written: Written, session: Any, chain: ShaperPipeline, laws: LawReport, *, use: bool, force: bool
) -> list[str]:
    name = written.name
    if not use and not laws:
        return ["nothing was put in force: repair it and run the cell again"]
    if not use:
        held = session is not None and any(
            is_version_of(s, written) for s in (session.pending or session.chain).shapers
        )
        if held:
            return [f"the run still has the version before: %%shaper {name} --use puts this one in its place"]
        return [f"use it: %oc use {name}"] if session is not None else []
    if not laws and not force:
        return [f"not put in force, for it breaks {', '.join(laws.failures)}; --use --force overrides that"]
    session.use(*chain.shapers)
    layers = " → ".join(map(name_of, chain.shapers))
    done = [f"in force from the next step on: {layers}"]
    if not laws:
        broken = ", ".join(laws.failures)
        mark(session, f"{name} is in force by --force, though it breaks: {broken}")
        done = [f"{done[0]}, by --force, though it breaks {broken}; the trace says so"]
    return done


def mark(session: Any, text: str) -> None:
    """Write a notice into the session's trace."""
    try:
        session._bench.notice(text)  # noqa: SLF001 - there is no verb for it: nothing happens by it
    except SessionBusy:
        raise UsageProblem("a step is being written down; run the cell again") from None
