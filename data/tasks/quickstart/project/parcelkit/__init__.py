"""Prices, labels and pick-up times for parcels."""

from parcelkit.parcel import Parcel
from parcelkit.rates import quote

__all__ = ["Parcel", "quote"]
