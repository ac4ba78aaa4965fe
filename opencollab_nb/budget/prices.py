"""Prices of a model in dollars: given, or from the data that ships with genai-prices. No network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from opencollab_nb.errors import UsageProblem

MILLION = 1_000_000
_KEYS = ("input", "cached", "output")
_FAR = 10_000_000
"""Tokens of a request that is beyond every step of a price."""


@dataclass(frozen=True)
class Prices:
    """Dollars per million tokens.

    Raises:
        UsageProblem: (a ValueError) a price that is no number from 0 up.

    >>> Prices(input=2.5, cached=1.25, output=10).of(1_000_000, 400_000, 10_000)
    2.1
    """

    input: float
    """Input that no cache has served."""
    cached: float
    """Input from the provider's cache."""
    output: float
    """Output, reasoning included."""
    source: str = "given"
    """Where they come from."""
    model: str | None = None
    """The name in genai-prices whose rates by length are used; None for these figures alone."""
    write: float | None = None
    """Input that is put into the cache, where that has a price of its own; None for that of other input."""

    def __post_init__(self) -> None:
        for name in _KEYS if self.write is None else (*_KEYS, "write"):
            price = getattr(self, name)
            if (
                isinstance(price, bool)
                or not isinstance(price, (int, float))
                or not 0 <= price < float("inf")
            ):
                raise UsageProblem(f"the price {name!r} is {price!r}: give dollars per million tokens")

    def of(
        self, input_tokens: float, cached_tokens: float, output_tokens: float, written_tokens: float = 0
    ) -> float:
        """Dollars for one call.

        Args:
            input_tokens: all input, the cached and the written part included.
            cached_tokens: of it, from the cache.
            output_tokens: of the reply.
            written_tokens: of the input, put into the cache.
        """
        if self.model is not None:
            return _known(self.model, input_tokens, cached_tokens, output_tokens, written_tokens)
        fresh = input_tokens - cached_tokens - written_tokens
        write = self.input if self.write is None else self.write
        total = fresh * self.input + cached_tokens * self.cached + output_tokens * self.output
        return (total + written_tokens * write) / MILLION


def prices_of(given: Any, model_name: str | None = None) -> Prices | None:
    """The prices meant: those given, else those of the model; None where nobody knows them.

    Args:
        given: a `Prices`, a mapping with `input`, `output` and perhaps `cached` and `write`, the name of a
            model, or None for those of `model_name`.
        model_name: of the run's model.

    Raises:
        UsageProblem: (a ValueError) something else, or a name that has no prices.

    >>> prices_of("gpt-4o").cached, prices_of(None, "nobody-knows-me")
    (1.25, None)
    """
    if isinstance(given, Prices):
        return given
    if isinstance(given, Mapping):
        return _from_mapping(given)
    if given is not None and not isinstance(given, str):
        raise UsageProblem(f"prices is {given!r}: give Prices(...), a mapping, or the name of a model")
    found = known_prices(given or model_name)
    if found is None and given is not None:
        raise UsageProblem(
            f"no prices of {given!r} are known: give another model's name, such as gpt-5, or "
            "{'input': ..., 'cached': ..., 'output': ...} in dollars per million tokens"
        )
    return found


def known_prices(model_name: str | None) -> Prices | None:
    """The prices of a model, or None where they are not known; its name may have its provider in front."""
    if not model_name:
        return None
    try:
        call = _priced(model_name, 1_000, 0, 0)
    except LookupError:
        return None
    fresh = float(call.total_price) * 1_000
    cached = float(_priced(model_name, 1_000, 1_000, 0).total_price) * 1_000
    output = float(_priced(model_name, 0, 0, 1_000).total_price) * 1_000
    written = float(_priced(model_name, 1_000, 0, 0, 1_000).total_price) * 1_000
    write = None if written == fresh else round(written, 9)
    source = f"genai-prices, {call.provider.id}/{call.model.id}"
    flat = Prices(round(fresh, 9), round(cached, 9), round(output, 9), source, write=write)
    far = (_FAR, _FAR // 4, _FAR // 4, _FAR // 4)
    # A price without steps is the product of these figures; asking for it anew at each call is slow.
    has_steps = abs(_known(model_name, *far) - flat.of(*far)) > 1e-6
    return replace(flat, model=model_name) if has_steps else flat


def _known(
    model_name: str,
    input_tokens: float,
    cached_tokens: float,
    output_tokens: float,
    written_tokens: float = 0,
) -> float:
    parts = (input_tokens, cached_tokens, output_tokens, written_tokens)
    return float(_priced(model_name, *map(round, parts)).total_price)


def _priced(
    model_name: str, input_tokens: int, cached_tokens: int, output_tokens: int, written_tokens: int = 0
) -> Any:
    from genai_prices import Usage, calc_price

    usage = Usage(
        input_tokens=input_tokens,
        cache_read_tokens=cached_tokens,
        cache_write_tokens=written_tokens,
        output_tokens=output_tokens,
    )
    provider, _, bare = model_name.rpartition("/")
    for name, provider_id in ((model_name, None), (bare, provider.rpartition("/")[2] or None), (bare, None)):
        try:
            return calc_price(usage, name, provider_id=provider_id)
        except LookupError:
            continue
    raise LookupError(model_name)


def _from_mapping(given: Mapping[str, Any]) -> Prices:
    unknown = [name for name in given if name not in (*_KEYS, "write")]
    missing = [name for name in ("input", "output") if name not in given]
    if unknown or missing:
        wrong = f"{unknown[0]!r} is no price" if unknown else f"the price {missing[0]!r} is missing"
        raise UsageProblem(f"{wrong}: give input, cached and output, in dollars per million tokens")
    return Prices(**{"cached": given["input"], **given})
