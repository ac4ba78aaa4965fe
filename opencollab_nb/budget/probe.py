"""A probe of memory and run folder: what is kept of a secret, and what is left of what was deleted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from opencollab_nb.models.scripted import ScriptedModel

MARKER = "probe-marker-4c1e"
_SECRET = "AKIA" + "QYLPMN5HHHFPZAM2"  # nobody's key, in two halves so that scanners let this file be
_MAIL = "somebody@example.org"


def probed(make: Callable[..., Any] | None = None) -> tuple[bool, str]:
    """Whether secrets are taken out, memories expire, and deleted text is in no byte of any file.

    Args:
        make: the class of sessions; with it a run is made and deleted too.

    Returns:
        The outcome, and what was measured.
    """
    told = []
    with TemporaryDirectory() as folder:
        told += list(_memory(Path(folder)))
    if make is not None:
        with TemporaryDirectory() as folder:
            told += list(_run(Path(folder), make))
    return not any(failed for failed, _ in told), "probe: " + "; ".join(text for _, text in told)


def _memory(folder: Path) -> Iterator[tuple[bool, str]]:
    from opencollab_nb.budget.memory import MemoryStore

    store = MemoryStore(folder / "probe.db", tenant="probe")
    try:
        text = f"The deploy of {MARKER} used {_SECRET}; {_MAIL} knows why."
        store.remember(text, kind="fact", source="probe", by="user")
        short = "The lift of the depot is out of order today."
        store.remember(short, kind="fact", source="other", by="user", expires=timedelta(microseconds=1))
        recalled = [memory.text for memory in store.recall("lift depot")]
        store.purge()
        kept = " ".join(memory.text for memory in store.all())
        leaked = [name for name, part in (("a key", _SECRET), ("an e-mail", _MAIL)) if part in kept]
        was_kept = MARKER in kept
        redacted = f"{' and '.join(leaked)} was kept" if leaked else "a key and an e-mail were taken out"
        yield bool(leaked) or not was_kept, redacted if was_kept else "nothing was kept"
        gone = short not in recalled and short not in kept
        yield not gone, "an expired memory is gone" if gone else "an expired memory is still there"
        store.forget(source="probe")
        yield _left(folder, "a memory")
    finally:
        store.close()


def _run(folder: Path, make: Callable[..., Any]) -> Iterator[tuple[bool, str]]:
    session = make(f"Say {MARKER}.", model=ScriptedModel([MARKER]), path=folder / "run", system="")
    session.run()
    written = len(_holding(folder))
    session.delete()
    failed, told = _left(folder, "a run")
    yield failed or not written, told


def _left(folder: Path, what: str) -> tuple[bool, str]:
    left = _holding(folder)
    where = f"is left in {', '.join(left)}" if left else "is in no byte of its files"
    return bool(left), f"{what} that was deleted {where}"


def _holding(folder: Path) -> list[str]:
    return [p.name for p in folder.rglob("*") if p.is_file() and MARKER.encode() in p.read_bytes()]
