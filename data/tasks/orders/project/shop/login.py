"""Rules of the order system about logins."""

from shop import settings
from shop.errors import ShopError
from shop.waits import wait_seconds


def check_lockout(count: int) -> int:
    """How many are left of the wrong passwords in a row before the account is locked.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 6823).
    """
    if count > settings.LOGIN_LOCKOUT_LIMIT:
        raise ShopError("E-3832", "login/lockout")
    return settings.LOGIN_LOCKOUT_LIMIT - count


def wait_lockout() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("login/lockout")


def check_expiry(count: int) -> int:
    """How many are left of the days a password may stay as it is.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 4500).
    """
    if count > settings.LOGIN_EXPIRY_LIMIT:
        raise ShopError("E-2696", "login/expiry")
    return settings.LOGIN_EXPIRY_LIMIT - count


def wait_expiry() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("login/expiry")


def check_remember(count: int) -> int:
    """How many are left of the days a browser is remembered.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 2317).
    """
    if count > settings.LOGIN_REMEMBER_LIMIT:
        raise ShopError("E-4833", "login/remember")
    return settings.LOGIN_REMEMBER_LIMIT - count


def wait_remember() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("login/remember")
