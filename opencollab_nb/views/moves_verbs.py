"""The verbs of `%oc` for the four moves: anchors, todos, reports, handoff, memory, deletion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from opencollab_nb.budget.todos import STATUSES
from opencollab_nb.errors import OpenCollabError
from opencollab_nb.messages import KEEP_KEYS
from opencollab_nb.views import moves_deeds
from opencollab_nb.views.ages import AGE
from opencollab_nb.views.lines import SWITCH, Flag
from opencollab_nb.views.names import Names
from opencollab_nb.views.verb import Verb

OWN = (Flag("--own", "", "KIND is a word of your own", SWITCH),)
LAST = (Flag("--last", "", "show the one that was written last, and write none", SWITCH),)
FORGET = (Flag("--older-than", "AGE", "with forget: all that is older, such as 30d", AGE),)
PRICES = (Flag("--prices", "MODEL", "at the prices of this model, such as gpt-5, else of the session's own"),)
KEEP = (Flag("--keep-memories", "", "leave what was remembered of the run", SWITCH),)
PURGE = (
    Flag("--older-than", "AGE", "since a run was last written to, such as 30d, 12h or 2w", AGE),
    Flag("--memory", "STORE", "where the runs remembered: a file, or the Python name of a MemoryStore"),
    Flag("--dry", "", "delete nothing, say what would be deleted", SWITCH),
)


def _todo_words(names: Names, _user_names: Mapping[str, Any]) -> Iterable[str]:
    """Ids of the current agent's todos, and what they may become."""
    try:
        ids = [todo.id for todo in names.find().todos.open]
    except OpenCollabError:
        ids = []
    return [*ids, *STATUSES]


MOVES_VERBS: tuple[Verb, ...] = (
    Verb(
        "anchor",
        "[KIND TEXT] [--own]",
        "keep a goal, a constraint or a milestone word for word in every request; the text is in quotes, or "
        "stands in the lines below %%oc anchor KIND. Without words: all anchors",
        "session.register(kind, text), session.anchors",
        moves_deeds.anchor,
        lambda _n, _u: KEEP_KEYS,
        OWN,
        takes_body=True,
    ),
    Verb(
        "todos",
        '["TEXT"... | ID STATUS...]',
        "the todos; texts in quotes are added (or a line each below %%oc todos), `t1 done` changes one",
        "session.update_todos(items), session.todos",
        moves_deeds.todos,
        _todo_words,
        takes_body=True,
    ),
    Verb(
        "audit",
        "[STEP]",
        "each compaction, offload, restatement and injection, and whether each original can be read back; "
        "with STEP, the messages that were sent at it",
        "session.audit(), .verify(), .replay(step)",
        moves_deeds.audit,
    ),
    Verb(
        "bill",
        "[--prices MODEL]",
        "tokens by category and step, what each move saved, and the largest saving still open; in dollars "
        "where prices are known, or at those of MODEL, such as gpt-5",
        "session.bill(prices)",
        moves_deeds.bill,
        flags=PRICES,
    ),
    Verb(
        "checklist",
        "",
        "the checks before a launch, each answered with what was measured",
        "session.checklist()",
        moves_deeds.checklist,
    ),
    Verb(
        "handoff",
        "[--last]",
        "write down what a next session needs, and show it",
        "session.handoff_now(), session.handoff",
        moves_deeds.handoff,
        flags=LAST,
    ),
    Verb(
        "memory",
        "[list | recall WORDS | forget ID|WORDS] [--older-than AGE]",
        "what is remembered across sessions; forget deletes for good",
        "session.memory.all(), .recall(query), .forget(...)",
        moves_deeds.memory,
        lambda _n, _u: moves_deeds.MEMORY_ACTS,
        FORGET,
    ),
    Verb(
        "purge",
        "--older-than AGE [--memory STORE] [--dry]",
        "delete all runs in the data folder that were last written to longer ago, with their memories",
        "from opencollab_nb.session.purging import purge; purge(timedelta(days=30))",
        moves_deeds.purge,
        flags=PURGE,
    ),
    Verb(
        "delete",
        "[--keep-memories]",
        "delete this agent's run for good: transcript, events, snapshots, workspace in its folder, memories",
        "session.delete()",
        moves_deeds.delete,
        flags=KEEP,
    ),
)
