"""What a provider reported for one call."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model call, as reported.

    Inside the library input always includes the cached part; providers that report it apart are
    converted in `models/` and `importers/`, and nowhere else.

    >>> Usage(input_tokens=900, cached_input_tokens=600, output_tokens=40).total_tokens
    940
    """

    input_tokens: int = 0
    """All tokens of the request, the cached ones included."""
    cached_input_tokens: int = 0
    """The part of `input_tokens` served from the provider's prompt cache."""
    output_tokens: int = 0
    """All tokens of the reply, reasoning included."""
    reasoning_tokens: int = 0
    """The part of `output_tokens` spent on reasoning."""

    @property
    def total_tokens(self) -> int:
        """What a token budget is charged for this call."""
        return self.input_tokens + self.output_tokens

    def to_dict(self) -> dict[str, int]:
        """Plain data, for the trace."""
        return asdict(self)
