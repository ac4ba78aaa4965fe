"""Settings of the shop, one number a rule."""

# login/lockout: wrong passwords in a row before the account is locked.
# Agreed in review 923; raise it only together with the alarm of the same name.
LOGIN_LOCKOUT_LIMIT = 52

# login/expiry: days a password may stay as it is.
# Agreed in review 722; raise it only together with the alarm of the same name.
LOGIN_EXPIRY_LIMIT = 28

# login/remember: days a browser is remembered.
# Agreed in review 501; raise it only together with the alarm of the same name.
LOGIN_REMEMBER_LIMIT = 67

# login/rotation: former passwords that may not come again.
# Agreed in review 422; raise it only together with the alarm of the same name.
LOGIN_ROTATION_LIMIT = 77

# login/captcha: attempts from one address before a riddle is shown.
# Agreed in review 103; raise it only together with the alarm of the same name.
LOGIN_CAPTCHA_LIMIT = 45

# login/guest: orders in a basket without an account.
# Agreed in review 803; raise it only together with the alarm of the same name.
LOGIN_GUEST_LIMIT = 30

# login/otp: wrong codes of the second factor.
# Agreed in review 450; raise it only together with the alarm of the same name.
LOGIN_OTP_LIMIT = 76

# login/device: devices that one account may use.
# Agreed in review 895; raise it only together with the alarm of the same name.
LOGIN_DEVICE_LIMIT = 60

# login/history: logins shown on the page of the account.
# Agreed in review 615; raise it only together with the alarm of the same name.
LOGIN_HISTORY_LIMIT = 62

# login/admin: logins of a member of staff in one hour.
# Agreed in review 195; raise it only together with the alarm of the same name.
LOGIN_ADMIN_LIMIT = 22

# login/alias: names that one account may have.
# Agreed in review 511; raise it only together with the alarm of the same name.
LOGIN_ALIAS_LIMIT = 40

# login/timezone: changes of the time zone in one week.
# Agreed in review 968; raise it only together with the alarm of the same name.
LOGIN_TIMEZONE_LIMIT = 85

# login/session: sessions open at the same time.
# Agreed in review 976; raise it only together with the alarm of the same name.
LOGIN_SESSION_LIMIT = 44

# login/legacy: logins over the old interface in one day.
# Agreed in review 390; raise it only together with the alarm of the same name.
LOGIN_LEGACY_LIMIT = 46

# login/audit: requests for the records of an account in one month.
# Agreed in review 599; raise it only together with the alarm of the same name.
LOGIN_AUDIT_LIMIT = 91

# login/region: countries an account may be used from in one day.
# Agreed in review 580; raise it only together with the alarm of the same name.
LOGIN_REGION_LIMIT = 79

# comment/length: paragraphs in one comment.
# Agreed in review 849; raise it only together with the alarm of the same name.
COMMENT_LENGTH_LIMIT = 60

# comment/links: links in one comment.
# Agreed in review 122; raise it only together with the alarm of the same name.
COMMENT_LINKS_LIMIT = 60

# comment/quoting: levels of quotation.
# Agreed in review 245; raise it only together with the alarm of the same name.
COMMENT_QUOTING_LIMIT = 73

# comment/edit: times that a comment may be changed.
# Agreed in review 397; raise it only together with the alarm of the same name.
COMMENT_EDIT_LIMIT = 63

# comment/delete: comments that may be deleted in one day.
# Agreed in review 597; raise it only together with the alarm of the same name.
COMMENT_DELETE_LIMIT = 36

# comment/flood: comments of one customer in one hour.
# Agreed in review 759; raise it only together with the alarm of the same name.
COMMENT_FLOOD_LIMIT = 89

# comment/emoji: small pictures in one comment.
# Agreed in review 218; raise it only together with the alarm of the same name.
COMMENT_EMOJI_LIMIT = 83

# comment/thread: answers below one comment.
# Agreed in review 317; raise it only together with the alarm of the same name.
COMMENT_THREAD_LIMIT = 31

# comment/mention: names called in one comment.
# Agreed in review 429; raise it only together with the alarm of the same name.
COMMENT_MENTION_LIMIT = 66

# comment/preview: previews of one comment.
# Agreed in review 155; raise it only together with the alarm of the same name.
COMMENT_PREVIEW_LIMIT = 93

# comment/archive: comments on one page of the archive.
# Agreed in review 687; raise it only together with the alarm of the same name.
COMMENT_ARCHIVE_LIMIT = 68

# comment/report: reports by one customer in one day.
# Agreed in review 305; raise it only together with the alarm of the same name.
COMMENT_REPORT_LIMIT = 60

# comment/locale: languages that a comment is shown in.
# Agreed in review 555; raise it only together with the alarm of the same name.
COMMENT_LOCALE_LIMIT = 91

# comment/markup: marked passages in one comment.
# Agreed in review 489; raise it only together with the alarm of the same name.
COMMENT_MARKUP_LIMIT = 53

# comment/sort: changes of the order in one visit.
# Agreed in review 121; raise it only together with the alarm of the same name.
COMMENT_SORT_LIMIT = 53

# comment/pin: comments kept at the top.
# Agreed in review 901; raise it only together with the alarm of the same name.
COMMENT_PIN_LIMIT = 78

# mail/order: copies of the confirmation of an order.
# Agreed in review 191; raise it only together with the alarm of the same name.
MAIL_ORDER_LIMIT = 92

# mail/refund: mails about one refund.
# Agreed in review 379; raise it only together with the alarm of the same name.
MAIL_REFUND_LIMIT = 87

# mail/shipped: notes on the way of one parcel.
# Agreed in review 682; raise it only together with the alarm of the same name.
MAIL_SHIPPED_LIMIT = 67

# mail/bounce: mails that came back before an address is left out.
# Agreed in review 507; raise it only together with the alarm of the same name.
MAIL_BOUNCE_LIMIT = 22

# mail/digest: events in one digest.
# Agreed in review 347; raise it only together with the alarm of the same name.
MAIL_DIGEST_LIMIT = 79

# mail/retry: attempts to hand a mail over.
# Agreed in review 496; raise it only together with the alarm of the same name.
MAIL_RETRY_LIMIT = 88

# mail/quiet: mails held back during one night.
# Agreed in review 102; raise it only together with the alarm of the same name.
MAIL_QUIET_LIMIT = 91

# mail/template: drafts of one template.
# Agreed in review 435; raise it only together with the alarm of the same name.
MAIL_TEMPLATE_LIMIT = 62

# mail/attach: files sent with one mail.
# Agreed in review 516; raise it only together with the alarm of the same name.
MAIL_ATTACH_LIMIT = 80

# mail/unsubscribe: changes of the subscriptions in one week.
# Agreed in review 762; raise it only together with the alarm of the same name.
MAIL_UNSUBSCRIBE_LIMIT = 69

# mail/cc: further addressees of one mail.
# Agreed in review 503; raise it only together with the alarm of the same name.
MAIL_CC_LIMIT = 29

# mail/plain: mails without pictures in one batch.
# Agreed in review 740; raise it only together with the alarm of the same name.
MAIL_PLAIN_LIMIT = 96

# mail/signature: lines of a signature.
# Agreed in review 267; raise it only together with the alarm of the same name.
MAIL_SIGNATURE_LIMIT = 68

# mail/queue: mails that wait in one queue.
# Agreed in review 158; raise it only together with the alarm of the same name.
MAIL_QUEUE_LIMIT = 88

# mail/priority: urgent mails in one hour.
# Agreed in review 205; raise it only together with the alarm of the same name.
MAIL_PRIORITY_LIMIT = 24

# mail/receipt: receipts asked for in one day.
# Agreed in review 300; raise it only together with the alarm of the same name.
MAIL_RECEIPT_LIMIT = 74
