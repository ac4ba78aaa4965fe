"""What a workspace held after each step: a git directory outside it, one commit a step that changed it.

The workspace's own repository, its settings, filters, ignore rules and attributes have no say: files
are read here, byte for byte, and handed to `git fast-import`. Names that git keeps for itself (`.git`,
`.gitattributes`, ...) are stored with `_` before them, so the workspace's own repository is part of it.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import tarfile
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import IO, NamedTuple

from opencollab_nb.errors import OpenCollabError
from opencollab_nb.secrecy import file_without_secrets
from opencollab_nb.ticket import Ticket
from opencollab_nb.workspace.child import Finished, run_child
from opencollab_nb.workspace.git import git_environment
from opencollab_nb.workspace.scan import Entry, Limits, scanned

BRANCH = "refs/heads/steps"
FILES, NOTE = "files", "note.json"
"""In each commit: the folder of all files, and what git has no place for."""
IMPORT = 'exec git fast-import --quiet --force --date-format=now <"$0"'
TIME_LIMIT_SECONDS = 120.0
FRESH_SECONDS = 0.05
"""A file changed so shortly before it was read is read again: a clock may not tell the next change."""


class SnapshotProblem(OpenCollabError):
    """The workspace could not be kept, or not be had again; the message says why.

    `lasting` where trying again at the next step would be of no use.
    """

    def __init__(self, reason: str, *, lasting: bool = False) -> None:
        super().__init__(reason)
        self.lasting = lasting


class Held(NamedTuple):
    """One file as the newest commit holds it."""

    entry: Entry
    digest: bytes | None
    """Of its content, where a clock may not tell whether it changed since; else None."""


class Kept(NamedTuple):
    """A workspace as it was kept."""

    commit: str
    """The commit that holds it."""
    changed: int
    """Files that are other than in the commit before."""
    left_out: tuple[str, ...] = ()
    """Folders and files that are not kept."""


@dataclass
class Shadow:
    """The snapshots of one workspace.

    Args:
        folder: the git directory, made at the first snapshot; never inside the workspace's reach.
        root: the workspace folder.
        limits: what is too much to be kept.
    """

    folder: Path
    root: Path
    limits: Limits = field(default_factory=Limits)
    commit: str | None = None
    """The newest commit; the next one goes on from it."""
    _held: dict[bytes, Held] | None = None
    _note: bytes = b""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def snapshot(self, about: str, *, ticket: Ticket | None = None) -> Kept:
        """Keep the workspace as it is now; where nothing has changed, no commit is made.

        Args:
            about: the commit's message.
            ticket: whose cancelling ends it.

        Raises:
            SnapshotProblem: it is too large, or git is missing or failed.
            StepCancelled: the ticket was cancelled.
        """
        with self._lock:
            try:
                return self._snapshot(about, ticket)
            except OSError as problem:
                raise _said(problem) from problem

    def _snapshot(self, about: str, ticket: Ticket | None) -> Kept:
        begun = time.time()
        found = scanned(self.root, spare=(self.folder.parent,), limits=self.limits, ticket=ticket)
        if found.too_much:
            raise SnapshotProblem(f"the workspace is not kept: {found.too_much}", lasting=True)
        note = json.dumps({"folders": list(map(os.fsdecode, found.empty))}).encode()
        before = self._held or {}
        changed = [entry for entry in found.entries.values() if self._is_changed(entry, before)]
        gone = [name for name in before if name not in found.entries]
        left_out = tuple(map(os.fsdecode, found.left_out))
        if self._held is not None and self.commit and not changed and not gone and note == self._note:
            self._held = {name: _settled(held, begun) for name, held in before.items()}
            return Kept(self.commit, 0, left_out)
        self._prepared(ticket)
        with tempfile.NamedTemporaryFile(dir=self.folder, prefix="import-") as stream:
            digests = self._write(stream, about, changed, gone, note)
            stream.flush()
            self.run("sh", "-c", IMPORT, stream.name, ticket=ticket)
        self.commit = self._git("rev-parse", "--verify", BRANCH, ticket=ticket).output.strip()
        self._note = note
        lost = {entry.name for entry in changed} - digests.keys()
        now = {
            name: Held(entry, digests[name]) if name in digests else before[name]
            for name, entry in found.entries.items()
            if name not in lost
        }
        self._held = {name: _settled(held, begun) for name, held in now.items()}
        return Kept(self.commit, len(changed) + len(gone), left_out)

    def _is_changed(self, entry: Entry, before: Mapping[bytes, Held]) -> bool:
        held = before.get(entry.name)
        if held is None or held.entry != entry:
            return True
        return held.digest is not None and held.digest != _digest(entry.content(self.root))

    def _write(
        self, stream: IO[bytes], about: str, changed: list[Entry], gone: list[bytes], note: bytes
    ) -> dict[bytes, bytes]:
        """Write what `git fast-import` reads; returns the digests of the files in it, by name."""
        text = about.encode("utf-8", "replace")
        stream.write(b"commit %b\ncommitter opencollab_nb <> now\n" % BRANCH.encode())
        stream.write(b"data %d\n%b\n" % (len(text), text))
        stream.write(b"from %b\n" % self.commit.encode() if self.commit else b"")
        stream.write(b"deleteall\n" if self._held is None else b"")
        digests = {}
        for entry in changed:
            data = entry.content(self.root)
            if data is None:
                gone = [*gone, entry.name]  # since it was seen
                continue
            digests[entry.name] = _digest(data)
            stream.write(b"M %b inline %b\n" % (entry.git_mode, _quoted(entry.name)))
            kept = file_without_secrets(data)
            stream.write(b"data %d\n%b\n" % (len(kept), kept))
        for name in gone if self._held is not None else ():
            stream.write(b"D %b\n" % _quoted(name))
        stream.write(b"M 100644 inline %b\ndata %d\n%b\n" % (NOTE.encode(), len(note), note))
        return digests

    def _prepared(self, ticket: Ticket | None) -> None:
        if not (self.folder / "HEAD").exists():
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._git("init", "-q", "--bare", ticket=ticket)
            self._git("symbolic-ref", "HEAD", BRANCH, ticket=ticket)

    def restore(self, commit: str, into: Path) -> None:
        """Write the workspace as a commit holds it into a new folder.

        Raises:
            SnapshotProblem: there is no such commit, git failed, or the folder cannot be written to.
        """
        try:
            into.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=into.parent) as scratch:
                archive = Path(scratch) / "files.tar"
                self._git("archive", "--format=tar", f"--output={archive}", commit)
                with tarfile.open(archive) as tar:
                    _unpack(tar, into)
        except (OSError, tarfile.TarError) as problem:
            raise _said(problem) from problem

    def _git(self, *arguments: str, ticket: Ticket | None = None) -> Finished:
        return self.run("git", "--no-pager", *arguments, ticket=ticket)

    def run(self, *argv: str, ticket: Ticket | None = None) -> Finished:
        """Run a program on the git directory, with nothing of the user's git settings in force."""
        done = run_child(
            argv, cwd=self.folder, env=self._env(), time_limit_seconds=TIME_LIMIT_SECONDS, ticket=ticket
        )
        if done.code != 0 or done.timed_out:
            reason = "took too long" if done.timed_out else done.output.strip()[:500]
            raise SnapshotProblem(f"git failed in {self.folder}: {reason}")
        return done

    def _env(self) -> Mapping[str, str]:
        plain = {
            "PATH": os.environ.get("PATH") or os.defpath,
            "HOME": str(self.folder),
            "LANG": "C.UTF-8",
            "GIT_DIR": str(self.folder),
        }
        return git_environment(self.folder, plain)


def _unpack(tar: tarfile.TarFile, into: Path) -> None:
    """Files, modes and links, under their own names; links are made, never followed."""
    links: list[tuple[Path, str]] = []
    for member in tar:
        top, _, stored = member.name.partition("/")
        if member.name == NOTE:
            note = json.loads(_content(tar, member))
            for name in note["folders"]:
                (into / name).mkdir(parents=True, exist_ok=True)
        if top != FILES or not stored or member.isdir():
            continue
        path = into / os.fsdecode(own_name(os.fsencode(stored)))
        path.parent.mkdir(parents=True, exist_ok=True)
        if member.issym():
            links.append((path, member.linkname))
        else:
            path.write_bytes(_content(tar, member))
            path.chmod(0o755 if member.mode & stat.S_IXUSR else 0o644)
    for path, target in links:
        path.symlink_to(target)


def _content(tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    held = tar.extractfile(member)
    return held.read() if held is not None else b""


def _quoted(name: bytes) -> bytes:
    """A name as `git fast-import` reads it, under the folder of files."""
    path = FILES.encode() + b"/" + _stored_name(name)
    return b'"%b"' % path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")


def _stored_name(name: bytes) -> bytes:
    """The name with `_` before each part that git, or one of its settings, would take as its own.

    >>> _stored_name(b"a/.GIT/config"), own_name(_stored_name(b"_.git/x")), _stored_name(b".github")
    (b'a/_.GIT/config', b'_.git/x', b'_.github')
    """
    parts = name.split(b"/")
    return b"/".join(b"_" + part if _is_reserved(part) else part for part in parts)


def own_name(stored: bytes) -> bytes:
    """The name in the workspace of what is stored under this name."""
    parts = stored.split(b"/")
    return b"/".join(part[1:] if part.startswith(b"_") and _is_reserved(part[1:]) else part for part in parts)


def _is_reserved(part: bytes) -> bool:
    bare = part.lstrip(b"_").lower()
    return bare.startswith((b".git", b"git~"))


def _digest(data: bytes | None) -> bytes:
    return b"" if data is None else sha256(data).digest()


def _settled(held: Held, begun: float) -> Held:
    """Without the digest, once the clock tells the next change from this one."""
    return Held(held.entry, None) if held.entry.changed_at < begun - FRESH_SECONDS else held


def _said(problem: Exception) -> SnapshotProblem:
    if isinstance(problem, FileNotFoundError) and problem.filename in ("git", "sh"):
        return SnapshotProblem("the workspace is not kept: git is not installed", lasting=True)
    return SnapshotProblem(f"the workspace is not kept: {getattr(problem, 'strerror', None) or problem}")


def copied(folder: Path, into: Path) -> None:
    """The snapshots of one run for another; the objects, which never change, are shared on the disk.

    Raises:
        SnapshotProblem: they cannot be copied.
    """

    def one(source: str, target: str) -> str:
        if "/objects/" in source.removeprefix(str(folder)):
            try:
                os.link(source, target)
            except OSError:
                return str(shutil.copy2(source, target))
            return target
        return str(shutil.copy2(source, target))

    try:
        shutil.copytree(folder, into, copy_function=one, ignore=shutil.ignore_patterns("import-*"))
    except (OSError, shutil.Error) as problem:
        raise _said(problem) from problem
