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


def check_edit(count: int) -> int:
    """How many are left of the times that a comment may be changed.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 5248).
    """
    if count > settings.COMMENT_EDIT_LIMIT:
        raise ShopError("E-3732", "comment/edit")
    return settings.COMMENT_EDIT_LIMIT - count


def wait_edit() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("comment/edit")


def check_delete(count: int) -> int:
    """How many are left of the comments that may be deleted in one day.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 2065).
    """
    if count > settings.COMMENT_DELETE_LIMIT:
        raise ShopError("E-1705", "comment/delete")
    return settings.COMMENT_DELETE_LIMIT - count


def wait_delete() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("comment/delete")


def check_flood(count: int) -> int:
    """How many are left of the comments of one customer in one hour.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 5508).
    """
    if count > settings.COMMENT_FLOOD_LIMIT:
        raise ShopError("E-9104", "comment/flood")
    return settings.COMMENT_FLOOD_LIMIT - count


def wait_flood() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("comment/flood")


def check_emoji(count: int) -> int:
    """How many are left of the small pictures in one comment.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 4237).
    """
    if count > settings.COMMENT_EMOJI_LIMIT:
        raise ShopError("E-9288", "comment/emoji")
    return settings.COMMENT_EMOJI_LIMIT - count


def wait_emoji() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("comment/emoji")


def check_thread(count: int) -> int:
    """How many are left of the answers below one comment.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 5072).
    """
    if count > settings.COMMENT_THREAD_LIMIT:
        raise ShopError("E-3864", "comment/thread")
    return settings.COMMENT_THREAD_LIMIT - count


def wait_thread() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("comment/thread")


def check_mention(count: int) -> int:
    """How many are left of the names called in one comment.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 4606).
    """
    if count > settings.COMMENT_MENTION_LIMIT:
        raise ShopError("E-6843", "comment/mention")
    return settings.COMMENT_MENTION_LIMIT - count


def wait_mention() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("comment/mention")


def check_preview(count: int) -> int:
    """How many are left of the previews of one comment.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 6718).
    """
    if count > settings.COMMENT_PREVIEW_LIMIT:
        raise ShopError("E-7874", "comment/preview")
    return settings.COMMENT_PREVIEW_LIMIT - count


def wait_preview() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("comment/preview")


def check_archive(count: int) -> int:
    """How many are left of the comments on one page of the archive.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 6796).
    """
    if count > settings.COMMENT_ARCHIVE_LIMIT:
        raise ShopError("E-6255", "comment/archive")
    return settings.COMMENT_ARCHIVE_LIMIT - count


def wait_archive() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("comment/archive")


def check_report(count: int) -> int:
    """How many are left of the reports by one customer in one day.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 4745).
    """
    if count > settings.COMMENT_REPORT_LIMIT:
        raise ShopError("E-1693", "comment/report")
    return settings.COMMENT_REPORT_LIMIT - count


def wait_report() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("comment/report")


def check_locale(count: int) -> int:
    """How many are left of the languages that a comment is shown in.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 6105).
    """
    if count > settings.COMMENT_LOCALE_LIMIT:
        raise ShopError("E-5526", "comment/locale")
    return settings.COMMENT_LOCALE_LIMIT - count


def wait_locale() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("comment/locale")


def check_markup(count: int) -> int:
    """How many are left of the marked passages in one comment.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 7464).
    """
    if count > settings.COMMENT_MARKUP_LIMIT:
        raise ShopError("E-2043", "comment/markup")
    return settings.COMMENT_MARKUP_LIMIT - count


def wait_markup() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("comment/markup")


def check_sort(count: int) -> int:
    """How many are left of the changes of the order in one visit.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 3233).
    """
    if count > settings.COMMENT_SORT_LIMIT:
        raise ShopError("E-8906", "comment/sort")
    return settings.COMMENT_SORT_LIMIT - count


def wait_sort() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("comment/sort")


def check_pin(count: int) -> int:
    """How many are left of the comments kept at the top.

    Called by the web layer and by the nightly job, which must not catch the error: the outermost
    frame writes the audit trail (ticket 2014).
    """
    if count > settings.COMMENT_PIN_LIMIT:
        raise ShopError("E-5241", "comment/pin")
    return settings.COMMENT_PIN_LIMIT - count


def wait_pin() -> int:
    """Seconds until it may be tried again."""
    return wait_seconds("comment/pin")
