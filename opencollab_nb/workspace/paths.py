"""Opens names inside one folder, and never one outside.

Every component is opened relative to the folder before it and without following links, and links
are read and followed here, so a link that is made or changed meanwhile leads nowhere else.
"""

from __future__ import annotations

import contextlib
import difflib
import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from opencollab_nb.workspace.problem import ToolProblem, shown

LINKS_AT_MOST = 40
"""As many as Linux follows in one name."""
DEPTH_AT_MOST = 200
"""Folders on the way to a file: trees a thousand deep cannot be walked or removed by common programs."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK the opening of a FIFO waits for a writer.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


@dataclass(frozen=True)
class Place:
    """A name in an open folder; the name itself is no link, and need not exist."""

    folder: int
    """Descriptor of the folder it lies in; closed when the `with` block ends."""
    name: str
    """Last component, `.` for the workspace folder itself."""
    parts: tuple[str, ...]
    """All components from the workspace folder on, links resolved."""

    @property
    def path(self) -> str:
        """Relative to the workspace folder.

        >>> Place(3, "a.py", ("src", "a.py")).path
        'src/a.py'
        """
        return "/".join(self.parts) or "."

    @property
    def in_git(self) -> bool:
        """True inside a `.git`; some file systems do not tell upper from lower case."""
        return any(part.casefold() == ".git" for part in self.parts)

    def status(self) -> os.stat_result | None:
        """None where nothing has that name."""
        try:
            return os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def entries(self) -> list[str]:
        """The names in this folder, sorted, folders with a slash.

        Raises:
            OSError: it is no folder.
        """
        fd = os.open(self.name, _FOLDER, dir_fd=self.folder)
        try:
            with os.scandir(fd) as found:
                return sorted(e.name + "/" * e.is_dir(follow_symlinks=False) for e in found)
        finally:
            os.close(fd)


class Folder:
    """The workspace folder, as the Python tools see it."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def parts(self, path: str) -> tuple[str, ...]:
        """The components of a relative path; nothing is looked up.

        Raises:
            ToolProblem: the path is absolute, holds `..` or NUL, or goes through too many folders.

        >>> Folder(Path("/w")).parts("./src//a.py")
        ('src', 'a.py')
        """
        if "\0" in path:
            raise ToolProblem(f"path {shown(path)} holds a NUL character; give a plain relative path.")
        try:
            os.fsencode(path)
        except UnicodeEncodeError:
            raise ToolProblem(f"path {shown(path)} holds a broken character; give a plain path.") from None
        if path.startswith("/"):
            inside = Path(os.path.normpath(path))
            hint = str(inside.relative_to(self.root)) if inside.is_relative_to(self.root) else "src/a.py"
            raise ToolProblem(
                f"path {shown(path)} is absolute; give it relative to the workspace folder, such as {hint!r}."
            )
        found = tuple(part for part in path.split("/") if part not in ("", "."))
        if ".." in found:
            raise ToolProblem(
                f"path {shown(path)} holds '..'; nothing outside the workspace folder can be reached. "
                "Write the path from the workspace folder on."
            )
        if len(found) > DEPTH_AT_MOST:
            raise ToolProblem(
                f"path {shown(path)} is {len(found)} folders deep; no more than {DEPTH_AT_MOST} are reached."
            )
        return found

    @contextlib.contextmanager
    def place(self, path: str, *, make_folders: bool = False) -> Iterator[Place]:
        """The place a path leads to, links inside the workspace followed.

        Raises:
            ToolProblem: the path, or a link on it, leads out; a folder on it is missing or is none.
        """
        walk = _Walk(self.root, path, make_folders)
        try:
            walk.go(list(self.parts(path)))
            yield Place(walk.folders[-1], walk.name, tuple(walk.names))
        finally:
            walk.close()

    @contextlib.contextmanager
    def file(self, path: str) -> Iterator[tuple[int, os.stat_result]]:
        """A regular file opened for reading: its descriptor and status.

        Raises:
            ToolProblem: it is missing, outside, or not a regular file.
        """
        with self.place(path) as place:
            fd = open_file(place, path)
            try:
                yield fd, os.fstat(fd)
            finally:
                os.close(fd)


def open_file(place: Place, path: str) -> int:
    """A descriptor of the regular file at a place; devices are not even opened.

    Raises:
        ToolProblem: there is none, or it is something else.
    """
    status = place.status()
    if status is None:
        raise ToolProblem(f"there is no file {shown(path)}{_nearby(place)}")
    must_be_regular(status, place, path)
    fd = os.open(place.name, _FILE, dir_fd=place.folder)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise ToolProblem(f"{shown(path)} changed while it was opened; look at it again.")
    return fd


def must_be_regular(status: os.stat_result, place: Place, path: str) -> None:
    """Refuse folders (naming what they hold), links, FIFOs, sockets and devices.

    Raises:
        ToolProblem: it is no regular file.
    """
    mode = status.st_mode
    if stat.S_ISDIR(mode):
        held = place.entries()
        names = ", ".join(map(printable, held[:40])) + ", …" * (len(held) > 40) if held else "nothing"
        raise ToolProblem(f"{shown(path)} is a folder; it holds: {names}")
    if not stat.S_ISREG(mode):
        raise ToolProblem(f"{shown(path)} is a {_kind(mode)}, not a regular file; choose another path.")


def printable(name: str) -> str:
    r"""A file name as text: bytes that are no UTF-8, and characters that break a line, as escapes.

    >>> printable("a" + chr(10) + "b")
    'a\\nb'
    """
    text = os.fsencode(name).decode("utf-8", "backslashreplace")
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def _kind(mode: int) -> str:
    kinds = ((stat.S_ISLNK, "link"), (stat.S_ISFIFO, "FIFO"), (stat.S_ISSOCK, "socket"))
    return next((name for test, name in kinds if test(mode)), "device")


def _nearby(place: Place) -> str:
    try:
        with os.scandir(place.folder) as found:
            names = sorted(entry.name for entry in found)
    except OSError:
        names = []
    close = difflib.get_close_matches(place.name, names, n=1, cutoff=0.5)
    if close:
        return f"; did you mean {shown('/'.join((*place.parts[:-1], close[0])))}?"
    return "; find its name with grep or by reading its folder."


class _Walk:
    """From the root along the components; `folders` are the open descriptors on the way."""

    def __init__(self, root: Path, path: str, make_folders: bool) -> None:
        self.root, self.path, self.make_folders = root, path, make_folders
        self.folders = [os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)]
        self.names: list[str] = []
        self.name = "."

    def close(self) -> None:
        for fd in self.folders:
            os.close(fd)
        self.folders = []

    def go(self, todo: list[str]) -> None:
        links = 0
        while todo:
            part = todo.pop(0)
            if part == "..":
                self._up()
                continue
            target = self._link(part)
            if target is not None:
                links += 1
                if links > LINKS_AT_MOST:
                    raise ToolProblem(f"path {shown(self.path)} goes round in links; choose another path.")
                todo = [*self._steps(target), *todo]
            elif todo:
                self._down(part)
            else:
                self.name = part
                self.names.append(part)

    def _link(self, part: str) -> str | None:
        try:
            return os.readlink(part, dir_fd=self.folders[-1])
        except OSError as problem:
            if problem.errno in (errno.EINVAL, errno.ENOENT):
                return None
            raise

    def _steps(self, target: str) -> list[str]:
        if target.startswith("/"):
            path = Path(os.path.normpath(target))
            if not path.is_relative_to(self.root):
                raise self._outside()
            while len(self.folders) > 1:
                self._up()
            target = str(path.relative_to(self.root))
        return [part for part in target.split("/") if part not in ("", ".")]

    def _up(self) -> None:
        if len(self.folders) == 1:
            raise self._outside()
        os.close(self.folders.pop())
        self.names.pop()

    def _down(self, part: str) -> None:
        here = self.folders[-1]
        try:
            if self.make_folders and part.casefold() != ".git":
                with contextlib.suppress(FileExistsError):
                    os.mkdir(part, dir_fd=here)
            fd = os.open(part, _FOLDER, dir_fd=here)
        except OSError as problem:
            if problem.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
                raise
            so_far = "/".join([*self.names, part])
            what = "there is no folder" if problem.errno == errno.ENOENT else "not a folder:"
            raise ToolProblem(f"path {shown(self.path)}: {what} {shown(so_far)}; correct the path.") from None
        self.folders.append(fd)
        self.names.append(part)

    def _outside(self) -> ToolProblem:
        return ToolProblem(
            f"path {shown(self.path)} leads out of the workspace folder through a link; choose another path."
        )
