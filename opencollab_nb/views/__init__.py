"""What a notebook shows and orders: it reads everything, and acts only through the verbs of a session.

- `magics.py`       `%oc`, `%%agent`, `%%shaper`, `%%summarizer`
- `agent_magic.py`  from a `%%agent` line and body to a session
- `code_magics.py`  a `%%shaper` or `%%summarizer` line; `written.py` what its body defines
- `shaper_cell.py`  a shaper tried on laws and transcript; `summarizer_cell.py` a summarizer tried
- `trials.py`       a chain on a transcript, drawn by `strips.py`; `recordings.py` which transcript
- `parts.py`        shapers of cells for a run that is opened again
- `export.py`       a cell's shaper as a module; `outside_names.py` what it uses of the notebook
- `verbs.py`        the verbs of `%oc`: one table; `verb.py` a row of it; `deeds.py` what they do
- `lab_verbs.py`    ... those for exploring; `lab_deeds.py`, `lab_results.py`
- `moves_verbs.py`  ... those of the four moves; `moves_deeds.py`, `moves_results.py`; `ages.py` 30d
- `team_verbs.py`   ... that of teams; `team_deeds.py`, `team_results.py`; `team_view.py` a declared team,
  `team_drawing.py` its picture, `team_layout.py` where everything stands in it
- `loaded_verbs.py` ... those for transcripts of other agents; `loaded_deeds.py`, `loaded.py` their views,
                    `loaded_names.py` their names
- `compare_panel.py` chains compared by controls: `compare_choice.py` what is picked, each chain a
                    `sketch.py`, `compare_run.py` at work, `compare_state.py` as a page shows it with
                    `compare_curves.py`, by `compare_orders.py`, sent by `compare_feed.py`; `compare_live.py`,
                    `compare_widget.py` in the browser; `compare_results.py`, `compare_snapshot.py` to read
- `lines.py`        words, flags and literals of a magic line
- `chains.py`       shapers on a line, and in words
- `names.py`        the agents of a shell by name
- `bodies.py`       a cell's body as it was typed
- `completion.py`   completion from the same tables
- `results.py`      what verbs give back; `wording.py` Python's words in those of magics
- `contents.py`     views of messages; `sent.py` what became of each
- `tables.py`       text and escaped HTML; `text.py` foreign text made fit to be shown
- `figures.py`      plotly figures on request; `run_figure.py` what they leave behind; `theme.py` colours
- `display.py`      a session as a cell's value shows its panel
- `panel.py`        the live panel; `widget.py` its half in the browser, code in `static/`
- `feed.py`         what a panel sends; `orders.py` what is ordered with it; `ticker.py` when
- `exchange.py`     messages of any panel, both ways; `shown.py` the panels on show
- `lab.py`          what else it knows: `editor.py` the chain as it is edited, of `layers.py`, `edits.py`
                   by which orders; `family.py` branches as they go on, `branch_view.py` for `%oc`;
                   `live_map.py` the context map, `mapping.py` its rows, `pages.py` in pages,
                   `splices.py` what is new of them, `reasons.py` why; `known.py` what can be added;
                   `branches.py` names of forks
- `asks.py`         what it is asked to show: `details.py` one message, `moments_view.py` a past step,
                   `rounds_view.py` rounds, `whatif_view.py` another chain, by the list of `pairs.py`
- `rows.py`         what a panel remembers; `folds.py` from which events; `state.py` the rest
- `direction.py`    what the four moves have done, from events; `fills.py` how full each quota is;
                   `keeping.py` what may become of a message, in words
- `snapshot.py`     the static twin of a panel
- `team_panel.py`   the live panel of a team; `team_widget.py` its half in the browser, `team_feed.py` what it
                   sends, `team_orders.py` what is ordered with it, `team_state.py` how the team stands,
                   `team_lanes.py` what it remembers, `team_folds.py` from which events,
                   `team_snapshot.py` its static twin
- `labels.py`       how views name things
"""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import Any
from weakref import WeakKeyDictionary

_LOADED: WeakKeyDictionary[Any, ExitStack] = WeakKeyDictionary()
_NAMES: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()


def load(shell: Any) -> None:
    """Add magics, completion and the display of sessions to a shell; a second time changes nothing."""
    if shell in _LOADED:
        return
    from opencollab_nb.views.bodies import Bodies, complete_cells
    from opencollab_nb.views.completion import matcher_for
    from opencollab_nb.views.display import show_sessions
    from opencollab_nb.views.magics import OpenCollabMagics
    from opencollab_nb.views.names import Names

    keep_secret_of(shell)
    names = _NAMES.setdefault(shell, Names(shell.user_ns))
    bodies = Bodies()
    undo = ExitStack()
    undo.callback(_restore_magics(shell))
    shell.register_magics(OpenCollabMagics(shell, names, bodies))
    _hook(undo, shell.Completer.custom_matchers, matcher_for(names, shell.user_ns))
    _hook(undo, shell.input_transformers_cleanup, complete_cells, first=True)
    hooks = (
        ("pre_run_cell", bodies.remember),
        ("post_run_cell", bodies.forget),
        ("post_run_cell", _look_again),
    )
    for event, callback in hooks:
        shell.events.register(event, callback)
        undo.callback(shell.events.unregister, event, callback)
    undo.callback(show_sessions(shell))
    _LOADED[shell] = undo


def keep_secret_of(shell: Any) -> None:
    """The key of the kernel's own connection, which lies in a file that a command might read."""
    from opencollab_nb.secrecy import KNOWN

    key = getattr(getattr(getattr(shell, "kernel", None), "session", None), "key", b"")
    if isinstance(key, bytes) and key:
        KNOWN.add("JUPYTER_CONNECTION", key.decode("utf-8", "replace"))


def _look_again(*_result: Any) -> None:
    """After a cell panels look for what no event tells them of: a branch that was begun, a new shaper."""
    shown = sys.modules.get("opencollab_nb.views.shown")
    if shown is not None:
        shown.look_again()


def unload(shell: Any) -> None:
    """Take everything back: what was there before is there again. Agents stay known for a reload."""
    undo = _LOADED.pop(shell, None)
    if undo is not None:
        undo.close()


def names_of(shell: Any) -> Any:
    """The named agents of a shell; None where the extension was never loaded."""
    return _NAMES.get(shell)


def _restore_magics(shell: Any) -> Any:
    manager = shell.magics_manager
    tables = {kind: dict(table) for kind, table in manager.magics.items()}
    registry, configurables = dict(manager.registry), list(shell.configurables)

    def restore() -> None:
        for kind, names in (("line", ("oc", "agent")), ("cell", ("agent", "oc", "shaper", "summarizer"))):
            for name in names:
                manager.magics[kind].pop(name, None)
                if name in tables[kind]:
                    manager.magics[kind][name] = tables[kind][name]
        ours = manager.registry.pop("OpenCollabMagics", None)
        if "OpenCollabMagics" in registry:
            manager.registry["OpenCollabMagics"] = registry["OpenCollabMagics"]
        shell.configurables[:] = [c for c in shell.configurables if c is not ours or c in configurables]

    return restore


def _hook(undo: ExitStack, hooks: list[Any], hook: Any, *, first: bool = False) -> None:
    hooks.insert(0 if first else len(hooks), hook)
    undo.callback(hooks.remove, hook)
