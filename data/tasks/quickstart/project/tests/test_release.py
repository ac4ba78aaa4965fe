"""What the shop checks before it takes a release: a basket of March 2026, and the list of constants."""

import re
from pathlib import Path

import pytest

from parcelkit import Parcel, customs, label, pickup, quote, surcharge, weight

CHANGELOG = Path(__file__).parents[1] / "CHANGELOG.md"

CONSTANTS = [
    (weight, "VOLUMETRIC_DIVISOR"),
    (surcharge, "FUEL_BASIS_POINTS"),
    (label, "EVEN_FACTOR"),
    (customs, "DECLARE_FROM_CENTS"),
    (pickup, "HANDOVER_MINUTES"),
]


def unreleased():
    return CHANGELOG.read_text(encoding="utf-8").partition("## Unreleased")[2].partition("\n## ")[0]


@pytest.mark.parametrize(("module", "name"), CONSTANTS)
def test_the_entry_names_each_constant_as_the_code_has_it(module, name):
    assert re.findall(rf"^- {name} = (\d+)$", unreleased(), re.M) == [str(getattr(module, name))]


def test_the_basket_of_march_costs_what_the_invoice_says():
    parcels = [(Parcel(2_300, 40, 30, 20), "SE", "903 25"), (Parcel(900, 30, 20, 10), "GB", "ZE1 0AA")]
    total = sum(surcharge.total_cents(quote(p, country), country, code) for p, country, code in parcels)
    assert total == 3_713
