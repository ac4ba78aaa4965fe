r"""The words a memory is found by: any text goes in, as a memory or as a query.

Parts of names count as words (`retryCount`, `retry_count` -> retry, count). Scripts written without
spaces are cut into pairs of characters, since a run of them is no word.

>>> words_of("retryCount = 5 in cart.py")
['retrycount', 'retry', 'count', '5', 'in', 'cart', 'py']
>>> words_of("数据库")
['数据', '据库']
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

QUERY_WORDS, QUERY_CHARS = 24, 4_000
"""Of a query that are looked for; a pasted page must not become a search of thousands."""

_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_DENSE = re.compile(
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff\u0e00-\u0e7f]+"
)


def words_of(text: str) -> list[str]:
    """The words in their order, in lower case."""
    out: list[str] = []
    for word in _WORD.findall(unicodedata.normalize("NFKC", text)):
        at = 0
        for dense in _DENSE.finditer(word):
            out += _named(word[at : dense.start()])
            run = dense[0]
            out += [a + b for a, b in pairwise(run)] if len(run) > 1 else [run]
            at = dense.end()
        out += _named(word[at:])
    return out


def _named(word: str) -> list[str]:
    parts = [part.lower() for part in _HUMP.split(word) if part]
    return parts if len(parts) < 2 else [word.lower(), *parts]


def terms_of(text: str) -> list[str]:
    """The words of a query, each once, as terms of FTS5 in which nothing has a meaning of its own.

    >>> terms_of('title: "x" OR NEAR( x')
    ['"title"', '"x"', '"or"', '"near"']
    """
    return [f'"{word}"' for word in list(dict.fromkeys(words_of(text[:QUERY_CHARS])))[:QUERY_WORDS]]
