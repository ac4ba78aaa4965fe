"""What a user typed into a running Claude Code session: it waits in a queue until it is sent.

Newer programs write it down once more when it is sent, as an attachment or as a line of the user. Others tell
only that it left the queue.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from opencollab_nb.importers import blocks
from opencollab_nb.importers.claude_lines import attached, is_message
from opencollab_nb.importers.fields import text
from opencollab_nb.messages import text_of


def spoken(lines: Iterable[dict[str, Any]]) -> set[str]:
    """The texts that lines of the conversation bring, without blanks around them; none where no queue is."""
    held = list(lines)
    if not any(line.get("type") == "queue-operation" for line in held):
        return set()
    found: set[str] = set()
    for line in held:
        if line.get("type") == "attachment":
            found.add(attached(line).strip())
        elif line.get("type") == "user" and is_message(line):
            said = blocks.messages_of("user", line["message"].get("content"))
            found |= {text_of(message).strip() for message in said}
    return found


def steered(line: Mapping[str, Any], known: set[str]) -> str:
    """What left the queue for the model and stands nowhere else; empty for any other line.

    >>> left = {"type": "queue-operation", "operation": "remove", "content": "the parser first"}
    >>> steered(left, set()), steered(left, {"the parser first"})
    ('the parser first', '')
    """
    if line.get("type") != "queue-operation" or line.get("operation") != "remove":
        return ""
    words = text(line.get("content"))
    return "" if words.strip() in known else words
