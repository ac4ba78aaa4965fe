"""Tasks and profiles are frozen: who changes one changes every figure ever made with it.

They were fixed before anything was compared with them, and they are not to be tuned until a shaper or a move
looks good. A new version of a task gets a name of its own.
"""

import hashlib
from pathlib import Path

import pytest

from opencollab_nb.models.simulated import profile
from opencollab_nb.tasks import load_task

DIGESTS = {
    "orders": "52ebd8394065a2cd",
    "orders_long": "ea5664a64f086ffb",
    "quickstart": "47a43e93fde2ef34",
}
PROFILES = "b9bc134fed454bd8"


def digest_of(folder):
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != "README.md" and "__pycache__" not in path.parts:
            digest.update(f"{path.relative_to(folder).as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


@pytest.mark.parametrize("name", DIGESTS)
def test_plan_and_project_of_a_task_are_as_they_were(name):
    assert digest_of(load_task(name).project.parent) == DIGESTS[name]


def test_the_profiles_are_as_they_were():
    assert hashlib.sha256(Path(profile.FILE).read_bytes()).hexdigest()[:16] == PROFILES
