"""Rules of the order system about comments."""

from shop import settings
from shop.errors import ShopError
from shop.waits import wait_seconds


def check_length(count: int) -> int:
    """How many are left of the paragraphs in one comment.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 3219).
    """
    if count > settings.COMMENT_LENGTH_LIMIT:
        raise ShopError("E-7126", "comment/length")
    return settings.COMMENT_LENGTH_LIMIT - count


def wait_length() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("comment/length")


def check_links(count: int) -> int:
    """How many are left of the links in one comment.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 6602).
    """
    if count > settings.COMMENT_LINKS_LIMIT:
        raise ShopError("E-9602", "comment/links")
    return settings.COMMENT_LINKS_LIMIT - count


def wait_links() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("comment/links")


def check_quoting(count: int) -> int:
    """How many are left of the levels of quotation.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 7684).
    """
    if count > settings.COMMENT_QUOTING_LIMIT:
        raise ShopError("E-9207", "comment/quoting")
    return settings.COMMENT_QUOTING_LIMIT - count


def wait_quoting() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("comment/quoting")
