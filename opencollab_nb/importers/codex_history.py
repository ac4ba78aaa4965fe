"""What left the history of a Codex rollout: turns that were rolled back, and what a compaction replaced."""

from __future__ import annotations

from typing import Any

from opencollab_nb.importers.codex_items import SEALED, content_of
from opencollab_nb.importers.draft import Draft
from opencollab_nb.importers.fields import mapping, text
from opencollab_nb.messages import Message, text_of


def roll_back(draft: Draft, turns: int) -> None:
    """The last turns of the user left the history, with all that followed."""
    said = [m["meta"]["id"] for m in draft.messages if m["meta"]["source"] == "user"]
    if said:
        draft.compacted("", range(said[-min(turns, len(said))], len(draft.messages)))


def compact(draft: Draft, payload: dict[str, Any]) -> None:
    """What the new history keeps stays; all else is replaced by the rest of the new history."""
    kept, new = _kept(draft, payload.get("replacement_history"))
    covers = [m["meta"]["id"] for m in draft.messages if m["meta"]["id"] not in kept]
    draft.compacted(text(payload.get("message")) or "\n\n".join(new) or SEALED, covers)


def _kept(draft: Draft, history: Any) -> tuple[set[int], list[str]]:
    """The ids that stay, and the texts that are new."""
    if not isinstance(history, list):  # older programs kept what the user had said
        return {m["meta"]["id"] for m in draft.messages if m["meta"]["source"] in ("user", "system")}, []
    standing = {(m.get("role"), text_of(m)): m["meta"]["id"] for m in draft.messages}
    kept, new = set(), []
    for item in map(mapping, history):
        message: Message = {"role": text(item.get("role")), "content": content_of(item)}
        words = text_of(message)
        known = standing.get((message["role"], words))
        if known is not None:
            kept.add(known)
        elif words:
            new.append(words)
    if draft.messages and draft.messages[0]["role"] == "system":
        kept.add(0)
    return kept, new
