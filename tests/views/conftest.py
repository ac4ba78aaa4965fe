"""A real IPython shell for each test that asks for one."""

from __future__ import annotations

import atexit
from collections.abc import Iterator

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config


@pytest.fixture
def bare_shell() -> Iterator[InteractiveShell]:
    """A shell without our extension, with a history in memory."""
    config = Config()
    config.HistoryManager.enabled = False
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance(config=config)
    # IPython itself loads the magics around extensions when first asked.
    shell.run_line_magic("unload_ext", "opencollab_nb")
    yield shell
    shell.run_line_magic("unload_ext", "opencollab_nb")
    InteractiveShell.clear_instance()
    # Else every shell lives to the end of the process, which then takes minutes to clear them one by one.
    atexit.unregister(shell.atexit_operations)


@pytest.fixture
def shell(bare_shell: InteractiveShell) -> InteractiveShell:
    """A shell with our extension loaded as a user would."""
    bare_shell.run_cell("%load_ext opencollab_nb")
    return bare_shell
