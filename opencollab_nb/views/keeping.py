"""What may become of a message, in words: the table of `KEEP_RULES` as the map of a context shows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opencollab_nb.budget.keep_rules import kind_of, rule_of
from opencollab_nb.views.labels import clean

_HOW = {
    "verbatim": "kept word for word",
    "structured": "kept as state of the harness",
    "summarize": "may give way to a summary",
    "offload": "may give way to a pointer",
    "drop": "may leave",
}


def rule_words(message: Mapping[str, Any]) -> str:
    """Kind, what may become of it, and the reason.

    >>> rule_words({"role": "user", "content": "", "meta": {"source": "task"}})
    'goal: kept word for word. Whoever loses the goal works on something else.'
    """
    rule = rule_of(message)
    kind = clean(kind_of(message).replace("_", " "), 40)
    return f"{kind}: {_HOW[rule.how]}. {rule.why}"
