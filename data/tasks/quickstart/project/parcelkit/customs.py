"""When a parcel needs a customs declaration, and what may stand in it.

Inside the customs union nothing is declared. Outside it, a declaration is needed from a certain value
of the goods on, and the carrier's gateway refuses a description that is too long for its form: it does
not shorten it, it sends the parcel back. Both limits are the gateway's; the authorities' own are wider.
"""

from parcelkit.errors import ParcelError

UNION = frozenset("SE DK FI DE NL BE FR PL EE LV LT IE ES IT AT PT".split())

# Value of the goods, in cents, from which the gateway asks for a declaration.
DECLARE_FROM_CENTS = 10_000

# Characters of the description that the gateway takes.
DESCRIPTION_CHARS = 60

# Words that say nothing; the authorities open a parcel that is declared as one of them.
EMPTY_WORDS = frozenset({"gift", "goods", "merchandise", "parts", "sample", "samples", "various"})


def needs_declaration(country: str, value_cents: int) -> bool:
    """Is a declaration needed for goods of this value to this country?"""
    if country.upper() in UNION:
        return False
    return value_cents >= DECLARE_FROM_CENTS


def described(text: str) -> str:
    """The description as the gateway takes it: single blanks, cut after a whole word.

    Raises `ParcelError` C-601 where nothing is left that says what the goods are.
    """
    words = text.split()
    if not [word for word in words if word.lower() not in EMPTY_WORDS]:
        raise ParcelError("C-601", f"{text!r} does not say what is in the parcel")
    kept = ""
    for word in words:
        longer = f"{kept} {word}".strip()
        if len(longer) > DESCRIPTION_CHARS:
            break
        kept = longer
    return kept or words[0][:DESCRIPTION_CHARS]


def declaration(country: str, value_cents: int, text: str) -> dict[str, object] | None:
    """The form for the gateway, or None where none is needed."""
    if not needs_declaration(country, value_cents):
        return None
    return {"country": country.upper(), "value_cents": value_cents, "description": described(text)}
