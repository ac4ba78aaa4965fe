"""Context windows of known models, from the data that ships with genai-prices. No network."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=256)
def window_of(model_name: str | None) -> int | None:
    """The context window of a model in tokens, or None where it is not known.

    The name may carry its provider in front (`openai/gpt-4o`).

    >>> window_of("gpt-4o"), window_of("openai/gpt-4o"), window_of("nobody-knows-me")
    (128000, 128000, None)
    """
    if not model_name:
        return None
    from genai_prices.data_snapshot import get_snapshot

    snapshot = get_snapshot()
    provider, _, bare = model_name.rpartition("/")
    for name, provider_id in ((model_name, None), (bare, provider.rpartition("/")[2] or None), (bare, None)):
        try:
            _, model = snapshot.find_provider_model(name, None, provider_id, None)
        except LookupError:
            continue
        if model.context_window:
            return int(model.context_window)
    return None
