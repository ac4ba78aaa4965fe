"""What the verbs of `%oc` do with transcripts that were loaded: each is one call into the Python API."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from opencollab_nb.errors import UsageProblem
from opencollab_nb.views.agent_magic import displace, read_policy
from opencollab_nb.views.chains import read_chain
from opencollab_nb.views.deeds import Order
from opencollab_nb.views.lines import split
from opencollab_nb.views.loaded_names import name_for, one_of
from opencollab_nb.views.names import checked

NO_SHAPING = "none"
"""A chain without shapers, on a line."""


def load(order: Order) -> Any:
    """A file, a folder or a glob, loaded and named."""
    words = order.at_most(1, "load PATH [--name NAME] [--format FORMAT]")
    if not words:
        raise UsageProblem(
            'load what? %oc load PATH: a file, a folder, or a pattern such as "logs/**/*.jsonl"'
        )
    from opencollab_nb.importers import load as load_file

    loaded = load_file(words[0], format=order.flags.get("format"))
    name = checked(order.flags.get("name") or order.name or name_for(words[0]))
    order.names.loaded.put(name, loaded)
    print(_next_words(name, loaded))  # noqa: T201 - the reader must know the name that it was given
    return loaded


def _next_words(name: str, loaded: Any) -> str:
    at = f'"@{name}"' if " " in name else f"@{name}"
    if isinstance(loaded, list) and len(loaded) > 1:
        return f"{at} holds {len(loaded):,} transcripts, {at}.0 and so on: %oc compare {name} shows them all"
    return f"{at} is loaded: %oc {at} at 1, %oc {at} whatif default, %oc replay {name}, %oc compare {name}"


def replay(order: Order) -> Any:
    """A session in which a loaded transcript plays, named and current."""
    words = order.at_most(1, "replay [NAME | PATH] [--window TOKENS] [--policy POLICY] [--mode MODE]")
    from opencollab_nb.compare.replaying import replay as play

    transcript, stem = _transcript(order, words[0] if words else None)
    settings = {name: order.flags[name] for name in ("window", "mode") if name in order.flags}
    if "policy" in order.flags:
        settings["policy"] = read_policy(order.flags["policy"])
    name = checked(order.flags.get("name") or f"{stem}-replay")
    for sentence in displace(order.names, name, None):
        print(sentence)  # noqa: T201 - the reader must know what became of the former session
    session = play(transcript, name=name, **settings)
    order.names.put(name, session)
    return session


def _transcript(order: Order, word: str | None) -> tuple[Any, str]:
    """The transcript that a word names, or the one of `@NAME`, and a name for it."""
    names = order.names
    word = word or order.name or names.loaded.newest
    if word is None:
        raise UsageProblem("replay what? %oc load PATH first, or %oc replay PATH")
    found = _loaded(order, word)
    return one_of(found, word), word if names.loaded.find(word) is not None else name_for(word)


def _loaded(order: Order, word: str) -> Any:
    """What is loaded under a name, else in the file of that path."""
    found = order.names.loaded.find(word)
    if found is not None:
        return found
    if not Path(word).expanduser().exists() and not any(sign in word for sign in "*?[/\\"):
        known = ", ".join(order.names.loaded) or "none yet"
        raise UsageProblem(f"{word!r} is neither loaded (loaded: {known}) nor a file: %oc load PATH")
    from opencollab_nb.importers import load as load_file

    return load_file(word)


def compare(order: Order) -> Any:
    """Chains on transcripts as one table; without chains the panel that asks for them."""
    from opencollab_nb.views.compare_panel import ComparePanel
    from opencollab_nb.views.compare_results import Comparison

    words = order.texts or ([order.name] if order.name else [])
    sources = {word: _loaded(order, word) for word in words}
    text = order.flags.get("chains")
    if text is None:
        if order.flags:
            raise UsageProblem(
                f'--{next(iter(order.flags))} goes with --chains, as in --chains "default | none"; without '
                "them the panel asks for all"
            )
        return ComparePanel(sources)
    if not sources:
        raise UsageProblem("compare what? %oc compare NAME... | PATH..., loaded ones by name")
    chains = [_chain(part, order) for part in text.split("|")]
    names = {"window": "window", "mode": "mode", "model": "model", "survival": "survival"}
    settings = {to: order.flags[flag] for flag, to in names.items() if flag in order.flags}
    from opencollab_nb.compare import compare as compared

    return Comparison(
        compared([one for found in sources.values() for one in _each(found)], chains, **settings)
    )


def _each(found: Any) -> list[Any]:
    return found if isinstance(found, list) else [found]


def _chain(text: str, order: Order) -> Any:
    words = [word.text for word in split(text)]
    if words == [NO_SHAPING]:
        return None
    chain = read_chain(words, order.user_names)
    return chain[0] if len(chain) == 1 else chain
