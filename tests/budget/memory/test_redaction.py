"""Secrets and personal data are taken out on the way in; what is none stays."""

from __future__ import annotations

import sys
import time

import pytest

from opencollab_nb.budget.memory import Kept, MemoryStore, Refused
from opencollab_nb.budget.memory.redaction import redacted

SECRETS = {
    "github": ("pushed with ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8 today", "a1B2c3D4"),
    "aws": ("id AKIAIOSFODNN7EXAMPLE here", "AKIAIOSF"),
    "aws secret, bare": ("it is wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY now", "K7MDENG"),
    "in an address": ("postgres://shop:hunter2@db/x", "hunter2"),
    "jwt": ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV", "SflKx"),
    "private key": (
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIB\nAAKC\n-----END RSA PRIVATE KEY-----",
        "MIIEow",
    ),
    "private key, cut off": ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNza", "b3Blbn"),
    "slack": ("xoxb-123456789012-123456789012-abcdefghijklmnopqrstuvwx", "abcdefghij"),
    "stripe": ("sk_live_4eC39HqLyjWDarjtT1zdp7dc", "4eC39Hq"),
    "npm": ("npm_abcdefghijklmnopqrstuvwxyz0123456789", "abcdefgh"),
    "password, assigned": ("PASSWORD=abc123 make run", "abc123"),
    "password, said": ("the staging password is swordfish.", "swordfish"),
    "password, with a colon": ("password: hunter2 for staging", "hunter2"),
    "password, quoted": ('DB_PASSWORD = "correct horse"', "correct"),
    "password, in german": ("Passwort ist geheim1", "geheim1"),
    "password, in chinese": ("密码：hunter22", "hunter22"),
    "bearer": ("Authorization: Bearer abcdefghijklmnop1234", "abcdefgh"),
    "cookie": ("Set-Cookie: session=abc123def456ghi789", "abc123"),
    "hexadecimal": ("key d41d8cd98f00b204e9800998ecf8427e", "d41d8cd9"),
    "e-mail": ("write to ann.b+c@mail.example.co.uk", "ann.b"),
    "phone": ("call +44 20 7946 0958", "7946"),
    "phone, american": ("call (415) 555-2671 or 415-555-2671", "2671"),
    "social security": ("her number is 123-45-6789", "6789"),
    "card": ("paid by 4111 1111 1111 1111", "4111"),
    "account": ("from DE89 3704 0044 0532 0130 00", "3704"),
}
NO_SECRETS = (
    "commit 3f786850e387550fdab836ed7e6dc881de23001b fixed it",
    "in opencollab_nb/session/next_request.py and tests/shaping/test_AutoCompactShaper2.py",
    "see https://github.com/owner/RepoName1/blob/main/src/App/LoginController2.ts#L10",
    "git@github.com:org/repo.git",
    "on 2026-11-30 version 1.2.3.4 took 1234567890 ns; pid 12345678901234",
    "the password policy: must be hashed with bcrypt",
    "the token budget is 64000; the token is spent",
    "password: ${DB_PASSWORD}",
    "key-signature-verification-module-is-slow",
    "test_password_reset = fails",
    "uuid 123e4567-e89b-12d3-a456-426614174000",
    "card 4111 1111 1111 1112 has a wrong check digit",
    "parts 000-12-3456 and 123-45-67890",
)


@pytest.mark.parametrize("case", SECRETS)
def test_a_secret_is_taken_out(case: str) -> None:
    text, piece = SECRETS[case]
    clean, sorts = redacted(text)
    assert piece not in clean
    assert "[redacted " in clean
    assert sorts


@pytest.mark.parametrize("text", NO_SECRETS)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redacted(text) == (text, ())


def test_redacting_twice_changes_nothing_more() -> None:
    for text, _ in SECRETS.values():
        once = redacted(text)[0]
        assert redacted(once)[0] == once


def test_only_the_secret_goes() -> None:
    assert redacted("Use PASSWORD=abc123 for staging, then log out.")[0] == (
        "Use PASSWORD=[redacted password or key] for staging, then log out."
    )


def test_the_store_keeps_the_rest_and_says_what_went() -> None:
    store = MemoryStore(":memory:")
    kept = store.remember(
        "Ask ann@shop.example about the queue.", kind="fact", source="by ben@shop.example", by="user"
    )
    assert isinstance(kept, Kept)
    assert kept.memory.text == "Ask [redacted e-mail address] about the queue."
    assert kept.memory.redacted == ("e-mail address",)
    assert "ben@" not in kept.memory.source
    assert store.forget(source="by ben@shop.example").count == 1


def test_an_id_is_a_source_as_it_is_so_that_two_sessions_are_never_taken_for_one() -> None:
    store = MemoryStore(":memory:")
    for run in ("d41d8cd98f00b204e9800998ecf8427e", "a3f5c9d2e1b04786950c1d2e3f4a5b6c"):
        store.remember(f"run {run[:3]}", kind="fact", source=run, by="user")
    assert store.forget(source="d41d8cd98f00b204e9800998ecf8427e").count == 1
    assert [m.text for m in store.all()] == ["run a3f"]


def test_nothing_but_a_secret_is_refused() -> None:
    refused = MemoryStore(":memory:").remember(SECRETS["private key"][0], kind="fact", source="s", by="user")
    assert isinstance(refused, Refused)
    assert refused.rule == "nothing but a secret"


PIECES = (
    "a",
    "A1b",
    "password",
    "eyJ",
    "a.",
    "@",
    "a@",
    "1 ",
    "'",
    '"',
    'secret="',
    "aws key '",
    "://",
    "DE89 ",
)
MORE_PIECES = ("+1 ", "-----BEGIN PRIVATE KEY", "password: ", " ", "api key ", "\n", "cookie:")


@pytest.mark.parametrize("piece", [*PIECES, *MORE_PIECES])
def test_hostile_texts_take_no_time(piece: str) -> None:
    start = time.perf_counter()
    redacted((piece * 2000)[:2000])
    assert time.perf_counter() - start < 1, "measured: at most 7 ms"


def test_the_settings_of_detect_secrets_are_left_alone() -> None:
    from detect_secrets.settings import get_settings

    before = dict(get_settings().plugins), dict(get_settings().filters)
    redacted("ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")
    assert (dict(get_settings().plugins), dict(get_settings().filters)) == before


def test_the_detectors_are_loaded_with_the_first_text_only() -> None:
    import subprocess

    code = "import sys, opencollab_nb.budget.memory.store; assert 'detect_secrets' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
