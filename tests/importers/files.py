"""Files for tests of importers, made in memory."""

from __future__ import annotations

import json
from typing import Any

from opencollab_nb.importers.source import Held, Source


def lines(*values: Any) -> Source:
    """A file with one JSON value on each line; text is put there as it is."""
    texts = [value if isinstance(value, str) else json.dumps(value) for value in values]
    return Source(Held("\n".join(texts).encode(), "lines.jsonl"))


def whole(value: Any) -> Source:
    """A file that is one JSON value."""
    return Source(Held(json.dumps(value, indent=1).encode(), "whole.json"))


def raw(data: bytes | str, name: str = "raw") -> Source:
    """A file of these bytes."""
    return Source(Held(data.encode() if isinstance(data, str) else data, name))
