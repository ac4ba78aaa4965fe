"""Which files are other than a snapshot holds them: what a step had done that was never finished."""

from __future__ import annotations

import os
import tempfile
from hashlib import sha1
from pathlib import Path

from opencollab_nb.secrecy import file_without_secrets
from opencollab_nb.workspace.scan import Entry, scanned
from opencollab_nb.workspace.shadow import FILES, Shadow, SnapshotProblem, own_name

LISTED = 'exec git --no-pager ls-tree -r -z --full-tree "$1" -- "$2" >"$0"'


def changed_since(shadow: Shadow, commit: str) -> list[str]:
    """The names of files that are new, other or gone since a commit, sorted; nothing is written.

    Raises:
        SnapshotProblem: there is no such commit, the workspace is too large, or git failed.
    """
    try:
        found = scanned(shadow.root, spare=(shadow.folder.parent,), limits=shadow.limits)
        if found.too_much:
            raise SnapshotProblem(f"the workspace cannot be compared: {found.too_much}", lasting=True)
        kept = _kept(shadow, commit)
    except OSError as problem:
        raise SnapshotProblem(f"the workspace cannot be compared: {problem.strerror or problem}") from problem
    other = {name for name, entry in found.entries.items() if kept.get(name) != _as_kept(entry, shadow.root)}
    return sorted(os.fsdecode(name) for name in other | (kept.keys() - found.entries.keys()))


def _kept(shadow: Shadow, commit: str) -> dict[bytes, tuple[bytes, bytes]]:
    """Mode and digest of each file in the commit."""
    with tempfile.NamedTemporaryFile(prefix="listed-") as listed:
        shadow.run("sh", "-c", LISTED, listed.name, commit, f"{FILES}/")
        lines = [line for line in Path(listed.name).read_bytes().split(b"\0") if line]
    kept = {}
    for line in lines:
        facts, _, name = line.partition(b"\t")
        mode, _, digest = facts.split(b" ")
        kept[own_name(name.removeprefix(FILES.encode() + b"/"))] = (mode, digest)
    return kept


def _as_kept(entry: Entry, root: Path) -> tuple[bytes, bytes] | None:
    data = entry.content(root)
    if data is None:
        return None
    data = file_without_secrets(data)
    digest = sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
    return entry.git_mode, digest.encode()
