"""What a run was worth, read from its transcript and its workspace: so it judges real models, too."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from opencollab_nb.errors import OpenCollabError
from opencollab_nb.messages import id_of, meta_of, text_of, tool_calls_of
from opencollab_nb.models.simulated.evidence import DONE_WORD, OPEN_WORD
from opencollab_nb.models.simulated.plan import Plan, ToolCall
from opencollab_nb.tasks.acceptance import accepted, committed
from opencollab_nb.tasks.acts import Act, acts_of, lines_of
from opencollab_nb.tasks.rework import rework_of
from opencollab_nb.tasks.violations import violations_of

if TYPE_CHECKING:
    from opencollab_nb.session import Session
    from opencollab_nb.tasks.task import Task


@dataclass(frozen=True)
class Report:
    """The judge's figures for one run."""

    task: str
    model: str
    """The model's label; a simulated one names its profile and seed."""
    simulated: bool
    state: str
    """How the run ended."""
    done: float
    """Share of the milestones whose tests pass, on what is committed."""
    claims: bool
    """It handed back and said that it had finished."""
    violations: int
    """Acts against a constraint."""
    rework: int
    """Readings of what was read, writes that change nothing, the same run on unchanged files."""
    narrowed: int
    """Of these, readings of lines that no request had shown, since a result was cut."""
    drift: int | None
    """Calls that lead away from the goal; None for a model that follows no plan."""
    steps: int
    input_tokens: int
    """All input of all calls, summaries too, the cached part included."""
    cached_tokens: int
    output_tokens: int
    judged: str = "the newest commit"
    """What the tests ran on."""
    violated: tuple[str, ...] = ()
    """One line for each violation."""
    not_done: tuple[str, ...] = ()
    """Milestones whose tests do not pass."""
    profile: dict[str, Any] = field(default_factory=dict)
    """The settings of a simulated agent, printed with its figures."""

    @property
    def cached_ratio(self) -> float:
        """The cached share of the input."""
        return self.cached_tokens / self.input_tokens if self.input_tokens else 0.0

    @property
    def rows(self) -> list[tuple[str, str]]:
        """Every figure with its name, as it is shown."""
        cut = f", {self.narrowed:,} of them to read what a cut result had left out" if self.narrowed else ""
        rows = [
            ("model", self.model),
            ("ended", self.state),
            ("done", f"{self.done:.0%} of the milestones, by the tests on {self.judged}"),
            ("says it is finished", "yes" if self.claims else "no"),
            ("against constraints", times(self.violations)),
            ("work done again", times(self.rework) + cut),
            ("away from the goal", "not known" if self.drift is None else times(self.drift)),
            ("steps", str(self.steps)),
            ("input tokens", f"{self.input_tokens:,}, {self.cached_ratio:.0%} of them from the cache"),
            ("output tokens", f"{self.output_tokens:,}"),
        ]
        rows += [("violation", line) for line in self.violated]
        if self.not_done:
            rows.append(("not done", ", ".join(self.not_done)))
        return rows

    @property
    def settings(self) -> str:
        """The profile's settings in one line; the row `model` names the profile. Empty for other models."""
        return ", ".join(f"{k} {v}" for k, v in self.profile.items() if k != "name")

    @property
    def title(self) -> str:
        """Names the task, and says so where the agent is simulated."""
        return f"Report on {self.task}" + (" (simulated)" if self.simulated else "")

    def __str__(self) -> str:
        rows = [*self.rows, ("settings", self.settings)] if self.profile else self.rows
        return "\n".join([self.title, *(f"  {name:<21}{value}" for name, value in rows)])

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text("Report(...)" if cycle else str(self))

    def _repr_html_(self) -> str:
        cells = "".join(
            f'<tr><th scope="row" style="text-align:left">{html.escape(name)}</th>'
            f'<td style="text-align:left">{html.escape(value)}</td></tr>'
            for name, value in self.rows
        )
        table = (
            "<table class='mathjax_ignore tex2jax_ignore'>"
            f"<caption>{html.escape(self.title)}</caption><tbody>{cells}</tbody></table>"
        )
        if not self.profile:
            return table
        return (
            f"{table}<details><summary>Settings of the profile {html.escape(str(self.profile.get('name')))}"
            f"</summary>{html.escape(self.settings)}</details>"
        )


def times(count: int) -> str:
    """A count in words.

    >>> times(0), times(1), times(3)
    ('never', 'once', '3 times')
    """
    return {0: "never", 1: "once"}.get(count, f"{count:,} times")


def judge(task: Task, session: Session) -> Report:
    """Judge a run of this task, by its transcript and its workspace."""
    plan, messages = task.plan, session.transcript.messages
    root, acts = session.workspace.root, acts_of(messages)
    done_ids, judged = milestones_done(task, session)
    violated = violations_of(plan, task.project, acts, root)
    rework = rework_of(acts, shown_by(session))
    usages = session.trace.of("usage")
    simulated = bool(getattr(session.model, "simulated", False))
    profile = getattr(session.model, "profile", None)
    return Report(
        task=task.name,
        model=str(getattr(session.model, "label", None) or type(session.model).__name__),
        simulated=simulated,
        state=session.state,
        done=len(done_ids) / len(plan.milestones),
        claims=session.state == "done" and claims_done(messages),
        violations=len(violated),
        rework=rework.total,
        narrowed=rework.narrowed,
        drift=drift_of(plan, acts) if simulated else None,
        steps=session.steps,
        input_tokens=sum(u["input_tokens"] for u in usages),
        cached_tokens=sum(u["cached_input_tokens"] for u in usages),
        output_tokens=sum(u["output_tokens"] for u in usages),
        judged=judged,
        violated=tuple(violated),
        not_done=tuple(m.id for m in plan.milestones if m.id not in done_ids),
        profile=profile.to_dict() if simulated and profile is not None else {},
    )


def milestones_done(task: Task, session: Session) -> tuple[set[str], str]:
    """Milestones whose tests pass, and on what they ran."""
    plan, root = task.plan, session.workspace.root
    if session.workspace.shell == "off":
        # Without a shell nothing can be committed, so the files are judged as they lie.
        passed, judged = accepted(plan, task.project, root), "the files as they lie"
    else:
        judged = "the newest commit"
        with committed(root) as head:
            passed = accepted(plan, task.project, head) if head else {}
    return {m.id for m in plan.milestones if m.accept and passed.get(m.accept)}, judged


def claims_done(messages: list[Any]) -> bool:
    """Does the last reply say that all is finished?"""
    last = next((m for m in reversed(messages) if m.get("role") == "assistant"), None)
    if last is None or tool_calls_of(last):
        return False
    text = text_of(last)
    return bool(re.search(DONE_WORD, text)) and not re.search(OPEN_WORD, text)


def drift_of(plan: Plan, acts: list[Act]) -> int:
    """Calls made aside, told by the agent's own word for it."""
    aside = [ToolCall(call.name, call.arguments) for call in plan.aside]
    return sum(
        act.said.startswith("aside:") and ToolCall(act.name, dict(act.arguments)) in aside for act in acts
    )


def shown_by(session: Session) -> Any:
    """The lines of an act's result as the first request after it showed them."""
    messages = session.transcript.messages
    steps = [meta_of(m).get("step") or 0 for m in messages if m.get("role") == "assistant"]

    @cache
    def sent_after(step: int) -> dict[int | None, str]:
        following = next((s for s in steps if s > step), None)
        if following is None:
            return {}
        try:
            request = session.request(following)
        except OpenCollabError:
            # A request that cannot be had again is taken as showing all.
            return {id_of(m): text_of(m) for m in messages}
        return {id_of(m): text_of(m) for m in request.shaped}

    @cache
    def lines(step: int, result_id: int | None) -> set[str]:
        return set(lines_of(sent_after(step).get(result_id, "")))

    def shown(act: Act) -> set[str]:
        return lines(act.step, act.result_id)

    return shown
