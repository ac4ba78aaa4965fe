"""Known key values, struck out of all that is written, shown or handed on.

Known are the values of the environment's variables that are called a key, token, secret or password, a
model's `api_key`, and what the user names with `keep_secret`. Each becomes `[secret NAME]`, also where it
stands as JSON, as part of an address or in base64. A part of a key, or a key that was turned into something
else (reversed, in hexadecimal), is not known.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
import threading
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from opencollab_nb.errors import UsageProblem

LEAST_CHARS = 8
"""A shorter value is a stand-in; what the user names may be shorter."""
LONG_CHARS = 20
"""From here on a value is a secret even without a digit; the longest known stand-in has 18."""
LEAST_NAMED_CHARS = 4
"""A named value below this would be struck out of ordinary words."""
JSON_DEPTH = 3
"""A call's arguments are JSON within the JSON of its line, and may hold JSON."""
INSIDE_BYTES = 16 << 20
"""Of an object of git, how much is looked through."""
ENDINGS = ("KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PAT")
_NAME = re.compile(rf"(?:.*_)?(?:{'|'.join(ENDINGS)})S?\d*", re.IGNORECASE | re.DOTALL)

T = TypeVar("T")


def tells(value: str) -> bool:
    """False for a stand-in such as `x`, `EMPTY` or `not-needed`, which local servers are given.

    Those are words, which may stand in any text; a key is long, and mixed with digits or very long.

    >>> [tells(key) for key in ("test", "not-needed", "sk-no-key-required", "sk-4f9a81c2")]
    [False, False, False, True]
    """
    return len(value) >= LEAST_CHARS and (len(value) >= LONG_CHARS or any(map(str.isdigit, value)))


class Known:
    """Values that must not be seen, each with its name; a value once known stays known.

    >>> known = Known(environ={})
    >>> known.add("DB", "hunter2-hunter2")
    >>> known.struck("psql -W hunter2-hunter2")
    'psql -W [secret DB]'
    """

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        self._environ = os.environ if environ is None else environ
        self._seen: Any = None
        self._names: dict[str, str] = {}
        self._forms: dict[str, str] = {}
        self._raw: list[bytes] = []
        self._texts: list[str] = []
        self._pattern = re.compile("(?!)")
        self._raw_pattern = re.compile(b"(?!)")
        self._lock = threading.Lock()

    def add(self, name: str, value: str) -> None:
        """Strike this value out from now on; the first name that a value is known by stays."""
        value = value.strip()
        with self._lock:
            if not value or value in self._names:
                return
            self._names[value] = re.sub(r"[^A-Za-z0-9_.-]", "_", name)[:60] or "unnamed"
            forms = {form: own for secret, own in self._names.items() for form in forms_of(secret)}
            texts = sorted(forms, key=len, reverse=True)
            self._pattern = re.compile("|".join(map(re.escape, texts)))
            raw = [text.encode("utf-8", "surrogatepass") for text in texts]
            self._raw_pattern = re.compile(b"|".join(map(re.escape, raw)))
            self._forms, self._texts, self._raw = forms, texts, raw

    def look(self) -> None:
        """Take in what the environment holds now; nothing is done where it is as it was."""
        # The mapping itself decodes every name and value at every look, which would be felt at each entry.
        now = getattr(self._environ, "_data", self._environ)
        if now == self._seen:
            return
        self._seen = dict(now)
        for name, value in list(self._environ.items()):
            if _NAME.fullmatch(name) and tells(value.strip()) and not _is_path(value):
                self.add(name, value)

    def struck(self, text: str) -> str:
        """The text with `[secret NAME]` for each known value; the very same text where there is none."""
        self.look()
        if not any(form in text for form in self._texts):
            return text
        return self._pattern.sub(lambda found: f"[secret {self._forms[found[0]]}]", text)

    def struck_bytes(self, data: bytes) -> bytes:
        """The same for bytes: a line of JSON, a file."""
        self.look()
        if not any(form in data for form in self._raw):
            return data
        return self._raw_pattern.sub(self._mark, data)

    def _mark(self, found: re.Match[bytes]) -> bytes:
        return f"[secret {self._forms[found[0].decode('utf-8', 'surrogatepass')]}]".encode()

    def struck_value(self, value: T) -> T:
        """Plain data without known values; the very same where there is none."""
        if isinstance(value, str):
            return self.struck(value)  # type: ignore[return-value]
        if isinstance(value, Mapping):
            pairs = {self.struck_value(key): self.struck_value(part) for key, part in value.items()}
            same = all(a is b for a, b in zip(value.values(), pairs.values(), strict=False))
            return value if same and pairs.keys() == value.keys() else pairs  # type: ignore[return-value]
        if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
            parts = [self.struck_value(part) for part in value]
            same = all(a is b for a, b in zip(value, parts, strict=True))
            return value if same else type(value)(parts)
        return value

    def struck_json(self, value: T) -> T:
        """Like `struck_value`, at the price of writing JSON where there is nothing to strike out."""
        self.look()
        text = json.dumps(value, default=repr) if self._texts else ""
        return self.struck_value(value) if any(form in text for form in self._texts) else value

    def strike_error(self, problem: BaseException) -> None:
        """Take known values out of an exception, its notes, and all those it came of."""
        for one in _chain(problem):
            told = {name: value for name, value in vars(one).items() if isinstance(value, (str, list))}
            for name, value in {"args": one.args, **told}.items():
                clean = self.struck_value(value)
                if clean is not value:
                    setattr(one, name, clean)


KNOWN = Known()
"""Those of this process."""


def keep_secret(name: str, value: str | None = None) -> None:
    """Strike a value out of all that is written and shown from now on, as `[secret NAME]`.

    Args:
        name: what stands in its place; without a value the name of a variable of the environment.
        value: the text itself.

    Raises:
        UsageProblem: no such variable, or a value of fewer than 4 characters.

    >>> keep_secret("DOOR", "94-07")
    >>> KNOWN.struck("the code is 94-07")
    'the code is [secret DOOR]'
    """
    text = os.environ.get(name) if value is None else value
    if text is None:
        raise UsageProblem(f"the environment has no {name}; give the value: keep_secret({name!r}, value)")
    if not isinstance(text, str) or len(text.strip()) < LEAST_NAMED_CHARS:
        raise UsageProblem(
            f"the secret {name} has fewer than {LEAST_NAMED_CHARS} characters: words would be struck out"
        )
    KNOWN.add(name, text)


def keep_secrets(given: Mapping[str, str] | Iterable[str] | str | None) -> None:
    """All of these: values by name, or names of variables of the environment.

    Raises:
        UsageProblem: one of them cannot be kept; it is named.
    """
    if isinstance(given, Mapping):
        for name, value in given.items():
            keep_secret(name, value)
        return
    for name in [given] if isinstance(given, str) else given or ():
        keep_secret(name)


def keep_key_of(model: Any) -> None:
    """Know the key of a model, or of the client that it holds."""
    for holder in (model, getattr(model, "client", None)):
        key = getattr(holder, "api_key", None)
        if isinstance(key, str) and tells(key.strip()):
            KNOWN.look()
            KNOWN.add("api_key", key)


def forms_of(secret: str) -> set[str]:
    r"""How a value may stand in a text: as it is, as JSON (also JSON within JSON), in an address, in base64.

    >>> sorted(forms_of('ab"1'), key=len)[:3]
    ['ab"1', 'ab\\"1', 'ab%221']
    """
    forms = {secret, quote(secret, safe=""), quote(secret), repr(secret)[1:-1]}
    for _ in range(JSON_DEPTH):
        forms |= {json.dumps(form, ensure_ascii=narrow)[1:-1] for form in forms for narrow in (True, False)}
    data = secret.encode("utf-8", "surrogatepass")
    if len(data) >= LEAST_CHARS:
        for before in range(3):
            # What the bytes before and after it share a letter with is left out.
            whole = (before + len(data)) // 3 * 4
            start = (0, 2, 3)[before]
            for coded in (base64.b64encode, base64.urlsafe_b64encode):
                forms.add(coded(b"\0" * before + data).decode()[start:whole])
    return forms


def file_without_secrets(data: bytes) -> bytes:
    """A file's bytes without known keys; an object of the workspace's own git that holds one is emptied.

    >>> file_without_secrets(b"plain")
    b'plain'
    """
    struck = KNOWN.struck_bytes(data)
    if struck is data and data[:1] == b"\x78":  # as zlib begins, and with it git's loose objects
        with contextlib.suppress(zlib.error):
            inside = zlib.decompressobj().decompress(data, INSIDE_BYTES)
            return data if KNOWN.struck_bytes(inside) is inside else b""
    return struck


def _is_path(value: str) -> bool:
    """A name of a file is no secret, and must not be struck out of what tools say."""
    try:
        return value.startswith(("/", "~", ".")) and Path(value.strip()).expanduser().exists()
    except (OSError, ValueError, RuntimeError):
        return False


def _chain(problem: BaseException | None) -> Iterator[BaseException]:
    todo, seen = [problem], set[int]()
    while todo:
        one = todo.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        todo += [one.__cause__, one.__context__, *getattr(one, "exceptions", ())]
