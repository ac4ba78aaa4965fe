"""What holds a command of the agent: bubblewrap where it works, limits of the system everywhere.

In bubblewrap a command sees the system's programs and libraries, this Python, the workspace and its own
HOME and TMPDIR, and nothing else: no home folder, no run folder, no connection file of Jupyter, no other
process, no device, no network. Where bubblewrap is missing or not allowed, what is left is the process
group, the time limit and the limits below; the README says so in plain words.
"""

from __future__ import annotations

import math
import os
import shutil
import site
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

FILE_BYTES = 1 << 30
"""No file of a command grows beyond: a loop that prints would fill the disk within its time limit."""
DATA_BYTES = 4 << 30
"""Memory of one process, or half of the machine's where that is more."""
OPEN_FILES = 4_096
PROCESSES = 512
"""Beside those that the user has already; the system does not count those of root."""
PROBE_SECONDS = 5.0

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store")
_SETTINGS = (
    *("alternatives", "ca-certificates", "fonts", "group", "java", "ld.so.cache", "ld.so.conf"),
    *("ld.so.conf.d", "localtime", "mime.types", "nsswitch.conf", "passwd", "perl", "pki", "python3", "ssl"),
)
"""Of `/etc`, what programs need to start."""
# A limit that the system does not know, or that is lower already, is no reason not to run.
_LIMITED = """\
{ ulimit -c 0; ulimit -f "$1"; ulimit -d "$2"; ulimit -t "$3"; ulimit -n "$4"; [ -z "$5" ] || ulimit -u "$5"
} 2>/dev/null; shift 5; exec "$@\""""


@dataclass(frozen=True)
class Limits:
    """What one process of a command may use, in the units of RLIMIT."""

    file_bytes: int = FILE_BYTES
    data_bytes: int = DATA_BYTES
    cpu_seconds: int = 3_600
    open_files: int = OPEN_FILES
    processes: int | None = None
    """None where the system does not count them for this user."""

    @classmethod
    def of(cls, time_limit_seconds: float) -> Limits:
        """Those for a command with this time limit: what outlives it has soon used up its share."""
        cpus = os.cpu_count() or 1
        seconds = math.ceil(min(time_limit_seconds, 1e6) * cpus) + 5
        return cls(
            data_bytes=max(DATA_BYTES, _memory_bytes() // 2), cpu_seconds=seconds, processes=_processes()
        )

    def to_dict(self) -> dict[str, int]:
        """By the names of the module `resource`."""
        named = {
            "RLIMIT_CORE": 0,
            "RLIMIT_FSIZE": self.file_bytes,
            "RLIMIT_DATA": self.data_bytes,
            "RLIMIT_CPU": self.cpu_seconds,
            "RLIMIT_NOFILE": self.open_files,
        }
        return named if self.processes is None else {**named, "RLIMIT_NPROC": self.processes}


def limited(argv: Sequence[str], limits: Limits) -> list[str]:
    """The program under the limits, where there is a shell to set them."""
    shell = shutil.which("bash") or shutil.which("sh")
    if not shell:
        return list(argv)
    kilobytes = (limits.file_bytes // 1024, limits.data_bytes // 1024)
    numbers = (*kilobytes, limits.cpu_seconds, limits.open_files, limits.processes or "")
    return [shell, "-c", _LIMITED, "sh", *map(str, numbers), *argv]


@dataclass(frozen=True)
class Containment:
    """How the commands of one workspace are held."""

    root: Path
    bubblewrap: str | None
    """The program, None where it is not used."""
    network: bool = False

    @classmethod
    def of(cls, root: Path, *, network: bool = False) -> Containment:
        """Bubblewrap where it works on this machine."""
        return cls(root, working_bubblewrap(), network)

    @property
    def text(self) -> str:
        """What holds a command, in words."""
        if self.bubblewrap is None:
            return "not confined: it can read and write what you can, and reach the network"
        reach = "with the network" if self.network else "without network"
        return f"confined by bubblewrap to this folder, {reach}"

    def code(self, status: int) -> int:
        """A program's exit status; for a signal bubblewrap says 128 and its number."""
        return 128 - status if self.bubblewrap is not None and 128 < status < 128 + 65 else status

    def held(
        self, argv: Sequence[str], private: Path, *, cwd: Path | None = None, script: Path | None = None
    ) -> list[str]:
        """The program in its cage; as it is where there is none.

        Args:
            argv: the program.
            private: the folder of its HOME and TMPDIR.
            cwd: where it starts, by default in the folder.
            script: a file that it may read besides.
        """
        if self.bubblewrap is None:
            return list(argv)
        alone = [
            "--unshare-user-try",
            "--unshare-pid",
            "--unshare-ipc",
            "--unshare-uts",
            "--unshare-cgroup-try",
        ]
        if not self.network:
            alone.append("--unshare-net")
        return [
            # Not --die-with-parent: the thread that starts a command ends before it, and would take it along.
            *(self.bubblewrap, *alone, "--hostname", "workspace", "--cap-drop", "ALL"),
            *_seen(self.network),
            *("--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/var/tmp"),  # noqa: S108 - in there
            *_programs(),
            *(("--ro-bind", str(script), str(script)) if script else ()),
            *("--bind", str(private), str(private), "--bind", str(self.root), str(self.root)),
            *("--chdir", str(cwd or self.root), "--", *argv),
        ]


def _seen(network: bool) -> Iterator[str]:
    for place in map(Path, _SYSTEM):
        if place.is_symlink():
            yield from ("--symlink", str(place.readlink()), str(place))
        elif place.is_dir():
            yield from ("--ro-bind", str(place), str(place))
    for name in (*_SETTINGS, *(("resolv.conf", "hosts", "services") if network else ())):
        yield from ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")


@lru_cache(maxsize=1)
def _programs() -> tuple[str, ...]:
    """This Python and the folders of PATH, where they lie outside the system's."""
    python = [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, *site.getsitepackages()]
    real = Path(sys.executable).resolve().parent if sys.executable else Path(sys.prefix)
    wanted = [*map(Path, python), real, *map(Path, os.environ.get("PATH", "").split(os.pathsep))]
    home, out = Path.home(), []
    for place in dict.fromkeys(p for p in wanted if p.is_absolute()):
        inside = any(place.is_relative_to(top) for top in _SYSTEM)
        # A home folder, or one above it, on the PATH would show all that is to be hidden.
        if not inside and place.is_dir() and not home.is_relative_to(place):
            out += ["--ro-bind", str(place), str(place)]
    return tuple(out)


@lru_cache(maxsize=1)
def working_bubblewrap() -> str | None:
    """Bubblewrap, if it is installed and may make its namespaces here: tried once."""
    program = shutil.which("bwrap") if sys.platform == "linux" else None
    if program is None:
        return None
    tried = Containment(Path("/usr"), program).held(["/usr/bin/env", "true"], Path("/usr"))
    tried = ["--ro-bind" if word == "--bind" else word for word in tried]
    try:
        done = subprocess.run(
            tried, stdin=subprocess.DEVNULL, capture_output=True, timeout=PROBE_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return program if done.returncode == 0 else None


def _memory_bytes() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return 0


def _processes() -> int | None:
    """How many processes and threads the user may have: those there are, and what a build needs."""
    if sys.platform != "linux" or os.geteuid() == 0:
        return None
    own, count = os.geteuid(), 0
    for name in os.listdir("/proc"):  # noqa: PTH208 - no paths are made of most of them
        if name.isdigit():
            try:
                if os.stat(f"/proc/{name}").st_uid == own:  # noqa: PTH116 - as above
                    count += len(os.listdir(f"/proc/{name}/task"))  # noqa: PTH208
            except OSError:
                continue
    return count + PROCESSES
