"""What a parcel is billed for.

The carrier bills the larger of two figures: what the parcel weighs, and what a parcel of its size
would weigh at the density the vans are planned for (its "volumetric" weight). The larger one is then
rounded up to a full step, so that a parcel of 1,010 g does not cost the same as one of 1,000 g.

The order matters: first compare, then round. Rounding both and comparing afterwards gives the same
result for most parcels and a wrong one for flat, light ones; this was a bug until release 3.2.
"""

from parcelkit.errors import ParcelError
from parcelkit.parcel import Parcel

# Cubic centimetres for a kilogram. The smaller the number, the dearer a bulky parcel.
VOLUMETRIC_DIVISOR = 5000

# Billed weights are multiples of this many grams.
WEIGHT_STEP_G = 1000

# Above this the parcel is freight: another contract, another depot, another library.
HEAVIEST_G = 31_500

# The longest side, and length plus girth, that the sorting belt takes.
LONGEST_SIDE_CM = 150
LONGEST_GIRTH_CM = 300


def volumetric_g(parcel: Parcel) -> int:
    """Grams a parcel of this size would weigh at the planned density, rounded down.

    The carrier truncates here and rounds up later; both are checked by its billing system, so the
    two must not be merged into one rounding.
    """
    return parcel.volume_cm3 * 1000 // VOLUMETRIC_DIVISOR


def billed_g(parcel: Parcel) -> int:
    """Grams the carrier bills: the larger of real and volumetric weight, rounded up to a step.

    Raises `ParcelError` W-201 for a parcel that the sorting belt does not take and W-202 for one that
    is freight. The real weight decides what is freight; a large, light parcel is merely dear.
    """
    check_size(parcel)
    if parcel.weight_g > HEAVIEST_G:
        raise ParcelError("W-202", f"{parcel.weight_g} g is freight")
    grams = max(parcel.weight_g, volumetric_g(parcel))
    return round_up(grams, WEIGHT_STEP_G)


def is_bulky(parcel: Parcel) -> bool:
    """Does the size decide the price, and not the weight? The shop shows a hint then."""
    return volumetric_g(parcel) > parcel.weight_g


def check_size(parcel: Parcel) -> None:
    """Refuse what the sorting belt does not take."""
    sides = sorted((parcel.length_cm, parcel.width_cm, parcel.height_cm))
    girth = sides[2] + 2 * (sides[0] + sides[1])
    if sides[2] > LONGEST_SIDE_CM or girth > LONGEST_GIRTH_CM:
        raise ParcelError("W-201", f"{sides[2]} cm long, {girth} cm around: too large for the belt")


def round_up(grams: int, step: int) -> int:
    """The next multiple of `step` that is not below `grams`."""
    return -(-grams // step) * step
