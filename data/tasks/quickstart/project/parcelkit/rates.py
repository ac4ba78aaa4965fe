"""Price by zone and billed weight, in cents and without tax.

A price has two parts: one for the first kilogram and one for each further kilogram or part of it.
Zones are fixed by contract, prices change once a year with the carrier's tariff.
"""

from parcelkit.errors import ParcelError
from parcelkit.parcel import Parcel
from parcelkit.weight import billed_g

ZONES = {
    "NO": 1,
    "SE": 2, "DK": 2, "FI": 2,
    "DE": 3, "NL": 3, "BE": 3, "FR": 3, "PL": 3, "EE": 3, "LV": 3, "LT": 3,
    "GB": 4, "IE": 4, "ES": 4, "IT": 4, "AT": 4, "CH": 4, "PT": 4, "IS": 4,
}

# zone: (first kilogram, each further kilogram)
PRICES_CENTS = {
    1: (495, 55),
    2: (720, 85),
    3: (1080, 145),
    4: (1540, 220),
}


def zone_of(country: str) -> int:
    """The zone of a country by its two-letter code; R-301 for one that is not served."""
    try:
        return ZONES[country.upper()]
    except KeyError:
        raise ParcelError("R-301", f"no contract for {country!r}") from None


def price_cents(grams: int, zone: int) -> int:
    """What this billed weight costs in this zone."""
    first, further = PRICES_CENTS[zone]
    kilograms = -(-grams // 1000)
    return first + further * (kilograms - 1)


def quote(parcel: Parcel, country: str) -> int:
    """What it costs to send this parcel to this country, in cents, without surcharges and tax."""
    return price_cents(billed_g(parcel), zone_of(country))
