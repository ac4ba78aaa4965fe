"""What the shop relies on: what the gateway took and what it sent back in February 2026."""

import pytest

from parcelkit.customs import declaration, described, needs_declaration
from parcelkit.errors import ParcelError


@pytest.mark.parametrize("value", [100, 9_900, 12_500, 14_999])
def test_goods_of_small_value_pass_without_a_form(value):
    assert not needs_declaration("CH", value)


@pytest.mark.parametrize("value", [15_000, 15_001, 80_000])
def test_goods_of_some_value_need_a_form(value):
    assert needs_declaration("gb", value)


def test_nothing_is_declared_within_the_union():
    assert declaration("SE", 99_000, "wool blanket") is None


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("hand knitted  wool blanket, grey", "hand knitted wool blanket, grey"),
        ("hand knitted wool blanket, grey with white edge, 140 x 200 cm", "hand knitted wool blanket, grey with white"),
        ("porcelain tea set for six persons, 21 pieces, hand painted", "porcelain tea set for six persons, 21 pieces,"),
    ],
)
def test_a_description_is_cut_after_the_last_word_that_fits_the_form(text, taken):
    assert described(text) == taken


def test_a_description_that_says_nothing_is_refused():
    with pytest.raises(ParcelError) as caught:
        described("various goods")
    assert caught.value.code == "C-601"
