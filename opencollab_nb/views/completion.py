"""Completion of `%oc` and `%agent` lines, from the same tables as help and errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from IPython.core.completer import CompletionContext, SimpleCompletion, SimpleMatcherResult, context_matcher

from opencollab_nb.views.agent_magic import FLAGS
from opencollab_nb.views.code_magics import FLAGS as CODE_FLAGS
from opencollab_nb.views.names import Names
from opencollab_nb.views.verbs import VERBS

_MAGIC = re.compile(r"(?:^|=)\s*%{1,2}(oc|agent|shaper|summarizer)\s+(.*)$")
_PATHS = ("--workspace", "--policy", "--on", "resume", "load", "replay", "compare")


def matcher_for(
    names: Names, user_names: dict[str, Any]
) -> Callable[[CompletionContext], SimpleMatcherResult]:
    """The matcher to register in one shell."""

    @context_matcher()
    def opencollab_nb_matcher(context: CompletionContext) -> SimpleMatcherResult:
        found = _MAGIC.search(context.text_until_cursor)
        if not found:
            return {"completions": []}
        fragment = "" if found[2][-1:].isspace() else (found[2].split() or [""])[-1]
        before = found[2][: len(found[2]) - len(fragment)].split()
        if found[1] in CODE_FLAGS:
            offered: Iterable[str] = [f.name for f in CODE_FLAGS[found[1]] if f.name not in before]
        else:
            offered = _agent(before) if found[1] == "agent" else _oc(before, fragment, names, user_names)
        fitting = [text for text in dict.fromkeys(offered) if text.startswith(fragment)]
        return {
            "completions": [SimpleCompletion(text, type="magic") for text in fitting],
            "matched_fragment": fragment,
            "suppress": bool(fitting) and not (before and before[-1] in _PATHS),
        }

    return opencollab_nb_matcher


def _agent(before: list[str]) -> Iterable[str]:
    flag = next((f for f in FLAGS if before and f.name == before[-1]), None)
    if flag is not None:
        return flag.choices()
    return [f.name for f in FLAGS if f.name not in before] + ["--help"]


def _oc(before: list[str], fragment: str, names: Names, user_names: dict[str, Any]) -> Iterable[str]:
    if before and before[0].startswith("@"):
        before = before[1:]
    elif not before and fragment.startswith("@"):
        return [f'@"{name}"' if " " in name else f"@{name}" for name in (*names, *names.loaded)]
    if not before:
        return [verb.name for verb in VERBS]
    verb = next((v for v in VERBS if v.name == before[0]), None)
    return [*verb.choices(names, user_names), *(f.name for f in verb.flags)] if verb else []
