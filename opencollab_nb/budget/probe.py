"""A probe of a memory store: what it keeps of a secret, and what is left of a text that was deleted."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

MARKER = "probe-marker-4c1e"
_SECRET = "AKIA" + "QYLPMN5HHHFPZAM2"  # no key of anybody: built from two halves for scanners
_MAIL = "somebody@example.org"


def probed() -> tuple[bool, str]:
    """Whether secrets and personal data were taken out, and deleted text is in no byte of the files.

    Returns:
        The outcome, and what was measured.
    """
    from opencollab_nb.budget.memory import MemoryStore
    from opencollab_nb.budget.memory.kinds import KINDS

    with TemporaryDirectory() as folder:
        store = MemoryStore(Path(folder) / "probe.db", tenant="probe")
        try:
            text = f"The deploy of {MARKER} used {_SECRET}; {_MAIL} knows why."
            store.remember(text, kind="fact", source="probe", by="user")
            kept = " ".join(memory.text for memory in store.all())
            leaked = [name for name, part in (("a key", _SECRET), ("an e-mail", _MAIL)) if part in kept]
            was_there = MARKER in kept
            gone = store.forget(source="probe").count
            left = [p.name for p in Path(folder).iterdir() if MARKER.encode() in p.read_bytes()]
        finally:
            store.close()
    lasting = sum(kind.lasts is not None for kind in KINDS.values())
    redacted = f"kept {' and '.join(leaked)}" if leaked else "a key and an e-mail were taken out"
    deleted = f"deleted text is left in {', '.join(left)}" if left else "a deleted text is in no byte"
    told = f"probe: {redacted}; {deleted}; {lasting} of {len(KINDS)} kinds expire by themselves"
    return was_there and not leaked and gone == 1 and not left, told
