r"""Secrets and personal data, taken out before anything is written.

>>> redacted("Ask ann@shop.example or call +44 20 7946 0958.")
('Ask [redacted e-mail address] or call [redacted phone number].', ('e-mail address', 'phone number'))
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from opencollab_nb.budget.memory.credentials import credentials


class Span(NamedTuple):
    """A stretch of text that goes."""

    start: int
    end: int
    sort: str
    """What it is, in words."""


def redacted(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with marks in place of secrets and personal data, and the sorts that were found."""
    spans = sorted([*map(Span._make, credentials(text)), *personal(text)])
    out, at, sorts = [], 0, []
    for start, end, sort in spans:
        if end <= at:
            continue
        if start >= at:
            out += [text[at:start], f"[redacted {sort}]"]
            sorts.append(sort)
        at = end
    return "".join(out) + text[at:], tuple(dict.fromkeys(sorts))


def personal(text: str) -> Iterator[Span]:
    """Personal data by patterns of our own."""
    for sort, pattern, is_one in _PERSONAL:
        for found in pattern.finditer(text):
            if is_one(found[0]):
                yield Span(*found.span(), sort)


def is_card(text: str) -> bool:
    """True for 13 to 19 digits whose check digit is right (ISO/IEC 7812-1, Luhn's formula).

    >>> is_card("4111 1111 1111 1111"), is_card("4111 1111 1111 1112")
    (True, False)
    """
    digits = [int(c) for c in text if c.isdigit()]
    doubled = [d if i % 2 == 0 else d * 2 - 9 * (d > 4) for i, d in enumerate(reversed(digits))]
    return 13 <= len(digits) <= 19 and len(set(digits)) > 1 and sum(doubled) % 10 == 0


def is_iban(text: str) -> bool:
    """True for a bank account number whose check digits are right (ISO 13616, modulo 97).

    >>> is_iban("DE89 3704 0044 0532 0130 00"), is_iban("DE88 3704 0044 0532 0130 00")
    (True, False)
    """
    bare = re.sub(r"\s", "", text).upper()
    if not 15 <= len(bare) <= 34:
        return False
    return int("".join(str(int(c, 36)) for c in bare[4:] + bare[:4])) % 97 == 1


def is_phone(text: str) -> bool:
    """True for 8 to 15 digits (ITU-T E.164 allows 15)."""
    return 8 <= sum(c.isdigit() for c in text) <= 15


def _any(text: str) -> bool:
    return bool(text)


_PERSONAL: tuple[tuple[str, re.Pattern[str], Callable[[str], bool]], ...] = (
    # RFC 5321: 64 characters before the sign, 255 after it. `git@host:` is how repositories are named.
    (
        "e-mail address",
        re.compile(r"(?<![\w.+-])(?!git@)[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"),
        _any,
    ),
    (
        "bank account",
        re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Za-z0-9]{1,4}){3,8}(?![A-Za-z0-9])"),
        is_iban,
    ),
    ("card number", re.compile(r"(?<![\w.])\d(?:[ -]?\d){12,18}(?![\w.]?\d)"), is_card),
    ("phone number", re.compile(r"(?<![\w.+])(?:\+|00)[1-9](?:[ ()./-]{0,2}\d){7,14}(?!\d)"), is_phone),
    # US social security: no part is all zeros, no area is 666 or begins with 9.
    (
        "social security number",
        re.compile(r"(?<![\w-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])"),
        _any,
    ),
    # The North American plan: an area begins with 2 to 9.
    (
        "phone number",
        re.compile(r"(?<![\w.-])(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[-.])\d{3}[-.]\d{4}(?![\w-])"),
        _any,
    ),
)
