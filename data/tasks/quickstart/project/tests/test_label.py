"""What the shop relies on: numbers of parcels that the belt took, and of some that it threw out."""

import pytest

from parcelkit.errors import ParcelError
from parcelkit.label import check_character, is_valid, tracking_number

TAKEN = [
    "FP 0012345678 2",
    "FP 4052639817 W",
    "FX 0099120436 0",
    "FR 0700316285 1",
    "FP 5061728394 L",
]


@pytest.mark.parametrize("number", TAKEN)
def test_a_number_that_the_belt_took_is_valid(number):
    assert is_valid(number)


@pytest.mark.parametrize("number", TAKEN)
def test_two_neighbours_that_changed_places_are_found(number):
    digits = number[3:13]
    changed = digits[:7] + digits[8] + digits[7] + digits[9:]
    assert changed == digits or not is_valid(number.replace(digits, changed))


def test_the_bench_counts_and_the_character_follows():
    assert tracking_number(2_718_281) == "FP 0002718281 J"


def test_a_return_has_a_prefix_of_its_own():
    assert tracking_number(31_415, "return").startswith("FR 0000031415 ")


def test_nine_digits_are_refused():
    with pytest.raises(ParcelError) as caught:
        check_character("123456789")
    assert caught.value.code == "L-501"
