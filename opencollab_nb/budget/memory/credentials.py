"""Secrets in a text, found by the detectors of detect-secrets and a few rules beside them.

The detectors are used one by one, without the library's settings: those belong to the whole process, and
its filters and verification (which would send a secret to its provider) are for scanning files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from typing import Any

Found = tuple[int, int, str]
"""Start, end and sort."""

DETECTORS = {
    "artifactory": "ArtifactoryDetector",
    "aws": "AWSKeyDetector",
    "azure_storage_key": "AzureStorageKeyDetector",
    "basic_auth": "BasicAuthDetector",
    "cloudant": "CloudantDetector",
    "discord": "DiscordBotTokenDetector",
    "github_token": "GitHubTokenDetector",
    "gitlab_token": "GitLabTokenDetector",
    "ibm_cloud_iam": "IbmCloudIamDetector",
    "ibm_cos_hmac": "IbmCosHmacDetector",
    "jwt": "JwtTokenDetector",
    "mailchimp": "MailchimpDetector",
    "npm": "NpmDetector",
    "openai": "OpenAIDetector",
    "private_key": "PrivateKeyDetector",
    "pypi_token": "PypiTokenDetector",
    "sendgrid": "SendGridDetector",
    "slack": "SlackDetector",
    "softlayer": "SoftlayerDetector",
    "square_oauth": "SquareOAuthDetector",
    "stripe": "StripeDetector",
    "telegram_token": "TelegramBotTokenDetector",
    "twilio": "TwilioKeyDetector",
}
"""Those for a service's own form of a key; left out are addresses of machines, which are no secrets."""
ENTROPY = ("Base64HighEntropyString", "HexHighEntropyString")
COMMIT_CHARS = 40
"""A name of a commit is a hexadecimal run of this length, and worth remembering."""

_KEY_BLOCK = re.compile(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----.*?(-----END [A-Z0-9 ]*-----|\Z)", re.DOTALL
)
_BEARER = re.compile(r"(?i)\b(?:bearer|basic|token)\s+([A-Za-z0-9._~+/=-]{16,})")
_TOKEN_FORM = re.compile(
    r"\b(?:sk|pk|rk|key|tok|xox[abprs]|gh[pousr]|glpat|hf|AIza)[_-]?[A-Za-z0-9][\w-]{18,}"
)
_NAMED = re.compile(
    r"(?i)(?:pass(?:word|wd|phrase|code)|\bpwd|secret|(?:api|auth|access|private)[ _-]?(?:key|token)|\btoken"
    r"|credentials?|contraseña|kennwort|passwort|mot de passe|密码|パスワード)"
    r"\w*[\"'`]?\s*(?:=>|:=|={1,3}|[:：]|\bis\b|\bwas\b|\bist\b|是)\s*([\"'`]?)([^\s\"'`]+)\1"
)
_RUN = re.compile(r"(?<![\w+/=.-])[A-Za-z0-9+/_-]{24,}={0,2}(?![\w+/=-])")
_HEX = re.compile(r"(?i)(?<![0-9a-z])[0-9a-f]{32,}(?![0-9a-z])")
_TOKEN_REST = re.compile(r"[\w+/=.~-]*")


def credentials(text: str) -> Iterator[Found]:
    """Where secrets stand, in no order; spans may overlap."""
    for found in _KEY_BLOCK.finditer(text):
        yield *found.span(), "private key"
    yield from _by_form(text)
    yield from _by_entropy(text)
    for found in _BEARER.finditer(text):
        yield *found.span(1), "token"
    for found in _TOKEN_FORM.finditer(text):
        yield *found.span(), "token"
    for found in _NAMED.finditer(text):
        if _is_a_value(found, text):
            yield *found.span(2), "password or key"


def _by_form(text: str) -> Iterator[Found]:
    for detector in _detectors():
        # The detectors name what they matched by a group of the pattern, for some only a prefix of the
        # secret; where it stands is told by the pattern itself.
        if next(detector.analyze_string(text), None) is None:
            continue
        for pattern in detector.denylist:
            for found in pattern.finditer(text):
                rest = _TOKEN_REST.match(text, found.end())
                end = rest.end() if rest and found[0][-1:].isalnum() else found.end()
                yield (
                    found.start(),
                    max(found.end(), end - text[found.end() : end].endswith(".")),
                    (detector.secret_type),
                )


def _by_entropy(text: str) -> Iterator[Found]:
    base64, hexadecimal = _entropy()
    for detector in (base64, hexadecimal):
        for found in detector.regex.finditer(text):
            if detector.calculate_shannon_entropy(found[2]) > detector.entropy_limit:
                yield *found.span(2), "high-entropy string"
    for found in _RUN.finditer(text):
        mixed = all(re.search(one, found[0]) for one in ("[a-z]", "[A-Z]", "[0-9]"))
        if mixed and base64.calculate_shannon_entropy(found[0]) > _UNQUOTED_BITS:
            yield *found.span(), "high-entropy string"
    for found in _HEX.finditer(text):
        if len(found[0]) != COMMIT_CHARS and not found[0].isdigit() and not found[0].isalpha():
            yield *found.span(), "high-entropy string"


_UNQUOTED_BITS = 4.0
"""A random run of 24 characters reaches it nearly always; paths and names of that length stay below."""


def _is_a_value(found: re.Match[str], text: str) -> bool:
    """`password: must be hashed` is a rule, `password: x7` and `password: swordfish` are secrets."""
    value = found[2]
    if value.startswith("[redacted") or re.fullmatch(
        r"\$\{?\w+\}?|<[^>]+>|os\.environ\S*|\*+|\.{3}|None|null", value
    ):
        return False
    after = text[found.end() :].split("\n", 1)[0].strip(" .,;)]}")
    return bool(found[1]) or not after or bool(re.search(r"\d|[^\w.,;:!?()-]", value))


@lru_cache(maxsize=1)
def _detectors() -> tuple[Any, ...]:
    return tuple(
        getattr(import_module(f"detect_secrets.plugins.{module}"), name)()
        for module, name in DETECTORS.items()
    )


@lru_cache(maxsize=1)
def _entropy() -> tuple[Any, Any]:
    module = import_module("detect_secrets.plugins.high_entropy_strings")
    first, second = (getattr(module, name)() for name in ENTROPY)
    return first, second
