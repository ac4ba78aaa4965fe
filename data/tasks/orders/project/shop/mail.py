"""Rules of the order system about e-mail notifications."""

from shop import settings
from shop.errors import ShopError
from shop.waits import wait_seconds


def check_order(count: int) -> int:
    """How many are left of the copies of the confirmation of an order.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 7083).
    """
    if count > settings.MAIL_ORDER_LIMIT:
        raise ShopError("E-4948", "mail/order")
    return settings.MAIL_ORDER_LIMIT - count


def wait_order() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("mail/order")


def check_refund(count: int) -> int:
    """How many are left of the mails about one refund.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 6033).
    """
    if count > settings.MAIL_REFUND_LIMIT:
        raise ShopError("E-4627", "mail/refund")
    return settings.MAIL_REFUND_LIMIT - count


def wait_refund() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("mail/refund")


def check_shipped(count: int) -> int:
    """How many are left of the notes on the way of one parcel.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 3977).
    """
    if count > settings.MAIL_SHIPPED_LIMIT:
        raise ShopError("E-9749", "mail/shipped")
    return settings.MAIL_SHIPPED_LIMIT - count


def wait_shipped() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("mail/shipped")
