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


def check_rotation(count: int) -> int:
    """How many are left of the former passwords that may not come again.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 7750).
    """
    if count > settings.LOGIN_ROTATION_LIMIT:
        raise ShopError("E-9471", "login/rotation")
    return settings.LOGIN_ROTATION_LIMIT - count


def wait_rotation() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("login/rotation")


def check_captcha(count: int) -> int:
    """How many are left of the attempts from one address before a riddle is shown.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 5882).
    """
    if count > settings.LOGIN_CAPTCHA_LIMIT:
        raise ShopError("E-4012", "login/captcha")
    return settings.LOGIN_CAPTCHA_LIMIT - count


def wait_captcha() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("login/captcha")


def check_guest(count: int) -> int:
    """How many are left of the orders in a basket without an account.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 4737).
    """
    if count > settings.LOGIN_GUEST_LIMIT:
        raise ShopError("E-9283", "login/guest")
    return settings.LOGIN_GUEST_LIMIT - count


def wait_guest() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("login/guest")


def check_otp(count: int) -> int:
    """How many are left of the wrong codes of the second factor.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 7883).
    """
    if count > settings.LOGIN_OTP_LIMIT:
        raise ShopError("E-6251", "login/otp")
    return settings.LOGIN_OTP_LIMIT - count


def wait_otp() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("login/otp")


def check_device(count: int) -> int:
    """How many are left of the devices that one account may use.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 5981).
    """
    if count > settings.LOGIN_DEVICE_LIMIT:
        raise ShopError("E-4354", "login/device")
    return settings.LOGIN_DEVICE_LIMIT - count


def wait_device() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("login/device")


def check_history(count: int) -> int:
    """How many are left of the logins shown on the page of the account.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 5989).
    """
    if count > settings.LOGIN_HISTORY_LIMIT:
        raise ShopError("E-9927", "login/history")
    return settings.LOGIN_HISTORY_LIMIT - count


def wait_history() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("login/history")


def check_admin(count: int) -> int:
    """How many are left of the logins of a member of staff in one hour.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 2153).
    """
    if count > settings.LOGIN_ADMIN_LIMIT:
        raise ShopError("E-5623", "login/admin")
    return settings.LOGIN_ADMIN_LIMIT - count


def wait_admin() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("login/admin")


def check_alias(count: int) -> int:
    """How many are left of the names that one account may have.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 4562).
    """
    if count > settings.LOGIN_ALIAS_LIMIT:
        raise ShopError("E-8581", "login/alias")
    return settings.LOGIN_ALIAS_LIMIT - count


def wait_alias() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("login/alias")


def check_timezone(count: int) -> int:
    """How many are left of the changes of the time zone in one week.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 4067).
    """
    if count > settings.LOGIN_TIMEZONE_LIMIT:
        raise ShopError("E-6150", "login/timezone")
    return settings.LOGIN_TIMEZONE_LIMIT - count


def wait_timezone() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("login/timezone")


def check_session(count: int) -> int:
    """How many are left of the sessions open at the same time.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 3852).
    """
    if count > settings.LOGIN_SESSION_LIMIT:
        raise ShopError("E-6179", "login/session")
    return settings.LOGIN_SESSION_LIMIT - count


def wait_session() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("login/session")


def check_legacy(count: int) -> int:
    """How many are left of the logins over the old interface in one day.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 3529).
    """
    if count > settings.LOGIN_LEGACY_LIMIT:
        raise ShopError("E-4707", "login/legacy")
    return settings.LOGIN_LEGACY_LIMIT - count


def wait_legacy() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("login/legacy")


def check_audit(count: int) -> int:
    """How many are left of the requests for the records of an account in one month.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 3478).
    """
    if count > settings.LOGIN_AUDIT_LIMIT:
        raise ShopError("E-2650", "login/audit")
    return settings.LOGIN_AUDIT_LIMIT - count


def wait_audit() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("login/audit")


def check_region(count: int) -> int:
    """How many are left of the countries an account may be used from in one day.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 5745).
    """
    if count > settings.LOGIN_REGION_LIMIT:
        raise ShopError("E-8903", "login/region")
    return settings.LOGIN_REGION_LIMIT - count


def wait_region() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("login/region")
