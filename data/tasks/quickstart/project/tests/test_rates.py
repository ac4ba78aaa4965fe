"""What the shop relies on: the prices on the carrier's invoices of January 2026."""

import pytest

from parcelkit.errors import ParcelError
from parcelkit.rates import price_cents, zone_of


@pytest.mark.parametrize(
    ("zone", "grams", "cents"),
    [
        (1, 1_000, 520),
        (1, 3_500, 700),
        (2, 500, 765),
        (2, 2_500, 945),
        (3, 1_500, 1_305),
        (3, 9_000, 2_390),
        (4, 1_000, 1_630),
        (4, 6_500, 3_040),
    ],
)
def test_price_is_that_of_the_invoice(zone, grams, cents):
    assert price_cents(grams, zone) == cents


def test_a_part_of_a_kilogram_counts_as_a_whole_one():
    assert price_cents(2_001, 1) == price_cents(3_000, 1)


def test_the_country_may_be_written_in_small_letters():
    assert zone_of("is") == zone_of("GB") == 4


def test_a_country_without_a_contract_is_refused():
    with pytest.raises(ParcelError) as caught:
        zone_of("US")
    assert caught.value.code == "R-301"
