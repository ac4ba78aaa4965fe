"""The roles of a team file."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from opencollab_nb.team.nodes import shortened
from opencollab_nb.team.parts import model_at, policy_at, temperature_at
from opencollab_nb.team.reading import Entry, Place, known_entries, names_at, text_at, unknown_at
from opencollab_nb.team.roster import Role

ROLE_KEYS = ("prompt", "model", "tools", "temperature", "budget", "context", "skill")
ROLES_EXAMPLE = "roles: {lead: {prompt: ...}, coder: {prompt: ...}}"
SPOKEN_FOR = ("user", "team", "harness", "all")
"""Names that a message's sender or receiver already has."""
NAME_SAYS = "a letter, then up to 39 letters, digits, - or _"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")


def is_name(text: str) -> bool:
    """True for what can be a role's name, and a folder's.

    >>> is_name("coder-2"), is_name("../coder")
    (True, False)
    """
    return _NAME.fullmatch(text) is not None


def check_names(place: Place, roles: Iterable[Entry]) -> None:
    """Note names that cannot be a member's: they name folders, and senders of messages."""
    former: dict[str, str] = {}
    for entry in roles:
        name = str(entry.key.value)
        if not is_name(name):
            place.wrong(f"{shortened(name)!r} is no name of a role: {NAME_SAYS}", entry.key)
        elif name.lower() in SPOKEN_FOR:
            place.wrong(f"{name!r} is no name of a role: it means something else here", entry.key)
        elif name.lower() in former:
            place.wrong(f"{name!r} differs from {former[name.lower()]!r} in case only", entry.key)
        former.setdefault(name.lower(), name)


def role_at(entry: Entry, tools: Collection[str]) -> tuple[Role, Place | None]:
    """One role without its allowance, and where that stands; what cannot be read is a fault, and left out."""
    place = entry.value
    found = {key: e.value for key, e in known_entries(place, ROLE_KEYS, "{prompt: ...}").items()}
    prompt = text_at(found["prompt"]) if "prompt" in found else None
    if "prompt" not in found:
        place.wrong("no prompt: say who this member is and how it works", entry.key)
    role = Role(
        str(entry.key.value),
        prompt or "",
        model=model_at(found["model"]) if "model" in found else None,
        tools=_tools(found["tools"], tools) if "tools" in found else None,
        temperature=temperature_at(found["temperature"]) if "temperature" in found else None,
        context=policy_at(found["context"]) if "context" in found else None,
        skill=(text_at(found["skill"]) or "") if "skill" in found else "",
    )
    return role, found.get("budget")


def _tools(place: Place, known: Collection[str]) -> tuple[str, ...]:
    given = names_at(place, "[file_read, grep]")
    for tool in given:
        if tool.node.value not in known:
            unknown_at(tool, "tool", str(tool.node.value), known)
    return tuple(str(tool.node.value) for tool in given)
