"""How the simulated agent behaves where chance decides. Settings, not measurements of any model."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from opencollab_nb.errors import SpecificationError, UnknownName

FILE = Path(__file__).with_name("profiles.yaml")


@dataclass(frozen=True)
class Profile:
    """The settings of one way to behave; `profiles.yaml` says what each means.

    >>> Profile().overlooks(50_000)
    0.0
    >>> round(Profile(near_tokens=8_000, far_tokens=200_000, most=0.35).overlooks(104_000), 3)
    0.175
    """

    name: str = "custom"
    tempted: float = 1.0
    obeys_summaries: float = 1.0
    heeds_restatement: float = 1.0
    notes: float = 0.0
    checks_first: float = 1.0
    rereads: str = "narrow"
    tool_reliability: float = 1.0
    patience: int = 3
    near_tokens: int = 0
    far_tokens: int = 1
    most: float = 0.0
    tokenizer_ratio: float = 1.0

    def __post_init__(self) -> None:
        if self.rereads not in ("narrow", "whole"):
            raise UnknownName("way to read again", self.rereads, ["narrow", "whole"])
        if self.far_tokens <= self.near_tokens:
            raise SpecificationError(
                f"profile {self.name}: far ({self.far_tokens}) must be more than near ({self.near_tokens})"
            )

    def overlooks(self, distance_tokens: float) -> float:
        """The chance to overlook what stands this far from the end of the request."""
        way = (distance_tokens - self.near_tokens) / (self.far_tokens - self.near_tokens)
        return self.most * min(1.0, max(0.0, way))

    def to_dict(self) -> dict[str, Any]:
        """All settings as plain data, printed with every result."""
        return {f.name: getattr(self, f.name) for f in fields(self)}


@cache
def profiles() -> dict[str, Profile]:
    """The shipped profiles by name: ideal, plain, careful, hasty."""
    import yaml

    loaded = {}
    for name, settings in yaml.safe_load(FILE.read_text(encoding="utf-8")).items():
        dilution = settings.pop("dilution")
        far = {"near_tokens": dilution["near"], "far_tokens": dilution["far"], "most": dilution["most"]}
        loaded[name] = Profile(name=name, **settings, **far)
    return loaded


def profile_named(name: str | Profile) -> Profile:
    """A shipped profile, or the given one.

    Raises:
        UnknownName: no profile has this name.

    >>> profile_named("ideal").notes
    0
    """
    if isinstance(name, Profile):
        return name
    if name not in profiles():
        raise UnknownName("profile", name, profiles())
    return profiles()[name]
