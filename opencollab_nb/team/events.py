"""The kinds of events of a team, one a line in `team.jsonl`; each member's own lie in its run folder."""

from __future__ import annotations

from opencollab_nb.trace.kind import Kind, of

MEMBER = ("member", "text", "the member it is about")

TEAM_EVENTS: dict[str, Kind] = {
    "organisation": of(
        "Once, before anything else: the team as it was declared.",
        ("team", "text", "its name"),
        ("task", "text", "what it is to do"),
        ("spec", "object", "the team, as `as_data(spec)`"),
        ("rule", "text", "how its pool is shared: `dynamic`, `declared`, `shared` or `workflow`"),
        ("pool_tokens", "int?", "what all may spend together"),
        ("workspace", "text?", "the folder worked in; shown, never opened again by itself"),
        ("settings", "object", "what the sessions of all members are made with besides; no secrets"),
    ),
    "grant": of(
        "Tokens were reserved for a member.",
        MEMBER,
        ("tokens", "int?", "how many; null for no allowance of its own"),
    ),
    "refusal": of(
        "Tokens were not granted, or a call was not admitted.",
        MEMBER,
        ("reason", "text", "`own allowance`, `team's pool`, `nothing left`, `closed` or `not granted`"),
        ("text", "text", "one sentence"),
    ),
    "spend": of(
        "A call was booked.",
        MEMBER,
        ("tokens", "int", "what it has cost"),
        ("spent", "int", "what the member has spent in all"),
        durable=False,
    ),
    "return": of(
        "A member ended and gave back what it had not spent.",
        MEMBER,
        ("tokens", "int", "how many"),
    ),
    "begin": of(
        "Before a member's session is made.",
        MEMBER,
        ("role", "text", "its role"),
        ("task", "text", "what it is to do"),
        ("parent", "text?", "who gets its result"),
        ("call", "text?", "the call that asked for it: the id of the reply and its place there, `17/0`"),
        ("message", "int?", "number of the message that its task is"),
    ),
    "message": of(
        "A message was sent; it waits until it is in the transcript of whom it is for.",
        ("number", "int", "number of the message: 1, 2, 3 ..."),
        ("sender", "text", "a member, `user` or `team`"),
        ("to", "text", "a member"),
        ("text", "text", "what it says"),
        ("about", "text", "`message`, `task`, `result` or `note`"),
        ("call", "text?", "the call that sent it, in the same way"),
        ("outcome", "text?", "of a result: `finished`, `ran out`, `stopped` or `failed`"),
    ),
    "delivery": of(
        "A message is in the transcript of whom it is for.",
        MEMBER,
        ("number", "int", "number of the message"),
        ("message_id", "int", "id in the transcript"),
        durable=False,
    ),
    "wait": of(
        "A member said that it waits for what comes in.",
        MEMBER,
        durable=False,
    ),
    "step": of(
        "A member has finished a step.",
        MEMBER,
        ("calls", "list", "names of the tools called"),
        durable=False,
    ),
    "end": of(
        "A member has come to an end; a message may wake it.",
        MEMBER,
        ("outcome", "text", "`finished`, `ran out`, `stopped` or `failed`"),
        ("detail", "text", "one sentence, or nothing"),
        durable=False,
    ),
    "swap": of(
        "The shapers of one member, or of all, were changed.",
        ("member", "text?", "which; null for all"),
        ("chain", "list", "names of the shapers now in force"),
        (
            "parts",
            "list",
            'the same as in a session\'s `start`: `{"shaper": "module:name", "fields": {...}}`',
        ),
        ("policy", "text?", "the policy the chain came from"),
        ("mode", "text?", "`sticky` or `stateless`, where the policy says so"),
        ("target_ratio", "number?", "target ÷ trigger, where the policy says so"),
    ),
    "summarizer": of(
        "The summarizer of one member, or of all, was changed.",
        ("member", "text?", "which; null for all"),
        ("part", "object?", "the summarizer, written as in a chain"),
    ),
    "fault": of(
        "Something beside the members failed; the team goes on.",
        ("where", "text", "`subscriber`"),
        ("error", "text", "the kind of error"),
        ("message", "text", "what it said"),
        durable=False,
    ),
    "state": of(
        "The team's state changed.",
        ("state", "text", "the new state"),
        ("detail", "text", "one sentence, or nothing"),
        durable=False,
    ),
}
