"""Long texts of each format, and hostile ones, made anew at each call."""

from __future__ import annotations

import json
from typing import Any

from opencollab_nb.messages import Messages
from tests.build import assistant, call, numbered, result, task

MEGA = 1_000_000


def talk(text: Any, tool: str = "bash", arguments: dict[str, Any] | str | None = None) -> Messages:
    """A long result with id 2, and one message after it."""
    args = {"command": "make"} if arguments is None else arguments
    return numbered([task(), assistant(None, call(tool, args)), result(text), assistant("I see.")])


def log(lines: int) -> str:
    return "".join(
        f"2026-01-01 10:{i // 60 % 60:02d}:{i % 60:02d} "
        f"{'ERROR lost connection to db' if i % 500 == 499 else 'INFO request served in'} {i % 313}\n"
        for i in range(lines)
    )


def pytest_output(tests: int) -> str:
    passed = "".join(f"tests/test_shop.py::test_{i} PASSED [ {100 * i // tests}%]\n" for i in range(tests))
    return (
        "============================= test session starts ==============================\n"
        f"{passed}"
        "=================================== FAILURES ===================================\n"
        "    def test_price():\n>       assert price() == 3\nE       assert 4 == 3\n"
        "=========================== short test summary info ============================\n"
        "FAILED tests/test_shop.py::test_price - assert 4 == 3\n"
        "FAILED tests/test_shop.py::test_tax - ValueError: no tax\n"
        f"======================== 2 failed, {tests} passed in 3.21s =========================\n"
    )


def table(rows: int) -> str:
    return json.dumps({"rows": [{"id": i, "name": f"n{i}", "tags": ["a", "b"]} for i in range(rows)]})


def hostile() -> dict[str, str]:
    """About 5 MB each."""
    return {
        "one line": "x" * (5 * MEGA),
        "a million lines": "abcd\n" * MEGA,
        "only line ends": "\n" * (5 * MEGA),
        "NUL": "\0" * (5 * MEGA),
        "ANSI": "\x1b[31mred error\x1b[0m\n" * 250_000,
        "lone surrogates": "\ud83e alone\n" * 600_000,
        "deep JSON": "[" * (2 * MEGA) + "]" * (2 * MEGA),
        "quotes": '"\\' * (2 * MEGA),
        "errors only": "error: failed\n" * 350_000,
        "not Latin": "错误：找不到文件。\n" * 500_000,
        "turned around": "\u202eabc\u2066\n" * 800_000,
        "spaces": " " * (5 * MEGA),
    }
