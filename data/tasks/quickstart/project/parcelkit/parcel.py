"""One parcel, as the packing bench measures it."""

from dataclasses import dataclass

from parcelkit.errors import ParcelError


@dataclass(frozen=True)
class Parcel:
    """Weight in grams, sides in centimetres."""

    weight_g: int
    length_cm: int
    width_cm: int
    height_cm: int

    def __post_init__(self) -> None:
        if min(self.weight_g, self.length_cm, self.width_cm, self.height_cm) <= 0:
            raise ParcelError("P-100", "every measure must be more than zero")

    @property
    def volume_cm3(self) -> int:
        """The space it takes in the van."""
        return self.length_cm * self.width_cm * self.height_cm
