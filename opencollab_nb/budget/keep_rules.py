"""What is kept word for word and what may be lost, by kind: the table that the shapers read."""

from __future__ import annotations

from opencollab_nb.shaping.keep import HOW, KEEP_RULES, Rule, is_verbatim, kind_of, rule_of

__all__ = ["HOW", "KEEP_RULES", "Rule", "is_verbatim", "kind_of", "rule_of"]
