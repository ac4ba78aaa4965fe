"""A panel that compares chains on transcripts: pick, run, look; nothing of it blocks the kernel."""

from __future__ import annotations

import contextvars
import threading
from typing import TYPE_CHECKING, Any

from opencollab_nb.errors import OpenCollabError, UsageProblem
from opencollab_nb.secrecy import KNOWN
from opencollab_nb.session.ends import IN_FLIGHT
from opencollab_nb.views.compare_choice import Choice, transcripts_in
from opencollab_nb.views.compare_orders import obey
from opencollab_nb.views.compare_results import Comparison
from opencollab_nb.views.compare_run import CompareRun, told_of
from opencollab_nb.views.compare_snapshot import CompareSnapshot
from opencollab_nb.views.compare_state import CompareState
from opencollab_nb.views.labels import clean
from opencollab_nb.views.snapshot import Published
from opencollab_nb.views.state import changed
from opencollab_nb.views.text import sendable
from opencollab_nb.views.theme import page_is
from opencollab_nb.views.ticker import ticker

if TYPE_CHECKING:
    from pandas import DataFrame

_SHOWN: dict[str, ComparePanel] = {}


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
        self.choice = Choice()
        self.choice.add_files(transcripts_in(source), getattr(source, "notices", ()))
        self.closed = False
        self._state = CompareState(self.choice)
        self._lock = threading.RLock()
        self._told: dict[str, Any] = {}
        self._number = 0
        self._acted: dict[int, int] = {}
        self._pages: set[tuple[Any, Any]] = set()
        self._context: contextvars.Context | None = None
        self._live: Any = None
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
            run = CompareRun(self.choice.combinations(), self.choice.survival, self._poke)
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
                raise UsageProblem("one thing after another: something is being loaded")
            self._state.loading, self._state.problem = path, ""
        context = contextvars.copy_context()
        threading.Thread(target=context.run, args=(self._load, path), daemon=True, name="oc-load").start()

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
        with self._lock:
            self._state.loading, self._state.problem = "", clean(problem, 400)
        self._poke()

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
        """Put the figure below the panel."""
        figure = self.figure()
        bundle = figure._repr_mimebundle_()
        if self._live is not None:
            self._live.show({key: value for key, value in bundle.items() if key != "text/html"})

    def close(self) -> None:
        """End the live half and what is at work; the snapshot stays."""
        self.stop()
        with self._lock:
            self.closed = True
        ticker.forget(self)
        for key in [key for key, panel in _SHOWN.items() if panel is self]:
            del _SHOWN[key]
        if self._live is not None:
            self._live.close()

    def flush(self) -> bool:
        """Send what is new; called by the ticker. True while there will be more."""
        with self._lock:
            if self.closed:
                return False
            run = self._state.run
            if self._pages:
                news = self._news()
                if news:
                    self._send({"kind": "add", "state": news})
            later = False
            if self._published is not None:
                later = self._published.update(self.snapshot, run.state if run else "ready")
            return later or (run is not None and run.state in IN_FLIGHT)

    def failed(self, problem: Exception) -> None:
        """Show what one of the panel's own functions raised."""
        with self._lock:
            self._state.problem = clean(f"The panel's own fault: {type(problem).__name__}: {problem}", 300)
            self._send({"kind": "add", "state": {"problem": self._state.problem}})

    def snapshot(self) -> CompareSnapshot:
        """What is there now, for all who read without the kernel."""
        run = self._state.run
        table = self.comparison.table() if run is not None and run.results else None
        return CompareSnapshot.of(self._state.tell(), table)

    def __repr__(self) -> str:
        return self.snapshot().text()

    def _repr_mimebundle_(self, **_wanted: Any) -> Any:
        from opencollab_nb.views.panel import cell_of, notebook_shell

        shell = notebook_shell()
        if shell is None:
            return self.snapshot().bundle()
        try:
            from opencollab_nb.views.compare_live import CompareLive
        except ImportError as missing:
            return self.snapshot().bundle(f"No live panel: {missing.name} cannot be imported.")
        cell = cell_of(shell) or f"no cell {id(self)}"
        former = _SHOWN.get(cell)
        if former is not None and former is not self:
            former.close()
        if self._live is not None:
            self._live.close()
        self.closed = False
        self._pages.clear()
        _SHOWN[cell] = self
        self._live = CompareLive(self._on_message)
        self._published = Published(self.snapshot())
        return self._live.bundle()

    def _poke(self) -> None:
        ticker.poke(self)

    def _news(self) -> dict[str, Any]:
        state = self._state.tell()
        news = changed(self._told, state)
        self._told = state
        return news

    def _on_message(self, _widget: object, content: dict[str, Any], _buffers: object) -> None:
        self._context = contextvars.copy_context()
        if "dark" in content:
            page_is(content["dark"])
        try:
            if content.get("kind") == "ready":
                self._show((content.get("page"), content.get("ask")))
            elif content.get("kind") == "code":
                self._give_code((content.get("page"), "code"))
            elif content.get("kind") == "do":
                self._do(content)
        except Exception as problem:  # noqa: BLE001 - a message has no caller: the panel shows the error
            self.failed(problem)

    def _show(self, asked: tuple[Any, Any]) -> None:
        """Send the whole picture, once for each time that a page wants it: it asks again until it has it."""
        with self._lock:
            if asked not in self._pages:
                self._pages.add(asked)
                self._told = self._state.tell()
                self._send({"kind": "full", "rows": [], "marks": [], "log": [], "state": self._told})

    def _give_code(self, asked: tuple[Any, Any]) -> None:
        from opencollab_nb.views.compare_widget import code_message

        with self._lock:
            if asked not in self._pages:
                self._pages.add(asked)
                self._send(code_message())

    def _do(self, content: dict[str, Any]) -> None:
        """Act on a click once, and answer once."""
        page, number = int(content["page"]), int(content["number"])
        with self._lock:
            seen = self._acted.get(page, 0)
            self._acted[page] = max(seen, number)
        if number <= seen:
            return
        try:
            ok, text = True, obey(self, str(content.get("verb")), content.get("argument"))
        except Exception as problem:  # noqa: BLE001 - a click has no caller: the panel shows the error
            name = "" if isinstance(problem, OpenCollabError) else f"{type(problem).__name__}: "
            ok, text = False, f"{name}{problem}"
        with self._lock:
            answer = {"kind": "ack", "page": page, "number": number, "ok": ok, "text": clean(text, 300)}
            self._send({**answer, "state": self._news()})
        self._poke()

    def _send(self, message: dict[str, Any]) -> None:
        """Send in the context of the browser's last message: some kernels route its next one by it."""
        if self.closed or self._live is None:
            return
        self._number += 1
        context = self._context or contextvars.copy_context()
        content = sendable(KNOWN.struck_json({**message, "seq": self._number}))
        context.copy().run(self._live.send, content)
