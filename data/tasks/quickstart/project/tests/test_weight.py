"""What the shop relies on: the weights on the carrier's invoices of January 2026."""

import pytest

from parcelkit.errors import ParcelError
from parcelkit.parcel import Parcel
from parcelkit.weight import billed_g, is_bulky, volumetric_g


def box(weight_g, length_cm, width_cm, height_cm):
    return Parcel(weight_g, length_cm, width_cm, height_cm)


@pytest.mark.parametrize(
    ("parcel", "grams"),
    [
        (box(900, 30, 20, 10), 1_500),
        (box(2_300, 40, 30, 20), 6_000),
        (box(6_010, 40, 30, 20), 6_500),
        (box(250, 20, 15, 5), 500),
        (box(12_400, 50, 40, 10), 12_500),
    ],
)
def test_billed_weight_is_that_of_the_invoice(parcel, grams):
    assert billed_g(parcel) == grams


def test_volume_is_cut_off_to_the_gram_and_not_rounded():
    assert volumetric_g(box(100, 33, 21, 11)) == 1_905


def test_a_light_and_large_parcel_is_bulky():
    assert is_bulky(box(4_900, 45, 33, 14))


def test_a_heavy_and_small_parcel_is_not_bulky():
    assert not is_bulky(box(5_000, 20, 20, 20))


def test_freight_is_refused_by_its_real_weight():
    with pytest.raises(ParcelError) as caught:
        billed_g(box(31_501, 60, 40, 40))
    assert caught.value.code == "W-202"


def test_what_the_belt_does_not_take_is_refused():
    with pytest.raises(ParcelError) as caught:
        billed_g(box(3_000, 151, 10, 10))
    assert caught.value.code == "W-201"
