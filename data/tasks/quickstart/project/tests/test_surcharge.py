"""What the shop relies on: the surcharges on the carrier's invoices of March 2026."""

import pytest

from parcelkit.errors import ParcelError
from parcelkit.surcharge import breakdown, fuel_cents, total_cents


@pytest.mark.parametrize(("price", "fuel"), [(520, 38), (945, 69), (2_390, 173), (3_040, 220), (200, 15)])
def test_fuel_is_that_of_the_invoice(price, fuel):
    assert fuel_cents(price) == fuel


def test_a_parcel_to_a_town_pays_price_and_fuel():
    assert total_cents(1_305, "DE", "10115") == 1_400


def test_a_parcel_to_a_remote_area_pays_a_fee_without_fuel_on_it():
    assert total_cents(765, "FI", "99 800") == 1_230


def test_the_parts_on_the_invoice_add_up():
    parts = breakdown(1_630, "GB", "ZE1 0AA")
    assert parts == {"price": 1_630, "fuel": 118, "remote": 410, "total": 2_158}


def test_a_surcharge_needs_a_postal_code():
    with pytest.raises(ParcelError) as caught:
        total_cents(520, "NO", " ")
    assert caught.value.code == "S-401"
