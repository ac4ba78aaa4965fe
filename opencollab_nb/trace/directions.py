"""The kinds of events about what a session keeps beside its messages: its direction and its memory."""

from __future__ import annotations

from opencollab_nb.trace.kind import Kind, of

DIRECTIONS: dict[str, Kind] = {
    "anchor": of(
        "A goal, a constraint, a finished milestone or the like was registered; it is kept word for word.",
        ("kind_of_anchor", "text", "`goal`, `constraints`, `milestones` or a word of the user's own"),
        ("text", "text", "the words"),
        ("number", "int", "number of the anchor: 0, 1, 2 ..."),
        ("message_id", "int", "the pinned message in which the words stand"),
        ("by", "text", "`user` or `harness`"),
        ("todo", "text?", "the id of the todo whose end this milestone is"),
    ),
    "todos": of(
        "The todos changed.",
        ("todos", "list", 'all of them now: `{"id": "t1", "text": ..., "status": ..., "by": ...}`'),
        ("by", "text", "`user`, `agent` or `harness`"),
        ("change", "text", "what changed, in one line"),
    ),
    "restatement": of(
        "Before a request that restates direction and todos in its tail.",
        ("reason", "text", "why it was due"),
        ("tokens", "int", "its tokens"),
    ),
    "injection": of(
        "What the memory holds was put into the context, as summaries.",
        ("tokens", "int", "its tokens"),
        ("memories", "list", "ids of the memories that are in it"),
        ("message_id", "int", "the message in which they stand"),
    ),
    "handoff": of(
        "The handoff to a next session was written.",
        ("path", "text", "the file, in Markdown; the same as JSON lies beside it"),
        ("reason", "text", "the state in which the session ended, or `asked for`"),
        durable=False,
    ),
}
