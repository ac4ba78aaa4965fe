"""What a kind of event is."""

from __future__ import annotations

from dataclasses import dataclass

Field = tuple[str, str, str]
"""Name, type (a key of `TYPES`, with `?` where it may be null), what it says."""


@dataclass(frozen=True)
class Kind:
    """One kind of event."""

    about: str
    """When it is written."""
    fields: tuple[Field, ...]
    durable: bool = True
    """True where it is waited for until it is on the disk; False where it follows with the next that is."""


def of(about: str, *fields: Field, durable: bool = True) -> Kind:
    """A kind, written as a table."""
    return Kind(about, fields, durable)
