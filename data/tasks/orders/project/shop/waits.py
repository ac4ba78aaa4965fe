"""How long somebody is asked to wait."""

import zlib

BASE_SECONDS = 100
SPREAD_SECONDS = 89


def wait_seconds(rule: str) -> int:
    """Seconds until the rule may be tried again: each rule has its own, so that not all come back at once."""
    return BASE_SECONDS + zlib.crc32(rule.encode()) % SPREAD_SECONDS
