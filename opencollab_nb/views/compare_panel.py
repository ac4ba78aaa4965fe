"""A panel that compares chains on transcripts: pick, run, look; nothing of it blocks the kernel."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.session.ends import IN_FLIGHT
from opencollab_nb.views.compare_choice import Choice, transcripts_in
from opencollab_nb.views.compare_feed import CompareFeed
from opencollab_nb.views.compare_orders import obey
from opencollab_nb.views.compare_results import Comparison, table_of
from opencollab_nb.views.compare_run import CompareRun, told_of
from opencollab_nb.views.compare_snapshot import CompareSnapshot
from opencollab_nb.views.compare_state import CompareState
from opencollab_nb.views.labels import clean
from opencollab_nb.views.shown import forget, notebook_shell, put_up
from opencollab_nb.views.snapshot import Published
from opencollab_nb.views.ticker import ticker

if TYPE_CHECKING:
    from pandas import DataFrame

    from opencollab_nb.views.asks import Answer
    from opencollab_nb.views.compare_live import CompareLive


class ComparePanel:
    """Shown as the value of a cell: transcripts, chains, windows and modes to pick, and what came of them.

    A comparison runs in a thread of its own, with Stop; a combination that fails is told and is not the end.
    As in every comparison the transcripts are replayed, and no model is asked but by a chosen summarizer.

    Args:
        source: transcripts to pick from: what `load` returned, a list or a mapping of names to it, or a path;
            more can be loaded in the panel.

    Raises:
        ImportProblem: (a ValueError) a path without a transcript.
        UsageProblem: (a ValueError) something that is no transcript.

    >>> panel = ComparePanel()
    >>> panel.run()
    Traceback (most recent call last):
    ...
    opencollab_nb.errors.UsageProblem: no transcript is there: give a path, and press Load
    """

    def __init__(self, source: Any = None) -> None:
        if isinstance(source, (str, Path)):
            from opencollab_nb.importers import load

            source = load(source)
        self.choice = Choice()
        self.choice.add_files(transcripts_in(source), getattr(source, "notices", ()))
        self.closed = False
        self._state = CompareState(self.choice)
        self._lock = threading.RLock()
        self.feed = CompareFeed(self._state, self._lock)
        self._live: CompareLive | None = None
        self._published: Published | None = None

    @property
    def frame(self) -> DataFrame:
        """What is finished, as the table that `compare` gives.

        Raises:
            UsageProblem: nothing is.
        """
        import pandas as pd

        from opencollab_nb.compare.table import frame_of

        run = self._state.run
        rows = [row for one in (run.results if run else []) for row in one]
        if not rows:
            raise UsageProblem("nothing has been compared yet: press Run")
        return frame_of(pd.DataFrame(rows))

    @property
    def comparison(self) -> Comparison:
        """The same in figures, a row a combination."""
        return Comparison(self.frame)

    def run(self) -> None:
        """Compare what is picked, in a thread.

        Raises:
            UsageProblem: nothing is picked, or a comparison is at work.
        """
        with self._lock:
            former = self._state.run
            if former is not None and former.state in IN_FLIGHT:
                raise UsageProblem("a comparison is at work: stop it first")
            run = CompareRun(self.choice.wish(), self._poke)
            self._state.begin(run)
        run.start()

    def stop(self) -> None:
        """End the comparison before its next request; what is finished stays."""
        if self._state.run is not None:
            self._state.run.stop()

    def wait(self, seconds: float | None = None) -> None:
        """Until the comparison is over."""
        if self._state.run is not None:
            self._state.run.join(seconds)

    def load(self, path: str) -> None:
        """Load transcripts in a thread and list them; what cannot be loaded is told in the panel.

        Raises:
            UsageProblem: something is being loaded.
        """
        with self._lock:
            if self._state.loading:
                raise UsageProblem("one after another: something is being loaded")
            self._state.loading, self._state.problem = path, ""
        self._aside("oc-load", self._load, path)

    def _load(self, path: str) -> None:
        from opencollab_nb.importers import load

        problem = ""
        try:
            found = load(path)
            with self._lock:
                several = found if isinstance(found, list) else [found]
                if not self.choice.add_files(several, getattr(found, "notices", ())):
                    problem = f"{path} holds no transcript with a model call, or the list is full"
        except Exception as fault:  # noqa: BLE001 - a thread has no caller: the panel shows the error
            problem = told_of(fault)
        self._over(problem)

    def draw(self, drawn: str | None, group: int | None) -> None:
        """What is drawn, and for which transcript and window, by its number."""
        with self._lock:
            self._state.drawn = drawn or self._state.drawn
            self._state.group = self._state.group if group is None else group

    def figure(self, kind: str | None = None) -> Any:
        """The plotly figure of what is drawn; see `Comparison.figure`."""
        from opencollab_nb.views.compare_curves import groups_of

        run = self._state.run
        groups = groups_of(run.results if run else [])
        group = groups[min(self._state.group, len(groups) - 1)] if groups else (None, None)
        return self.comparison.figure(kind or self._state.drawn, transcript=group[0], window=group[1])

    def show_figure(self) -> None:
        """Put the figure below the panel, made in a thread: plotly takes seconds to be imported."""
        self._aside("oc-figure", self._show_figure)

    def _show_figure(self) -> None:
        problem = ""
        try:
            bundle = self.figure()._repr_mimebundle_()
            if (live := self._live) is not None:
                live.show({key: value for key, value in bundle.items() if key != "text/html"})
        except Exception as fault:  # noqa: BLE001 - a thread has no caller: the panel shows the error
            problem = told_of(fault)
        self._over(problem)

    def _aside(self, name: str, act: Callable[..., None], *arguments: Any) -> None:
        context = contextvars.copy_context()
        threading.Thread(target=context.run, args=(act, *arguments), daemon=True, name=name).start()

    def _over(self, problem: str) -> None:
        """Something that went on aside is over."""
        with self._lock:
            self._state.loading, self._state.problem = "", clean(problem, 400)
        self._poke()

    def close(self) -> None:
        """End the live half and what is at work; the snapshot stays."""
        self.stop()
        self.closed = True
        forget(self)
        former, self._live = self._live, None
        if former is not None:
            former.close()

    def flush(self) -> bool:
        """Send what is new; called by the ticker. True while there will be more."""
        live, run = self._live, self._state.run
        if self.closed or live is None:
            return False
        return live.exchange.flush(self._publish, lambda: run is not None and run.state in IN_FLIGHT)

    def _publish(self) -> bool:
        if self._published is None:
            return False
        run = self._state.run
        return self._published.update(self.snapshot, run.state if run else "ready")

    def failed(self, problem: Exception) -> None:
        """Show what one of the panel's own functions raised, each new fault once."""
        if self._live is not None:
            self._live.exchange.failed(problem)

    def obey(self, verb: str, argument: Any) -> str:
        """Carry out an order of a page."""
        with self._lock:
            done = obey(self, verb, argument)
        self._poke()
        return done

    def answer(self, what: str, _numbers: Any) -> Answer:
        """Nothing is asked of a comparison: all there is to see is sent."""
        raise UnknownName("question", what, ())

    def snapshot(self) -> CompareSnapshot:
        """What is there now, for all who read without the kernel."""
        run = self._state.run
        results = [rows for rows in (run.results if run else []) if rows]
        table = table_of(results) if results else None
        return CompareSnapshot.of(self.feed.state(), table)

    def __repr__(self) -> str:
        return self.snapshot().text()

    def _repr_mimebundle_(self, **_wanted: Any) -> Any:
        shell = notebook_shell()
        if shell is None:
            return self.snapshot().bundle()
        try:
            from opencollab_nb.views.compare_live import CompareLive
        except ImportError as missing:
            return self.snapshot().bundle(f"No live panel: {missing.name} cannot be imported.")
        # Shown anew it is not closed by its own cell: what is at work goes on.
        forget(self)
        put_up(shell, lambda: self)
        former, self._live = self._live, CompareLive(self)
        if former is not None:
            former.close()
        self.closed = False
        self._published = Published(self.snapshot())
        self._poke()
        return self._live.bundle()

    def _poke(self) -> None:
        ticker.poke(self)
