"""Secrets in a text, found by the detectors of detect-secrets and a few rules beside them.

The detectors are used one by one, without the library's settings: those belong to the whole process, and
its filters and verification (which would send a secret to its provider) are for scanning files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from itertools import pairwise
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

LEAST_CHANGES_RATIO = 0.3
"""Of neighbours, how many differ in kind (small, capital, digit): 0.6 in random text, 0.2 in paths."""

_KEY_BLOCK = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY( BLOCK)?-----.*?(-----END [A-Z0-9 ]{0,40}-----|\Z)", re.DOTALL
)
_BEARER = re.compile(r"(?i)\b(?:bearer|basic|token)\s+([A-Za-z0-9._~+/=-]{16,})")
_COOKIE = re.compile(r"(?i)\b(?:set-)?cookie\s*:\s*([^\n]+)")
_TOKEN_FORM = re.compile(
    r"\b(?:sk|pk|rk|xox[abeprs]|gh[opsur]|glpat|hf|npm|pypi|AIza)[_-]?(?=[\w-]*[A-Z0-9])[A-Za-z0-9][\w-]{18,}"
)
_WORDS_FOR_IT = r"pass(?:word|wd|phrase|code)|\bpwd|kennwort|passwort|mot de passe|contraseña|密码|パスワード"
_NAMES = rf"{_WORDS_FOR_IT}|secret|(?:api|auth|access|private)[ _-]?(?:key|token)|\btoken|credentials?"
_VALUE = r"(?:([\"'`])([^\n]{1,200}?)\2|([^\s\"'`]+))"
_ASSIGNED = re.compile(
    rf"(?i)(?:{_NAMES})(\w{{0,40}})[\"'`]?\s{{0,3}}(?:=>|:=|={{1,3}}|[:：])\s{{0,3}}{_VALUE}"
)
_SAID = re.compile(
    rf"(?i)(?:{_WORDS_FOR_IT})(\w{{0,40}})\s{{0,3}}(?:\bis\b|\bwas\b|\bist\b|是)\s{{0,3}}{_VALUE}"
)
_NO_SECRET = re.compile(r"\$\{?\w+\}?|<[^>]+>|os\.environ\S*|\*+|\.{3}|None|null|\[redacted.*")
_RUN = re.compile(r"(?<![\w+/=.-])[A-Za-z0-9+/_-]{24,}={0,2}(?![\w+/=-])")
_HEX = re.compile(r"(?i)(?<![0-9a-z])(?:0x)?[0-9a-f]{32,}(?![0-9a-z])")
_TOKEN_REST = re.compile(r"[\w+/=.~-]*")


def credentials(text: str) -> Iterator[Found]:
    """Where secrets stand, in no order; spans may overlap."""
    for found in _KEY_BLOCK.finditer(text):
        yield *found.span(), "private key"
    yield from _by_form(text)
    yield from _by_entropy(text)
    for pattern in (_BEARER, _COOKIE):
        for found in pattern.finditer(text):
            yield *found.span(1), "token"
    for found in _TOKEN_FORM.finditer(text):
        yield *found.span(), "token"
    for pattern in (_ASSIGNED, _SAID):
        for found in pattern.finditer(text):
            if _is_a_value(found, text):
                yield *found.span(3 if found[3] else 4), "password or key"


def _by_form(text: str) -> Iterator[Found]:
    for detector in _detectors():
        # The detectors name what they matched by a group of the pattern, for some only a prefix of the
        # secret; where it stands is told by the pattern itself.
        if next(detector.analyze_string(text), None) is None:
            continue
        for pattern in detector.denylist:
            for found in pattern.finditer(text):
                yield found.start(), _end(found, text), detector.secret_type


def _end(found: re.Match[str], text: str) -> int:
    """Where the run of characters ends whose beginning a pattern matched; a full stop is none of it."""
    end = found.end()
    rest = _TOKEN_REST.match(text, end)
    if rest is None or not (found[0][-1:].isalnum() or found[0][-1:] == "."):
        return end
    return end + len(rest[0].rstrip("."))


def _by_entropy(text: str) -> Iterator[Found]:
    base64, hexadecimal = _entropy()
    for detector in (base64, hexadecimal):
        for found in detector.regex.finditer(text):
            high = detector.calculate_shannon_entropy(found[2]) > detector.entropy_limit
            if high and len(found[2]) != COMMIT_CHARS:
                yield *found.span(2), "high-entropy string"
    for found in _RUN.finditer(text):
        if _changes_ratio(found[0]) >= LEAST_CHANGES_RATIO and any(map(str.isdigit, found[0])):
            yield *found.span(), "high-entropy string"
    for found in _HEX.finditer(text):
        if len(found[0]) != COMMIT_CHARS and not found[0].isdigit() and not found[0].isalpha():
            yield *found.span(), "high-entropy string"


def _changes_ratio(text: str) -> float:
    kinds = ["0" if c.isdigit() else "A" if c.isupper() else "a" for c in text if c.isalnum()]
    if len(set(kinds)) < 3:
        return 0.0
    return sum(a != b for a, b in pairwise(kinds)) / len(kinds)


def _is_a_value(found: re.Match[str], text: str) -> bool:
    """`password: must be hashed` is a rule, `password: x7` and `password: swordfish` are secrets."""
    suffix, _, quoted, bare = found.groups()
    if _NO_SECRET.fullmatch(quoted or bare):
        return False
    last = not text[found.end() :].split("\n", 1)[0].strip(" .,;)]}")
    return bool(quoted) or (last and not suffix) or bool(re.search(r"\d|[^\w.,;:!?()-]", bare))


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
