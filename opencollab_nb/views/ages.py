"""Ages on a line: `30d`, `12h`, `2w`."""

from __future__ import annotations

import re
from datetime import timedelta

from opencollab_nb.views.lines import Kind

_AGE = re.compile(r"(\d{1,6})\s*([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def read_age(text: str) -> timedelta:
    """The span that a text names.

    Raises:
        ValueError: it names none.

    >>> read_age("30d"), read_age("36h")
    (datetime.timedelta(days=30), datetime.timedelta(days=1, seconds=43200))
    """
    found = _AGE.fullmatch(text.strip())
    if found is None:
        raise ValueError(text)
    return timedelta(**{_UNITS[found[2]]: int(found[1])})


AGE = Kind("an age such as 30d, 12h or 2w", read_age)
