"""A compare panel as a page shows it: small plain values, so that only what changed is sent."""

from __future__ import annotations

from typing import Any

from opencollab_nb.transcript import Transcript
from opencollab_nb.views.compare_choice import STARTS, Choice, Picked, calls_of
from opencollab_nb.views.compare_curves import DRAWN, curves_of, groups_of, label_of
from opencollab_nb.views.compare_results import CAVEAT, FACTS_HEADER, HEADER, problems_of, totals
from opencollab_nb.views.compare_run import CompareRun
from opencollab_nb.views.known import known_shapers, known_summarizers
from opencollab_nb.views.labels import clean

MOST_RESULTS, MOST_TROUBLES, MOST_GROUPS = 200, 12, 200


class CompareState:
    """Tells what a page shows of a choice and a run; what was told of a finished combination is kept."""

    def __init__(self, choice: Choice) -> None:
        self.choice = choice
        self.run: CompareRun | None = None
        self.loading = ""
        """What is being loaded; empty where nothing is."""
        self.group, self.drawn = 0, "pressure"
        self.problem = ""
        self._rows: dict[int, list[Any]] = {}
        self._files: dict[int, list[Any]] = {}
        self._curves: tuple[Any, dict[str, Any]] = (None, {})

    def begin(self, run: CompareRun) -> None:
        """Show this run from now on."""
        self.run, self.group = run, 0
        self._rows = {}

    def tell(self) -> dict[str, Any]:
        """Everything on the page."""
        choice, run = self.choice, self.run
        results = list(run.results) if run else []
        groups = groups_of(results)
        return {
            "path": "compare",
            "name": "compare",
            "run": run.state if run else "ready",
            "done": run.done if run else 0,
            "total": run.total if run else 0,
            "doing": clean(run.doing, 160) if run else "",
            "seconds": int(run.seconds) if run else 0,
            "failed": [[clean(a, 160), clean(b, 300)] for a, b in (run.failed if run else [])][
                :MOST_TROUBLES
            ],
            "loading": clean(self.loading, 120),
            "files": [self._file(number, picked) for number, picked in choice.files.items()],
            "notices": choice.notices,
            "chains": [[n, clean(one.what.name, 120), int(one.on)] for n, one in choice.chains.items()],
            "shown": choice.shown_chain,
            "policies": list(STARTS),
            "windows": ", ".join(map(str, choice.windows)),
            "modes": choice.mode,
            "survival": int(choice.survival),
            "header": list(HEADER),
            "facts_header": list(FACTS_HEADER),
            "results": [self._row(at, rows) for at, rows in enumerate(results[:MOST_RESULTS]) if rows],
            "results_more": max(0, len(results) - MOST_RESULTS),
            "troubles": [text for rows in results[:MOST_RESULTS] if rows for text in problems_of(rows)][
                :MOST_TROUBLES
            ],
            "caveat": CAVEAT,
            "groups": [label_of(group) for group in groups[:MOST_GROUPS]],
            "group": self.group,
            "drawn": self.drawn,
            "drawings": [[name, axis] for name, (axis, _) in DRAWN.items()],
            "curves": self._drawn(results, groups),
            "problem": self.problem,
            **self._editor(),
        }

    def _editor(self) -> dict[str, Any]:
        """What the chain editor asks for: the chain that is edited, as if it were a session's draft."""
        return {
            **self.choice.sketch.state(),
            "draft": "sticky",
            "chain_title": "Layers",
            "policy": "",
            "mode": "sticky",
            "pending": "",
            "saved": {},
            "problems": {},
            "step": 0,
            "known": list(known_shapers()),
            "known_summarizers": list(known_summarizers()),
        }

    def _drawn(self, results: list[Any], groups: list[Any]) -> dict[str, Any]:
        if not groups:
            return {}
        key = (id(self.run), len(results), self.group, self.drawn)
        if self._curves[0] != key:
            group = groups[min(self.group, len(groups) - 1)]
            self._curves = key, curves_of(results, group, self.drawn)
        return self._curves[1]

    def _row(self, at: int, rows: list[Any]) -> list[Any]:
        if at not in self._rows:
            self._rows[at] = list(totals(rows))
        return self._rows[at]

    def _file(self, number: int, picked: Picked) -> list[Any]:
        if number not in self._files:
            self._files[number] = file_row(picked.what)
        return [number, int(picked.on), *self._files[number]]


def file_row(transcript: Transcript) -> list[Any]:
    """One transcript: name, format, messages, model calls, window, title."""
    origin = transcript.origin
    if origin is None:
        return [
            clean(str(transcript.path or "messages"), 80),
            "own",
            len(transcript),
            calls_of(transcript),
            0,
            "",
        ]
    about = [clean(origin.name, 80), origin.format, len(transcript), calls_of(transcript)]
    return [*about, origin.window or 0, clean(origin.title, 120)]
