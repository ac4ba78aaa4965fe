"""The chains to compare: what was given, each under a name of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass, replace
from typing import Any

from opencollab_nb.compare.setting import Trial, trial
from opencollab_nb.compare.subject import distinct
from opencollab_nb.errors import UsageProblem
from opencollab_nb.policy import Policy
from opencollab_nb.shaping import AutoCompactShaper, ShaperPipeline, name_of

AS_IT_WAS = "no shaping"
"""The name of the chain without a shaper: the whole transcript at every call."""


def chains_of(chains: Any) -> dict[str, Any]:
    """The chains meant, by name.

    Args:
        chains: a mapping of names to chains, or a list of chains, or one. A chain is the name of a policy, a
            `Policy`, a `ShaperPipeline`, a shaper, a list of shapers, or None (or an empty list) for no
            shaping.

    Raises:
        UsageProblem: (a ValueError) no chain, or something that is none; the name of an unknown policy.

    >>> list(chains_of(["default", None]))
    ['default', 'no shaping']
    """
    if isinstance(chains, Mapping):
        named = {str(name): chain for name, chain in chains.items()}
    else:
        given = list(chains) if isinstance(chains, (list, tuple)) else [chains]
        named = dict(zip(distinct(name_for(chain) for chain in given), given, strict=True))
    if not named:
        raise UsageProblem("no chain to compare: give names of policies, shapers, or lists of shapers")
    for chain in named.values():
        trial_of(chain, "sticky")
    return named


def trial_of(chain: Any, mode: str) -> Trial:
    """The chain in a mode, with summaries that it has to make itself.

    What a summarizer answered in another comparison is not known to it: each pays for its own summaries.

    Raises:
        UsageProblem: (a ValueError) something that is no shaper, or no known policy or mode.
    """
    tried = trial(None, _listed(chain) or (ShaperPipeline(),), mode)
    own = (replace(s) if isinstance(s, AutoCompactShaper) else s for s in tried.chain.shapers)
    return tried._replace(chain=ShaperPipeline(*own))


def name_for(chain: Any) -> str:
    """How a chain is called that was given no name.

    >>> from opencollab_nb.shaping import OldHistorySnipShaper, ToolOutputClearShaper
    >>> name_for("default"), name_for([ToolOutputClearShaper(keep_recent=3), OldHistorySnipShaper()])
    ('default', 'ToolOutputClearShaper(keep_recent=3), OldHistorySnipShaper')
    """
    if isinstance(chain, str):
        return chain
    if isinstance(chain, Policy):
        return chain.policy
    return ", ".join(map(_shaper_name, _listed(chain))) or AS_IT_WAS


def _listed(chain: Any) -> Sequence[Any]:
    if chain is None:
        return ()
    if isinstance(chain, ShaperPipeline):
        return chain.shapers
    return tuple(chain) if isinstance(chain, (list, tuple)) else (chain,)


def _shaper_name(shaper: Any) -> str:
    """The name of a shaper, with what is not as it comes."""
    if not is_dataclass(shaper):
        return name_of(shaper)
    own = []
    for f in fields(shaper):
        value = getattr(shaper, f.name)
        known = f.default if f.default_factory is MISSING else f.default_factory()
        if f.init and f.repr and value != known:
            own.append(f"{f.name}={value if _is_plain(value) else name_of(value)}")
    return name_of(shaper) + (f"({', '.join(own)})" if own else "")


def _is_plain(value: Any) -> bool:
    if isinstance(value, (tuple, frozenset, set)):
        return all(map(_is_plain, value))
    return isinstance(value, (bool, int, float, str))
