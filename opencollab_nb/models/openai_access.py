"""Where an endpoint is, what it is asked for, and the key to it: by argument or environment."""

from __future__ import annotations

import ipaddress
import os
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
