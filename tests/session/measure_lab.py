"""What the lab costs on a run of 2,000 steps, in CPU: `python -m tests.session.measure_lab [FOLDER]`.

A folder is kept and used again; without one a run is made in a temporary folder.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from opencollab_nb.compare import pressure_curve, what_if
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session import Session
from opencollab_nb.shaping import (
    EagerToolOutputClearShaper,
    OldHistorySnipShaper,
    ToolOutputClearShaper,
    ToolResultBudgetShaper,
)
from tests.session.build import Tools, a_session, calling, tool_call
from tests.shaping.generate import RESULT_WORDS, words

WINDOW_TOKENS = 200_000
STEPS = 2_000
CURVE_STEPS = 1_000
ASKED_AT = (7, 500, 1_003, 1_999, 1)


def replies(seed: int = 1) -> Iterator[Any]:
    """Calls without end."""
    rng, number = random.Random(seed), 0
    while True:
        number += 1
        yield calling(tool_call("bash", f"c{number}", command="ls"), text=words(rng, 20))


def bash(seed: int = 2) -> Callable[..., str]:
    """A tool whose results have the lengths of `generate.session`."""
    rng = random.Random(seed)
    return lambda arguments, ticket: words(rng, rng.choice(RESULT_WORDS))


def long_run(folder: Path, steps: int = STEPS, **settings: Any) -> Session:
    """A session after so many steps; one that is in the folder already is resumed."""
    endless = replies()
    model = ScriptedModel(lambda request: next(endless), usage=settings.pop("usage", "count"))
    tools = Tools(bash=bash())
    settings.setdefault("window", WINDOW_TOKENS)
    if (folder / "transcript.jsonl").exists():
        return Session.resume(folder, model=model, workspace=tools)
    session = a_session(folder, model=model, workspace=tools, **settings)
    session.run(steps)
    return session


def cpu_ms(act: Callable[[], Any]) -> float:
    """CPU milliseconds of one call, all threads."""
    started = time.process_time()
    act()
    return 1_000 * (time.process_time() - started)


def swaps(session: Session) -> dict[str, float]:
    """Of a verb and the making of the request after it, CPU milliseconds; a request before it is ready."""
    acts: dict[str, Callable[[], Any]] = {
        "use(clear, snip)": lambda: session.use(ToolResultBudgetShaper(), OldHistorySnipShaper()),
        "use('default')": lambda: session.use("default"),
        "use(clear)": lambda: session.use(ToolOutputClearShaper(3)),
        "use('summarize')": lambda: session.use("summarize"),
        "use_summarizer": lambda: session.use_summarizer(lambda request: "short"),
        "use_target(0.5)": lambda: session.use_target(0.5),
        "use_target(0.75)": lambda: session.use_target(0.75),
        "use_mode(stateless)": lambda: session.use_mode("stateless"),
        "use_mode(sticky)": lambda: session.use_mode("sticky"),
        "pin": lambda: session.pin([31, 501]),
        "unpin": lambda: session.unpin([31, 501]),
        "restore": lambda: session.restore([101]),
        "say": lambda: session.say("Mind this."),
    }
    out = {}
    for name, act in acts.items():
        verb = cpu_ms(act)
        out[name] = verb + (made := cpu_ms(session.request))
        out[f"{name}, the request alone"] = made
    return out


def looks(session: Session, asked_at: Sequence[int] = ASKED_AT, end: int = 1_999) -> dict[str, float]:
    """Time travel and what-ifs, CPU milliseconds; the first of each kind finds nothing prepared."""
    out = {}
    for step in asked_at:
        out[f"at({step})"] = cpu_ms(lambda step=step: session.at(step))
        out[f"request({step})"] = cpu_ms(lambda step=step: session.request(step))
    for mode in ("sticky", "stateless"):
        out[f"what_if now, {mode}"] = cpu_ms(lambda mode=mode: what_if(session, "default", mode=mode))
        out[f"what_if at {end:,}, {mode}"] = cpu_ms(
            lambda mode=mode: what_if(session, "default", step=end, mode=mode)
        )
    return out


def curves(session: Session) -> dict[str, float]:
    """Pressure curves over all steps, CPU seconds."""
    chains: dict[str, tuple[Any, ...]] = {
        "default": ("default",),
        "eager": (ToolResultBudgetShaper(), EagerToolOutputClearShaper()),
    }
    return {
        f"{name}, {mode}": cpu_ms(lambda c=chain, m=mode: pressure_curve(session, *c, mode=m)) / 1_000
        for name, chain in chains.items()
        for mode in ("sticky", "stateless")
    }


def told(title: str, figures: dict[str, float], unit: str) -> None:
    print(title)
    for name, figure in figures.items():
        print(f"  {figure:8.1f} {unit}  {name}")


def main(folder: Path) -> None:
    long_run(folder / "long").close()
    opened: list[Session] = []
    told("resumed", {"resume": cpu_ms(lambda: opened.append(long_run(folder / "long")))}, "ms")
    session = opened[0]
    time.sleep(1)  # what a reader takes to look; the weights are made meanwhile
    told("the first request after it", {"request()": cpu_ms(session.request)}, "ms")
    told("a look at the past and aside", looks(session), "ms")
    told("a verb and the request after it", swaps(session), "ms")
    session.close()
    told("pressure curves, 1,000 steps", curves(long_run(folder / "short", CURVE_STEPS)), "s")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as made:
            main(Path(made))
