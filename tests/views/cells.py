"""Running cells in a real shell and looking at all that came of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output


@dataclass(frozen=True)
class Ran:
    """What a cell did."""

    value: Any
    error: BaseException | None
    out: str
    err: str
    shown: list[dict[str, Any]]
    """Outputs that were displayed, the cell's value too."""

    @property
    def problem(self) -> str:
        """The text of a usage error, as the reader of the cell sees it."""
        assert self.err.startswith("UsageError: "), (self.out, self.err)
        assert "Traceback" not in self.err + self.out
        return self.err.removeprefix("UsageError: ").strip()


def run(shell: InteractiveShell, cell: str) -> Ran:
    """Run one cell."""
    values: list[Any] = []
    hook = shell.displayhook
    former, hook.write_format_data = hook.write_format_data, lambda data, _meta=None: values.append(data)
    try:
        with capture_output() as seen:
            result = shell.run_cell(cell)
    finally:
        hook.write_format_data = former
    error = result.error_in_exec or result.error_before_exec
    out = re.sub(r"^Out\[\d+\]: \n?", "", seen.stdout)
    shown = [*(output.data for output in seen.outputs), *values]
    return Ran(result.result, error, out.strip("\n") and out, seen.stderr, shown)
