"""What a hostile agent tries: each way out, and what holds it; some of it needs bubblewrap."""

from __future__ import annotations

import os
import shutil
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from opencollab_nb.workspace import Workspace
from opencollab_nb.workspace.contained import Containment, Limits, limited, working_bubblewrap

from .conftest import run_git
from .processes import within

SECRET = "the user's own words"
caged = pytest.mark.skipif(working_bubblewrap() is None, reason="bubblewrap is not installed or not allowed")
TOOLS: dict[str, Callable[[Workspace, str], str]] = {
    "file_read": lambda w, path: w.call("file_read", {"path": path}),
    "grep": lambda w, path: w.call("grep", {"pattern": ".", "path": path}),
    "git_diff": lambda w, path: w.call("git_diff", {"path": path}),
    "file_write": lambda w, path: w.call("file_write", {"path": path, "content": "gone"}),
    "apply_patch": lambda w, path: w.call("apply_patch", {"path": path, "search": "own", "replace": "gone"}),
}


@pytest.fixture
def outside(folder: Path) -> Path:
    file = folder.parent / "outside.txt"
    file.write_text(SECRET)
    return file


def refused(workspace: Workspace, tool: str, path: str, outside: Path) -> None:
    answer = TOOLS[tool](workspace, path)
    assert SECRET not in answer
    assert outside.read_text() == SECRET
    assert not (outside.parent / "new.txt").exists()


WAYS = ["../outside.txt", "tests/../../outside.txt", "./.././outside.txt", "../new.txt", "{outside}"]
LINKS = [
    "link",
    "linked/outside.txt",
    "chain",
    "root/{outside}",
    "proc/root{outside}",
    "self/cwd/../outside.txt",
]


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("way", [*WAYS, *LINKS])
def test_no_tool_leaves_the_folder(tool, way, workspace, repository, outside):
    (repository / "link").symlink_to(outside)
    (repository / "linked").symlink_to(outside.parent)
    (repository / "chain").symlink_to("tests/hop")
    (repository / "tests/hop").symlink_to("../linked/outside.txt")
    (repository / "root").symlink_to("/")
    (repository / "proc").symlink_to("/proc/self")
    (repository / "self").symlink_to("/proc/self")
    refused(workspace, tool, way.format(outside=outside).replace("//", "/"), outside)


@pytest.mark.parametrize("tool", TOOLS)
def test_a_link_made_while_a_tool_runs_leads_nowhere(tool, workspace, repository, outside):
    swaps, stop = repository / "swaps", threading.Event()

    def swap() -> None:
        while not stop.is_set():
            for make in (lambda: swaps.symlink_to(outside.parent), swaps.mkdir):
                if swaps.is_symlink():
                    swaps.unlink()
                else:
                    shutil.rmtree(swaps, ignore_errors=True)
                try:
                    make()
                    (swaps / "outside.txt").exists() or (swaps / "outside.txt").write_text("inner own\n")
                except OSError:
                    continue

    thread = threading.Thread(target=swap, daemon=True)
    thread.start()
    try:
        for _ in range(40):
            refused(workspace, tool, "swaps/outside.txt", outside)
    finally:
        stop.set()
        thread.join(10)


def test_a_hard_link_is_told_of_and_writing_leaves_the_other_name_as_it_was(workspace, folder, outside):
    os.link(outside, folder / "hard")
    assert "another may lie outside" in workspace.call("file_read", {"path": "hard"})
    assert "other hard links keep the old text" in TOOLS["file_write"](workspace, "hard")
    assert outside.read_text() == SECRET


@pytest.mark.parametrize("path", ["fifo", "device", "sock"])
def test_fifos_devices_and_sockets_are_not_opened(path, workspace, folder):
    os.mkfifo(folder / "fifo")
    (folder / "device").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(folder / "sock"))
    for tool in TOOLS.values():
        assert "gone" not in tool(workspace, path)
    assert (folder / "fifo").is_fifo()


def test_a_huge_file_is_read_in_bounds(workspace, folder):
    with (folder / "huge").open("wb") as file:
        file.truncate(1 << 40)
    answer = workspace.call("file_read", {"path": "huge"})
    assert len(answer) < 300_000


@pytest.mark.parametrize("setting", ["core.pager", "core.fsmonitor", "diff.external", "core.hooksPath"])
def test_the_repository_s_own_settings_start_nothing(setting, opened, repository, outside):
    shell = opened(shell="allow", time_limit_seconds=30)
    program = repository / "evil"
    program.write_text(f"#!/bin/sh\ntouch {repository}/ran\n")
    program.chmod(0o755)
    hooks = repository / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("pre-commit", "post-commit", "post-checkout", "post-index-change"):
        shutil.copy(program, hooks / name)
    run_git(repository, f"config {setting} {hooks if setting == 'core.hooksPath' else program}")
    (repository / "notes.txt").write_text("changed\n")
    shell.call("git_diff", {})
    shell.changes()
    for command in (
        "git status",
        "git diff",
        "git log",
        "git add -A",
        "git commit -m x",
        "git checkout -b y",
    ):
        shell.call("bash", {"command": command})
    assert not (repository / "ran").exists()


def test_the_kernel_s_environment_stays_with_the_kernel(shell, monkeypatch, folder):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-kernel-0123456789")
    monkeypatch.setenv("JUPYTER_TOKEN", "jupyter-0123456789abcdef")
    (folder / "tests/test_env.py").write_text("import os\ndef test_env():\n    assert 0, dict(os.environ)\n")
    said = shell.call("bash", {"command": "env; cat /proc/self/environ"})
    said += shell.call("run_tests", {"path": "tests/test_env.py"})
    assert "0123456789" not in said


@caged
def test_a_caged_command_sees_neither_the_kernel_nor_other_processes(shell, monkeypatch):
    said = shell.call(
        "bash",
        {
            "command": f"cat /proc/{os.getpid()}/environ /proc/{os.getpid()}/cmdline 2>&1;"
            " ls /proc | grep -c '^[0-9]'"
        },
    )
    assert "No such file" in said
    assert int(said.split()[-1]) < 10
    assert "pytest" not in said


@caged
def test_a_caged_command_cannot_read_or_write_outside(shell, folder, outside):
    runtime = Path.home() / ".local/share/jupyter/runtime"
    for place in (outside, outside.parent, Path.home() / ".bashrc", Path("/etc/shadow"), runtime):
        said = shell.call("bash", {"command": f"ls -A {place} && cat {place}"})
        assert said.startswith("Error: exit status")
        assert SECRET not in said
        assert "outside.txt\n" not in said
    for way in (f"ln -s {outside} l; cat l", f"ln {outside} h; cat h", f"cat /proc/1/root{outside}"):
        assert SECRET not in shell.call("bash", {"command": way})
    shell.call(
        "bash", {"command": f"echo gone > {outside}; rm -rf {outside.parent}/outside.txt; touch ../new.txt"}
    )
    assert outside.read_text() == SECRET
    assert not (outside.parent / "new.txt").exists()


@caged
def test_a_caged_command_finds_no_connection_file_of_jupyter(opened, folder, monkeypatch):
    runtime = folder.parent / "runtime"
    runtime.mkdir()
    (runtime / "kernel-7.json").write_text(f'{{"key": "{SECRET}", "shell_port": 50001}}')
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(runtime))
    said = opened(shell="allow").call(
        "bash",
        {
            "command": f"cat {runtime}/*.json $JUPYTER_RUNTIME_DIR/*.json /proc/*/cwd/runtime/*.json;"
            " env; find / -name 'kernel-*.json' -not -path '/proc/*' 2>/dev/null; true"
        },
    )
    assert SECRET not in said
    assert "JUPYTER" not in said
    assert not [line for line in said.splitlines() if line.endswith("/kernel-7.json")]
    assert (runtime / "kernel-7.json").exists()


@caged
def test_a_caged_test_cannot_read_outside_either(shell, folder, outside):
    (folder / "tests/test_out.py").write_text(
        f"def test_out():\n    assert 0, open({str(outside)!r}).read()\n"
    )
    assert SECRET not in shell.call("run_tests", {"path": "tests/test_out.py"})


@caged
def test_a_caged_command_has_no_network_unless_the_user_says_so(opened):
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        port = server.getsockname()[1]
        connect = f"exec 3<>/dev/tcp/127.0.0.1/{port} && echo reached"
        without = opened(shell="allow").call("bash", {"command": connect})
        assert "reached" not in without
        reachable = opened(shell="allow", network=True)
        assert reachable.call("bash", {"command": connect}) == "reached\n"
        assert "with the network" in reachable.containment


@caged
def test_a_caged_command_has_no_devices_of_the_machine(shell):
    said = shell.call(
        "bash", {"command": "ls /dev | tr '\\n' ' '; mount -t tmpfs x /usr 2>&1; echo x > /usr/x"}
    )
    assert not {"sda", "vda", "kmsg", "mem"} & set(said.split())
    assert "Read-only" in said


def test_every_limit_is_in_force(shell, folder):
    said = shell.call("bash", {"command": "ulimit -c; ulimit -f; ulimit -d; ulimit -t; ulimit -n"})
    core, file, data, cpu, files = said.split()
    assert (core, file) == ("0", str(1 << 20))
    assert int(data) >= 4 << 20
    assert int(cpu) <= 30 * (os.cpu_count() or 1) + 5
    assert int(files) <= 4096
    (folder / "tests/test_limits.py").write_text(
        "import resource\n"
        "def test_limits():\n"
        "    for name in ('CORE', 'FSIZE', 'DATA', 'CPU', 'NOFILE'):\n"
        "        hard = resource.getrlimit(getattr(resource, 'RLIMIT_' + name))[1]\n"
        "        assert hard != resource.RLIM_INFINITY, name\n"
    )
    assert "1 passed" in shell.call("run_tests", {"path": "tests/test_limits.py"})


def test_too_much_memory_is_an_error_of_the_command(tmp_path):
    limits = Limits(data_bytes=64 << 20)
    argv = limited(["python3", "-c", "x = bytearray(1 << 30)"], limits)
    done = __import__("subprocess").run(argv, capture_output=True, text=True, check=False)
    assert "MemoryError" in done.stderr


def test_a_bomb_in_a_test_and_a_daemon_leave_nothing(opened, folder):
    shell = opened(shell="allow", time_limit_seconds=2)
    (folder / "tests/test_bomb.py").write_text(
        "import os, time\n"
        "def test_bomb():\n"
        "    for _ in range(5):\n"
        "        os.fork()\n"
        "    os.setsid() if os.getpgrp() != os.getpid() else None\n"
        "    time.sleep(60)\n"
    )
    mark = shell._surroundings.folder.name
    assert shell.call("run_tests", {"path": "tests/test_bomb.py"}).startswith(
        "Error: the command took longer"
    )
    assert within(5, lambda: left(mark) <= 3), "the server itself may stay"
    assert "1 passed" in shell.call("run_tests", {"path": "tests/test_cart.py"})
    shell.close()
    assert within(5, lambda: left(mark) == 0)


def left(mark: str) -> int:
    """Processes that carry the workspace's mark."""
    count = 0
    for environ in Path("/proc").glob("[0-9]*/environ"):
        try:
            count += mark.encode() in environ.read_bytes()
        except OSError:
            continue
    return count


def test_what_holds_a_command_is_said_plainly(folder):
    assert Containment(folder, None).text.startswith("not confined: it can read and write what you can")
    assert Containment(folder, "/usr/bin/bwrap").text.endswith("to this folder, without network")
    assert Workspace(folder).containment == Containment.of(folder.resolve()).text
