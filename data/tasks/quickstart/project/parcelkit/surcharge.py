"""What comes on top of the price: fuel, and places that are far from everything.

The fuel surcharge is a share of the price, in basis points (100 basis points are 1 %). The carrier
sets it by an index of its own and says so to its billing system, not to us: the letter about it comes
weeks later, if at all. The billing log shows what was really charged.

The fee for a remote area is a fixed sum a parcel. It is not a part of the price, so fuel is not
charged on it.
"""

from parcelkit.errors import ParcelError

FUEL_BASIS_POINTS = 480

REMOTE_FEE_CENTS = 350

# Postal codes, by their first digits, that the carrier counts as remote.
REMOTE_PREFIXES = {
    "NO": ("84", "86", "89", "91", "94", "95", "97", "98", "99"),
    "SE": ("93", "96", "98"),
    "FI": ("93", "97", "98", "99"),
    "GB": ("HS", "KW", "ZE"),
}


def is_remote(country: str, postal_code: str) -> bool:
    """Is this an area for which the carrier takes the fee?"""
    code = postal_code.replace(" ", "").upper()
    if not code:
        raise ParcelError("S-401", "a postal code is needed for the surcharge")
    return code.startswith(REMOTE_PREFIXES.get(country.upper(), ()))


def fuel_cents(price_cents: int) -> int:
    """The fuel surcharge on a price, rounded half up to the cent, as the carrier's billing does it."""
    return (price_cents * FUEL_BASIS_POINTS + 5000) // 10_000


def total_cents(price_cents: int, country: str, postal_code: str) -> int:
    """Price, fuel and, where it applies, the fee for a remote area."""
    fee = REMOTE_FEE_CENTS if is_remote(country, postal_code) else 0
    return price_cents + fuel_cents(price_cents) + fee


def breakdown(price_cents: int, country: str, postal_code: str) -> dict[str, int]:
    """The same sum in its parts, for the invoice that the customer sees."""
    fee = REMOTE_FEE_CENTS if is_remote(country, postal_code) else 0
    fuel = fuel_cents(price_cents)
    return {"price": price_cents, "fuel": fuel, "remote": fee, "total": price_cents + fuel + fee}
