"""Exact counts, where the encoding of a model is known. tiktoken is imported at the first count."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any

from opencollab_nb.messages import encodable
from opencollab_nb.tokens.counts import CountMemo
from opencollab_nb.tokens.estimate import estimate
from opencollab_nb.tokens.measure import measured
from opencollab_nb.tokens.vocabulary import SHIPPED, VocabularyMissing, VocabularyNotice

Encode = Callable[[str], Sequence[int]]

FALLBACK = "o200k_base"
_SAME_WORDS = {"o200k_harmony": "o200k_base"}
"""Encodings that differ from a shipped one in their special tokens only."""
_CHUNK_CHARS = 100_000
"""Longer texts are encoded in pieces: tiktoken's pattern overflows its stack on a million blanks."""
_LAST_EDGE = re.compile(r".*\S(?= )", re.DOTALL)


class Encoder:
    """Counts tokens of texts, each distinct text once.

    >>> encoder = Encoder("bytes", str.encode, exact=True)
    >>> encoder.count("four"), encoder.exact
    (4, True)
    """

    def __init__(self, name: str, encode: Encode | None, *, exact: bool) -> None:
        self.name = name
        """The encoding, or `local` for the local estimate."""
        self.exact = exact
        """False where the counts stand in for those of an unknown encoding: label them estimated."""
        self._encode = encode
        self._memo = CountMemo()

    def __repr__(self) -> str:
        return f"<Encoder {self.name}, {'exact' if self.exact else 'estimated'}>"

    def count(self, text: str) -> int:
        """Tokens of `text`, special-token text counted as plain text."""
        if self._encode is None:
            return estimate(text)
        known = self._memo.get(text)
        if known is None:
            known = sum(len(self._encode(chunk)) for chunk in chunks(encodable(text)))
            self._memo.put(text, known)
        return known

    def labelled(self, *, exact: bool) -> Encoder:
        """The same counts and memory under the other label."""
        other = Encoder(self.name, self._encode, exact=exact)
        other._memo = self._memo
        return other


def count_message(message: Mapping[str, Any], encoder: Encoder) -> int:
    """Tokens of one message by `encoder`, framed like the local estimate."""
    return measured(message, encoder.count)


def encoding_for(model_name: str | None) -> Encoder:
    """The encoder of a model, by name, with or without its provider in front (`openai/gpt-4o`).

    A model that is not known, or whose vocabulary does not ship with us, gets o200k_base with
    `exact=False`. Without any vocabulary the local estimate takes its place and one warning says
    what to install; the next call tries again.

    >>> encoding_for("openai/gpt-4o").count("tokens, counted"), encoding_for("gpt-4o").exact
    (3, True)
    >>> encoding_for("nobody-knows-me")
    <Encoder o200k_base, estimated>
    """
    try:
        name = encoding_name(model_name)
        return _loaded(name or FALLBACK).labelled(exact=name is not None)
    except VocabularyMissing as missing:
        _warn_once(str(missing))
        return Encoder("local", None, exact=False)


def encoding_name(model_name: str | None) -> str | None:
    """The shipped encoding that counts exactly for this model, or None.

    Raises:
        VocabularyMissing: tiktoken, which knows the names, is not installed.
    """
    try:
        from tiktoken.model import encoding_name_for_model
    except ImportError as missing:
        raise VocabularyMissing("tiktoken cannot be imported: pip install tiktoken") from missing
    given = model_name or ""
    for candidate in (given, given.rpartition("/")[2], given.rpartition("/")[2].lower()):
        try:
            name = encoding_name_for_model(candidate)
        except KeyError:
            continue
        name = _SAME_WORDS.get(name, name)
        return name if name in SHIPPED else None
    return None


def chunks(text: str) -> list[str]:
    """The text in pieces of at most 100,000 characters.

    Cut before a blank that follows something else, where every encoding begins a new token; where
    there is none, the cut may cost a token or two.
    """
    if len(text) <= _CHUNK_CHARS:
        return [text]
    pieces, start = [], 0
    while len(text) - start > _CHUNK_CHARS:
        end = start + _CHUNK_CHARS
        edge = _LAST_EDGE.match(text, start, end)
        end = edge.end() if edge else end
        pieces.append(text[start:end])
        start = end
    return [*pieces, text[start:]]


_LOADED: dict[str, Encoder] = {}
_LOADING = Lock()
_WARNED: set[str] = set()


def _loaded(name: str) -> Encoder:
    with _LOADING:
        if name not in _LOADED:
            _LOADED[name] = Encoder(name, SHIPPED[name].encoding().encode_ordinary, exact=True)
        return _LOADED[name]


def _warn_once(problem: str) -> None:
    if problem not in _WARNED:
        _WARNED.add(problem)
        warnings.warn(f"tokens are estimated, not counted: {problem}", VocabularyNotice, stacklevel=3)
