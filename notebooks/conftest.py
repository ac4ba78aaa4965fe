"""Kernels that run notebooks under test keep their run folders in a temporary folder."""

from __future__ import annotations

import os
import tempfile

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Set before any kernel starts, for kernels inherit the environment."""
    home = tempfile.TemporaryDirectory(prefix="opencollab_nb-")
    config.add_cleanup(home.cleanup)
    os.environ["OPENCOLLAB_NB_HOME"] = home.name
