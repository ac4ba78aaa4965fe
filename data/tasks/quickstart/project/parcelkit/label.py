"""Tracking numbers: ten digits between a service prefix and a check character.

A number looks like `FP 0000000000 0`. The prefix says which service it is, the digits are counted up
by the packing bench, and the check character catches a digit that was read wrongly or two that
changed places. The sorting belt computes it again and throws out what does not fit, so a wrong rule
here shows itself at three in the morning, two hundred kilometres away.
"""

from parcelkit.errors import ParcelError

# Digits are weighted in turn: the first, third, ... with one factor, the second, fourth, ... with the other.
ODD_FACTOR = 3
EVEN_FACTOR = 1

# The remainder by this number chooses the character.
MODULUS = 10

# Letters that are easily taken for digits are left out.
CHECK_CHARACTERS = "0123456789ABCDEFGHJKLMNPQRTUVWX"

PREFIXES = {"parcel": "FP", "express": "FX", "return": "FR"}


def check_character(digits: str) -> str:
    """The character that belongs to ten digits; L-501 for anything that is not ten digits."""
    if len(digits) != 10 or not digits.isdecimal():
        raise ParcelError("L-501", f"{digits!r} is not a number of ten digits")
    total = 0
    for place, digit in enumerate(digits, start=1):
        factor = ODD_FACTOR if place % 2 else EVEN_FACTOR
        total += int(digit) * factor
    return CHECK_CHARACTERS[total % MODULUS]


def tracking_number(count: int, service: str = "parcel") -> str:
    """The number for the parcel that the bench counted as `count`."""
    if service not in PREFIXES:
        raise ParcelError("L-502", f"no service {service!r}")
    digits = f"{count:010d}"
    return f"{PREFIXES[service]} {digits} {check_character(digits)}"


def is_valid(number: str) -> bool:
    """Would the sorting belt take this number? Blanks do not matter."""
    packed = number.replace(" ", "").upper()
    prefix, digits, check = packed[:2], packed[2:-1], packed[-1:]
    if prefix not in PREFIXES.values() or len(digits) != 10 or not digits.isdecimal():
        return False
    return check_character(digits) == check
