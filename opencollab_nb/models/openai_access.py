"""Where an endpoint is, what it is asked for, and the key to it: by argument or environment."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from opencollab_nb.errors import MissingKey, UsageProblem
from opencollab_nb.secrecy import KNOWN, tells

OPENAI_URL = "https://api.openai.com/v1"
NO_KEY = "none"
"""Sent where a server on this machine wants no key: the client insists on one."""

MISSING_KEY = (
    "No API key. Set OPENAI_API_KEY before starting Jupyter, or in a cell: import os, getpass; "
    'os.environ["OPENAI_API_KEY"] = getpass.getpass()  (a server on this machine needs none)\n'
    'Without a key: load_task("quickstart").session(), or %agent --task quickstart, '
    "runs the simulated agent."
)


class Secret:
    """Text that does not show itself: not in a repr, a traceback's locals, a pickle.

    >>> Secret("sk-123")
    <secret>
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text
        if self.tells:
            KNOWN.look()
            KNOWN.add("api_key", text)

    def __repr__(self) -> str:
        return "<secret>"

    def __reduce__(self) -> str:
        raise TypeError("a secret is not pickled; read it again from the environment")

    def reveal(self) -> str:
        """The text itself, for the one place that sends it."""
        return self._text

    @property
    def tells(self) -> bool:
        """False for a stand-in such as `x`, `EMPTY` or `not-needed`, which local servers are given."""
        return tells(self._text)

    def struck_out_of(self, text: str) -> str:
        """An error's text with `[secret NAME]` for it: some providers quote the key they refuse.

        Never for the text of a reply: it is the agent's own, whatever stands in it.
        """
        return KNOWN.struck(text)


@dataclass(frozen=True)
class Access:
    """One model at one endpoint."""

    model: str
    base_url: str
    key: Secret = field(repr=False, compare=False)

    @property
    def host(self) -> str:
        """The endpoint's host name."""
        return urlsplit(self.base_url).hostname or ""

    @property
    def local(self) -> bool:
        """True for a server on this machine: no key, no proxy."""
        return is_loopback(self.host)


def find_access(model: str | None, base_url: str | None, api_key: str | None) -> Access:
    """Arguments first, then OPENAI_MODEL, OPENAI_BASE_URL and OPENAI_API_KEY.

    Raises:
        MissingKey: no key, and the endpoint is not on this machine.
        UsageProblem: no model name, or an endpoint that is no http(s) address.
    """
    url = (base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI_URL).strip()
    host = host_of(url)
    key = (api_key or os.environ.get("OPENAI_API_KEY") or "").strip()
    if not key and not is_loopback(host):
        raise MissingKey(MISSING_KEY)
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise UsageProblem("the API key holds characters no key has; copy it again")
    name = (model or os.environ.get("OPENAI_MODEL") or "").strip()
    if not name:
        raise UsageProblem(
            'no model name: pass one, OpenAIModel("NAME"), or set OPENAI_MODEL; '
            f"the models this key may use are listed at {url.rstrip('/')}/models"
        )
    return Access(name, url, Secret(key or NO_KEY))


def find_accesses(
    model: str | None, base_url: str | Sequence[str] | None, api_key: str | Sequence[str] | None
) -> tuple[Access, ...]:
    """One access for each address; the environment may give several, with blanks or commas between.

    One key goes to all of them, several go to theirs, in order.

    Raises:
        MissingKey: no key, and an endpoint is not on this machine.
        UsageProblem: no address, or not as many keys; or as in `find_access`.

    >>> [a.base_url for a in find_accesses("m", ["http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1"], None)]
    ['http://127.0.0.1:1/v1', 'http://127.0.0.1:2/v1']
    """
    given: Sequence[str | None]
    if base_url is None:
        given = os.environ.get("OPENAI_BASE_URL", "").replace(",", " ").split() or [None]
    else:
        given = [base_url] if isinstance(base_url, str) else list(base_url)
    if not given:
        raise UsageProblem("base_url is an empty list: give one address, several, or none for OpenAI's own")
    keys = [api_key] * len(given) if api_key is None or isinstance(api_key, str) else list(api_key)
    if len(keys) != len(given):
        raise UsageProblem(f"{len(keys)} keys for {len(given)} addresses: give one key, or one for each")
    found = tuple(find_access(model, url, key) for url, key in zip(given, keys, strict=True))
    if len({access.base_url for access in found}) < len(found):
        raise UsageProblem("base_url names an address twice")
    return found


def host_of(url: str) -> str:
    """The host of an endpoint's address.

    Raises:
        UsageProblem: it is no http(s) address, or holds a password or a query.
    """
    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        sound = False
    if not sound:
        raise UsageProblem(f"base_url is no http(s) address: {url!r}; for example http://127.0.0.1:8000/v1")
    if parts.username or parts.password or parts.query:
        raise UsageProblem("base_url holds a password or a query; give the key as api_key= instead")
    return parts.hostname or ""


def is_loopback(host: str) -> bool:
    """True for names and addresses of this machine.

    >>> [is_loopback(h) for h in ("localhost", "127.0.0.9", "::1", "0.0.0.0", "api.openai.com")]
    [True, True, True, True, False]
    """
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified
