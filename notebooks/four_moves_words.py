"""What the recorded runs say, in sentences whose figures come from the table, for notebook 4.

That the sentences hold, and not only their figures, is tested in tests/test_four_moves.py.
"""

from __future__ import annotations

import pandas as pd
from four_moves_table import differences, means
from IPython.display import Markdown

MILESTONES = 48


def on_the_table(long: pd.DataFrame) -> Markdown:
    """No move is enough, and one is indispensable."""
    table = means(long)
    done = table.done.map("{:.0f} %".format)
    alone, together = (
        f"{row.steps:.0f} steps, {row.rework:.0f} acts done again, {row.violations:.1f} violations and "
        f"{row.dollars:.2f} dollars"
        for row in (table.loc["compact"], table.loc["all"])
    )
    return Markdown(
        "**One move is indispensable, and it is not enough.** With no management each of the three sessions "
        f"runs into the window, and {done['none']} of the milestones get done. Offloading alone takes that "
        f"to {done['offload']}: the window fills more slowly, but it fills. Compaction alone brings "
        f"{done['compact']}, and leaving it out of all four {done['all but compact']}: what the agent itself "
        f"wrote, no other move takes out. But alone it is dear: {alone} a run, against {together} with all "
        "four."
    )


def on_pairs(long: pd.DataFrame) -> Markdown:
    """What each move adds to the other three."""
    without = {m: differences(long, f"all but {m}", "all") for m in ("offload", "restate", "memory")}
    mean = {move: found.mean() for move, found in without.items()}
    dearer = {move: f"{(d.dollars > 0).sum()} of {len(d)} pairs" for move, d in without.items()}
    return Markdown(
        f"Leave out *offload*, and a run costs {mean['offload'].dollars:.2f} dollars more (it does in "
        f"{dearer['offload']}). Yet the agent does {-mean['offload'].rework:.0f} fewer things again: what is "
        "read back behind a pointer was read before, and counts as rework. Offloading trades large requests "
        "for small extra calls.\n\n"
        f"Leave out *restate*, and {mean['restate'].rework:.0f} more acts are done again, in "
        f"{mean['restate'].steps:.0f} more steps, for {mean['restate'].dollars:.2f} dollars more "
        f"({dearer['restate']}): what is finished is forgotten together with the steps that did it.\n\n"
        f"Leave out *memory*, and a run breaks a constraint {mean['memory'].violations:.1f} times more: what "
        "the user said in mid-run does not reach the next session. In money that is "
        f"{mean['memory'].dollars:.2f} dollars more ({dearer['memory']}).\n\n"
        "Leave out *compact*, and a run is cheaper only because it ends too early, at the window."
    )


def on_moves_alone(long: pd.DataFrame) -> Markdown:
    """Moves that need each other."""
    more = {
        move: differences(long, move, "cap only").done.mean() * MILESTONES / 100
        for move in ("restate", "memory")
    }
    return Markdown(
        "Alone, two of the moves are worth **nothing here, or less**. Beside the cap, *restate* changes the "
        f"number of finished milestones by {more['restate']:+.1f} of {MILESTONES}, and *memory* by "
        f"{more['memory']:+.1f}: their tools and texts take room in a window that nothing empties, so it "
        "overflows sooner. And a handoff is only as good as the list in it. Without *restate* there is no "
        "tool that keeps the todos up, so the handoff names all of them as open, and the next session begins "
        "with a milestone that was finished long ago, until the log of commits tells it better."
    )


def on_the_short_task(short: pd.DataFrame) -> Markdown:
    """Where moves cost more than they save."""
    cents = means(short).cents_each.map("{:.2f}".format)
    overflows = short.ends.str.contains("overflow").groupby(short.setting).sum()
    broken = means(short).violations.map("{:.2f}".format)
    runs = int((short.setting == "restate").sum())
    return Markdown(
        "Here **offload and memory only cost, and restate buys next to nothing**. The cap alone takes "
        f"{cents['cap only']} cents for each finished milestone; with *offload* it is {cents['offload']}, "
        f"with *memory* {cents['memory']}, with *restate* {cents['restate']}. No result is long enough to be "
        "offloaded, little is far enough back to be overlooked, and there is no second session to remember "
        "anything for. But their tools stand in every request, and a restatement is input that no cache "
        f"serves. The transcript ends close below the window: with the cap alone {overflows['cap only']} of "
        f"{runs} runs overflowed, with *restate* {overflows['restate']}, some of them before the last "
        f"milestone; in return its runs break {broken['restate']} constraints each instead of "
        f"{broken['cap only']}. *compact* pays even here, with {cents['compact']} cents a milestone. All "
        f"four together take {cents['all']}: less than none of them, and more than *compact* alone."
    )
