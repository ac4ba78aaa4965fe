"""What the shop refuses."""


class ShopError(Exception):
    """A refusal, with the code that support asks for."""

    def __init__(self, code: str, rule: str) -> None:
        super().__init__(f"{code} {rule}")
        self.code, self.rule = code, rule
