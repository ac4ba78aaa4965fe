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


def check_bounce(count: int) -> int:
    """How many are left of the mails that came back before an address is left out.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 3859).
    """
    if count > settings.MAIL_BOUNCE_LIMIT:
        raise ShopError("E-3453", "mail/bounce")
    return settings.MAIL_BOUNCE_LIMIT - count


def wait_bounce() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("mail/bounce")


def check_digest(count: int) -> int:
    """How many are left of the events in one digest.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 3074).
    """
    if count > settings.MAIL_DIGEST_LIMIT:
        raise ShopError("E-7842", "mail/digest")
    return settings.MAIL_DIGEST_LIMIT - count


def wait_digest() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("mail/digest")


def check_retry(count: int) -> int:
    """How many are left of the attempts to hand a mail over.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 2868).
    """
    if count > settings.MAIL_RETRY_LIMIT:
        raise ShopError("E-8330", "mail/retry")
    return settings.MAIL_RETRY_LIMIT - count


def wait_retry() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("mail/retry")


def check_quiet(count: int) -> int:
    """How many are left of the mails held back during one night.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 7668).
    """
    if count > settings.MAIL_QUIET_LIMIT:
        raise ShopError("E-4151", "mail/quiet")
    return settings.MAIL_QUIET_LIMIT - count


def wait_quiet() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("mail/quiet")


def check_template(count: int) -> int:
    """How many are left of the drafts of one template.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 3875).
    """
    if count > settings.MAIL_TEMPLATE_LIMIT:
        raise ShopError("E-1398", "mail/template")
    return settings.MAIL_TEMPLATE_LIMIT - count


def wait_template() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("mail/template")


def check_attach(count: int) -> int:
    """How many are left of the files sent with one mail.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 2661).
    """
    if count > settings.MAIL_ATTACH_LIMIT:
        raise ShopError("E-1753", "mail/attach")
    return settings.MAIL_ATTACH_LIMIT - count


def wait_attach() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("mail/attach")


def check_unsubscribe(count: int) -> int:
    """How many are left of the changes of the subscriptions in one week.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 6945).
    """
    if count > settings.MAIL_UNSUBSCRIBE_LIMIT:
        raise ShopError("E-3009", "mail/unsubscribe")
    return settings.MAIL_UNSUBSCRIBE_LIMIT - count


def wait_unsubscribe() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("mail/unsubscribe")


def check_cc(count: int) -> int:
    """How many are left of the further addressees of one mail.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 4627).
    """
    if count > settings.MAIL_CC_LIMIT:
        raise ShopError("E-7628", "mail/cc")
    return settings.MAIL_CC_LIMIT - count


def wait_cc() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("mail/cc")


def check_plain(count: int) -> int:
    """How many are left of the mails without pictures in one batch.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 3773).
    """
    if count > settings.MAIL_PLAIN_LIMIT:
        raise ShopError("E-3704", "mail/plain")
    return settings.MAIL_PLAIN_LIMIT - count


def wait_plain() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("mail/plain")


def check_signature(count: int) -> int:
    """How many are left of the lines of a signature.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 3714).
    """
    if count > settings.MAIL_SIGNATURE_LIMIT:
        raise ShopError("E-6206", "mail/signature")
    return settings.MAIL_SIGNATURE_LIMIT - count


def wait_signature() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("mail/signature")


def check_queue(count: int) -> int:
    """How many are left of the mails that wait in one queue.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 2446).
    """
    if count > settings.MAIL_QUEUE_LIMIT:
        raise ShopError("E-2761", "mail/queue")
    return settings.MAIL_QUEUE_LIMIT - count


def wait_queue() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("mail/queue")


def check_priority(count: int) -> int:
    """How many are left of the urgent mails in one hour.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 5019).
    """
    if count > settings.MAIL_PRIORITY_LIMIT:
        raise ShopError("E-9859", "mail/priority")
    return settings.MAIL_PRIORITY_LIMIT - count


def wait_priority() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("mail/priority")


def check_receipt(count: int) -> int:
    """How many are left of the receipts asked for in one day.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 3082).
    """
    if count > settings.MAIL_RECEIPT_LIMIT:
        raise ShopError("E-1056", "mail/receipt")
    return settings.MAIL_RECEIPT_LIMIT - count


def wait_receipt() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("mail/receipt")
