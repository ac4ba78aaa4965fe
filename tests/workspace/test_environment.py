"""A child sees almost nothing of the kernel's environment."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ALLOWED = {
    "PATH", "HOME", "TMPDIR", "LANG", "TERM", "COLUMNS", "PAGER", "PWD", "SHLVL", "_", "OLDPWD",
    "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "PYTEST_DISABLE_PLUGIN_AUTOLOAD", "OPENCOLLAB_NB_CALL",
}  # fmt: skip
SECRETS = {
    "OPENAI_API_KEY": "sk-1",
    "AWS_SECRET_ACCESS_KEY": "s2",
    "JPY_PARENT_PID": "7",
    "SSH_AUTH_SOCK": "/s",
}


def names_in(listing: str) -> set[str]:
    return {line.partition("=")[0] for line in listing.split("\n") if "=" in line}


@pytest.fixture
def with_secrets(monkeypatch):
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)


def test_a_command_sees_the_allowed_variables_only(with_secrets, shell):
    names = names_in(shell.call("bash", {"command": "env"}))
    assert {name for name in names if not name.startswith("GIT_")} <= ALLOWED
    assert {"PATH", "HOME", "TMPDIR", "GIT_AUTHOR_NAME"} <= names


def test_tests_see_the_allowed_variables_only(with_secrets, shell, folder):
    (folder / "tests/test_env.py").write_text(
        "import os, pathlib\n"
        "def test_env():\n"
        "    pathlib.Path('env').write_text('\\n'.join(f'{k}=' for k in os.environ))\n"
        "    own = pathlib.Path('/proc/self/environ')\n"
        "    if own.exists():\n"
        "        pathlib.Path('first').write_bytes(own.read_bytes())\n"
    )
    assert "1 passed" in shell.call("run_tests", {"path": "tests/test_env.py"})
    names = names_in((folder / "env").read_text())
    assert {name for name in names if not name.startswith("GIT_")} <= ALLOWED | {
        "PYTEST_VERSION",
        "PYTEST_CURRENT_TEST",
    }
    assert "sk-1" not in (folder / "first").read_text()


def test_the_interpreter_of_the_kernel_comes_first(shell):
    assert shell.call("bash", {"command": "python -c 'import sys; print(sys.prefix)'"}).strip() == sys.prefix


def test_home_and_tmp_are_private_outside_and_gone_at_the_end(shell, folder):
    shell.call("bash", {"command": 'echo "$HOME" > home; echo "$TMPDIR" > tmp; touch ~/kept'})
    home, tmp = (Path((folder / name).read_text().strip()) for name in ("home", "tmp"))
    assert home != Path.home()
    assert not home.is_relative_to(folder)
    assert not tmp.is_relative_to(folder)
    assert "kept" in shell.call("bash", {"command": "ls ~"}), "one command's HOME is the next one's"
    shell.close()
    assert not home.exists()
    assert not tmp.exists()


def test_the_paths_of_this_machine_do_not_show(shell, folder):
    answer = shell.call(
        "bash", {"command": 'pwd; echo "$PWD/shop $HOME/x $TMPDIR"; mktemp -d > made; cat made'}
    )
    first, second, made = answer.rstrip().split("\n")
    assert (first, second) == (".", "./shop ~/x $TMPDIR")
    assert made.startswith("$TMPDIR/tmp.")
    assert str(folder.parent) not in answer


def test_a_workspace_around_the_temporary_folder_keeps_its_home_outside(opened, tmp_path, monkeypatch):
    import tempfile

    (tmp_path / "w/tmp").mkdir(parents=True)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "w/tmp"))
    workspace = opened(tmp_path / "w", shell="allow")
    home = workspace.call("bash", {"command": "cd ~ && pwd -P > /dev/stdout"})
    assert home.strip() == "~"
    assert not list((tmp_path / "w/tmp").iterdir())
