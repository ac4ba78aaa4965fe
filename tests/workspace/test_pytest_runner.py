"""run_tests: real pytest on the workspace."""

from __future__ import annotations

import sys

import pytest

from opencollab_nb.workspace import Workspace
from opencollab_nb.workspace.paths import Folder
from opencollab_nb.workspace.pytest_runner import run_tests


def report_of(workspace: Workspace, path: str | None = None) -> str:
    return workspace.call("run_tests", {"path": path})


def test_a_passing_and_a_failing_run(shell, folder):
    assert report_of(shell).endswith("\n1 passed")
    (folder / "shop/cart.py").write_text("def total(prices):\n    return 0\n")
    answer = report_of(shell)
    assert not answer.startswith("Error")
    assert "assert 0 == 3" in answer
    assert answer.endswith("FAILED tests/test_cart.py::test_total - assert 0 == 3\n1 failed")


def test_each_run_sees_the_files_as_they_are_now(shell, folder):
    for number in range(3):
        (folder / "shop/cart.py").write_text(f"def total(prices):\n    return {number + 1}\n")
        assert ("1 passed" in report_of(shell, "tests")) == (number == 2)


def test_a_file_a_folder_or_one_test(shell, folder):
    (folder / "tests/test_more.py").write_text("def test_a():\n    pass\n\ndef test_b():\n    pass\n")
    assert report_of(shell, "tests/test_more.py").endswith("2 passed")
    assert report_of(shell, "tests").endswith("3 passed")
    assert report_of(shell, "tests/test_more.py::test_b").endswith("1 passed")


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("missing.py", "pytest could not run missing.py (exit status 4)"),
        ("shop", "pytest found no tests in shop"),
        ("tests/test_cart.py::test_none", "not found"),
        ("../other", "holds '..'"),
        ("/etc", "is absolute"),
        ("-h", "could not run -h"),
        ("--collect-only", "could not run --collect-only"),
    ],
)
def test_a_run_that_cannot_be_is_an_error(shell, path, why):
    answer = report_of(shell, path)
    assert answer.startswith("Error: ")
    assert why in answer


def test_a_test_file_that_does_not_import_is_shown_as_pytest_shows_it(shell, folder):
    (folder / "tests/test_cart.py").write_text("import nothing_of_that_name\n")
    answer = report_of(shell)
    assert "No module named 'nothing_of_that_name'" in answer
    assert "1 error" in answer


def test_a_broken_conftest_is_an_error(shell, folder):
    (folder / "conftest.py").write_text("raise RuntimeError('broken on purpose')\n")
    answer = report_of(shell)
    assert answer.startswith("Error: pytest could not run the workspace")
    assert "broken on purpose" in answer


def test_settings_come_from_the_workspace_and_never_from_above(shell, folder):
    (folder.parent / "pytest.ini").write_text("[pytest]\naddopts = --not-an-option\n")
    (folder.parent / "conftest.py").write_text("raise RuntimeError('from above')\n")
    assert report_of(shell).endswith("1 passed")
    (folder / "pyproject.toml").write_text("[tool.pytest.ini_options]\npython_functions = 'check_*'\n")
    (folder / "tests/test_more.py").write_text("def check_a():\n    pass\n\ndef test_b():\n    pass\n")
    assert report_of(shell, "tests/test_more.py").endswith("1 passed")


def test_a_folder_of_its_own_settings_has_them(shell, folder):
    (folder / "tests/pytest.ini").write_text("[pytest]\npython_functions = check_*\n")
    (folder / "tests/test_more.py").write_text("def check_a():\n    pass\n\ndef check_b():\n    pass\n")
    assert report_of(shell, "tests").endswith("2 passed")


def test_the_report_of_two_runs_is_the_same(shell, folder):
    (folder / "tests/test_odd.py").write_text(
        "def test_odd(tmp_path):\n"
        "    print('in', tmp_path)\n"
        "    assert object() is tmp_path\n"
    )  # fmt: skip
    first, second = report_of(shell), report_of(shell)
    assert first == second
    assert "$TMPDIR/pytest/test_odd0" in first
    assert " at 0x…" in first


def test_nothing_is_left_in_the_workspace(shell, folder):
    report_of(shell)
    assert not list(folder.rglob("__pycache__"))
    assert not list(folder.rglob(".pytest_cache"))


@pytest.mark.parametrize(
    "end", ["sys.exit(3)", "os._exit(3)", "os.kill(os.getpid(), 9)", "raise KeyboardInterrupt"]
)
def test_a_test_that_ends_the_process_is_an_error_and_the_next_run_works(shell, folder, end):
    (folder / "tests/test_end.py").write_text(f"import os, sys\n\ndef test_end():\n    {end}\n")
    answer = report_of(shell, "tests/test_end.py")
    assert "passed" not in answer
    assert report_of(shell, "tests/test_cart.py").endswith("1 passed")


def test_endless_tests_are_ended(opened, folder):
    (folder / "tests/test_end.py").write_text("def test_end():\n    while True:\n        pass\n")
    answer = report_of(opened(shell="allow", time_limit_seconds=1), "tests/test_end.py")
    assert answer.startswith("Error: the command took longer than 1 s")


def test_without_the_server_the_report_is_the_same(shell, folder):
    (folder / "tests/test_more.py").write_text("def test_a():\n    assert [1] == [2]\n")
    env = shell._command_env()
    plain = run_tests(
        Folder(folder.resolve()),
        env,
        None,
        server=None,
        held_by=shell._held_by,
        private=shell._surroundings.folder,
        time_limit_seconds=60,
        output_chars=10_000,
        ticket=None,
    )
    assert plain == report_of(shell)


def test_pytest_missing_is_said(shell, folder, tmp_path):
    """The interpreter has pytest, so its absence is played by a module of that name that is not there."""
    (folder / "pytest.py").write_text("raise ModuleNotFoundError('No module named pytest')\n")
    answer = run_tests(
        Folder(folder.resolve()),
        shell._command_env(),
        None,
        server=None,
        held_by=shell._held_by,
        private=shell._surroundings.folder,
        time_limit_seconds=60,
        output_chars=10_000,
        ticket=None,
    )
    assert answer.startswith("Error: pytest is not installed beside this Python")
    assert sys.executable


def test_a_test_that_prints_without_end_does_not_fill_the_disk(shell, folder):
    code = "import sys\n\ndef test_end():\n    sys.stdout.truncate(1 << 40)\n"
    (folder / "tests/test_end.py").write_text(code)
    assert "File too large" in report_of(shell, "tests/test_end.py")
