"""What the shop shows to the customer."""


class ParcelError(Exception):
    """A parcel that cannot be sent as it is; `code` is what support looks up."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(f"{code} {text}")
        self.code = code
