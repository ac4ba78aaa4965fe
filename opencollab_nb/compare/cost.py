"""What a request costs where a provider keeps the beginning of the last one in its cache."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from opencollab_nb.errors import UsageProblem

__all__ = ["Caching", "Parts", "caching_of"]


class Parts(NamedTuple):
    """The input of one request by what is charged for it; together all of its input."""

    uncached_tokens: int
    cached_tokens: int
    write_tokens: int


@dataclass(frozen=True)
class Caching:
    """How a provider caches prompts.

    The figures that come with it are those of the providers' own documentation: OpenAI serves prefixes from
    1,024 tokens on in blocks of 128 and charges nothing for keeping them; Anthropic serves them from 1,024
    tokens on (2,048 or 4,096 for its smaller and some newer models) and charges for what is written.

    Raises:
        UsageProblem: (a ValueError) a minimum below 0 or a block below 1.

    >>> Caching(1_024, 128).parts(2_000, 1_500)
    Parts(uncached_tokens=592, cached_tokens=1408, write_tokens=0)
    >>> Caching(1_024, 1, writes=True).parts(2_000, 1_500)
    Parts(uncached_tokens=0, cached_tokens=1500, write_tokens=500)
    >>> Caching(1_024, 128).parts(2_000, 1_000)
    Parts(uncached_tokens=2000, cached_tokens=0, write_tokens=0)
    """

    minimum_tokens: int = 1_024
    """A shorter beginning is not served, a shorter request not kept."""
    block_tokens: int = 128
    """What is served and kept is a multiple of this."""
    writes: bool = False
    """True where what is put into the cache has its own price."""
    serves: bool = True
    """False for a provider without a cache."""

    def __post_init__(self) -> None:
        for name, least in (("minimum_tokens", 0), ("block_tokens", 1)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise UsageProblem(f"{name} is {value!r}: a whole number of at least {least} tokens")

    def parts(self, input_tokens: int, prefix_tokens: int) -> Parts:
        """The parts of a request.

        Args:
            input_tokens: all of it.
            prefix_tokens: what it has in common with the request before, at its beginning.
        """
        cached = self._kept(min(prefix_tokens, input_tokens))
        written = max(0, self._kept(input_tokens) - cached) if self.writes else 0
        return Parts(input_tokens - cached - written, cached, written)

    def _kept(self, tokens: int) -> int:
        if not self.serves or tokens < self.minimum_tokens:
            return 0
        return tokens - tokens % self.block_tokens


_OPENAI = Caching()
_ANTHROPIC = Caching(1_024, 1, writes=True)


def caching_of(model: str | None, *, write_price: float | None = None) -> Caching:
    """The caching of a model's provider: with charged writes where they have a price, else in blocks of 128.

    >>> caching_of("claude-sonnet-4-20250514", write_price=3.75).writes, caching_of("gpt-5").block_tokens
    (True, 128)
    """
    named = (model or "").lower()
    return _ANTHROPIC if write_price is not None or "claude" in named else _OPENAI
