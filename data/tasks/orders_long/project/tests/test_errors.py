from shop.errors import ShopError


def test_a_refusal_names_code_and_rule():
    assert str(ShopError("E-1", "area/rule")) == "E-1 area/rule"
