"""Under pytest, a test that fails on `assert check_shaper(shaper)` shows the whole report.

pytest itself shows the beginning of it on one line.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from typing import Any

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:  # noqa: ARG001 - the hook's signature
    """Add the reports of broken laws that the failing function held."""
    report = yield
    if call.excinfo is not None and call.excinfo.errisinstance(AssertionError):
        for told in _broken(call.excinfo):
            report.sections.append(("laws of shaping", told))
    return report


def _broken(excinfo: pytest.ExceptionInfo[BaseException]) -> list[str]:
    # A test that has not checked a shaper has not imported this, and pays nothing.
    checks = sys.modules.get("opencollab_nb.shaping.check")
    if checks is None:
        return []
    held = [value for entry in excinfo.traceback for value in entry.frame.f_locals.values()]
    found = {id(value): value for value in held if isinstance(value, checks.LawReport) and not value}
    return [repr(value) for value in found.values()]
