"""What a child sees of the kernel's environment: an allow-list, and a HOME and TMPDIR of its own."""

from __future__ import annotations

import itertools
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path

from opencollab_nb.workspace.strays import MARK, end_strays

COMMIT_DATE = "2026-01-01T00:00:00Z"
"""Of every commit made by an agent, so that the same work gives the same commit."""

_FIXED = {
    "LANG": "C.UTF-8",
    "TERM": "dumb",
    "COLUMNS": "80",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "GIT_AUTHOR_NAME": "agent",
    "GIT_AUTHOR_EMAIL": "agent@localhost",
    "GIT_AUTHOR_DATE": COMMIT_DATE,
    "GIT_COMMITTER_NAME": "agent",
    "GIT_COMMITTER_EMAIL": "agent@localhost",
    "GIT_COMMITTER_DATE": COMMIT_DATE,
}


class Surroundings:
    """A private folder outside the workspace, made when first needed, and the environment pointing to it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._folder: Path | None = None
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)

    @property
    def folder(self) -> Path:
        """The private folder; it holds `home` and `tmp`."""
        with self._lock:
            if self._folder is None:
                self._folder = _folder_outside(self.root)
                (self._folder / "home").mkdir()
                (self._folder / "tmp").mkdir()
            return self._folder

    def env(self) -> dict[str, str]:
        """The environment of a program of ours, git above all."""
        own = Path(sys.executable).parent if sys.executable else None
        path = os.environ.get("PATH") or os.defpath
        return _FIXED | {
            "PATH": f"{own}{os.pathsep}{path}" if own else path,
            "HOME": str(self.folder / "home"),
            "TMPDIR": str(self.folder / "tmp"),
            # A commit of the agent must not land in a repository around the workspace.
            "GIT_CEILING_DIRECTORIES": str(self.root.parent),
        }

    def marked(self, env: Mapping[str, str]) -> dict[str, str]:
        """The environment of a command of the agent, with a mark by which all its processes are known."""
        return {**env, MARK: f"{self.folder}/call/{next(self._numbers)}/"}

    def names(self) -> dict[str, str]:
        """What stands in results for the paths of this machine."""
        names = {str(self.root): "."}
        if self._folder is not None:
            for kept, name in (("home", "~"), ("tmp", "$TMPDIR"), ("", "$TMPDIR/..")):
                names[str(self._folder / kept)] = name
        return names

    def close(self) -> None:
        """End what still runs under a mark of this workspace and remove the private folder."""
        with self._lock:
            if self._folder is not None:
                end_strays(f"{self._folder}/call/")
                shutil.rmtree(self._folder, ignore_errors=True)
                self._folder = None


def _folder_outside(root: Path) -> Path:
    beside = (Path(tempfile.gettempdir()).resolve(), Path.home() / ".cache", root.parent)
    where = next((p for p in beside if p.is_dir() and not p.is_relative_to(root)), None)
    return Path(tempfile.mkdtemp(prefix="opencollab-nb-", dir=where)).resolve()
