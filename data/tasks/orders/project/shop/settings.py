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

# comment/length: paragraphs in one comment.
# Agreed in review 849; raise it only together with the alarm of the same name.
COMMENT_LENGTH_LIMIT = 60

# comment/links: links in one comment.
# Agreed in review 122; raise it only together with the alarm of the same name.
COMMENT_LINKS_LIMIT = 60

# comment/quoting: levels of quotation.
# Agreed in review 245; raise it only together with the alarm of the same name.
COMMENT_QUOTING_LIMIT = 73

# mail/order: copies of the confirmation of an order.
# Agreed in review 191; raise it only together with the alarm of the same name.
MAIL_ORDER_LIMIT = 92

# mail/refund: mails about one refund.
# Agreed in review 379; raise it only together with the alarm of the same name.
MAIL_REFUND_LIMIT = 87

# mail/shipped: notes on the way of one parcel.
# Agreed in review 682; raise it only together with the alarm of the same name.
MAIL_SHIPPED_LIMIT = 67
