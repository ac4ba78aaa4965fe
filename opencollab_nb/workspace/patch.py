"""apply_patch: one search/replace edit."""

from __future__ import annotations

import difflib
import os

from opencollab_nb.messages import encodable
from opencollab_nb.workspace.files import link_note, replace_file, writable
from opencollab_nb.workspace.paths import Folder, open_file
from opencollab_nb.workspace.problem import ToolProblem, shown

PATCHED_BYTES = 16 << 20
"""The file is held in memory; larger ones are refused."""
COMPARED_LINES = 5_000
"""Lines looked at for the nearest one when the text is not found."""


def apply_patch(folder: Folder, path: str, search: str, replace: str) -> str:
    """Replace `search`, which must occur exactly once, by `replace`.

    Bytes that are no UTF-8 stay as they are; LF in the edit means CRLF in a file of CRLF lines, and in one
    of both kinds where the text is not found otherwise.

    Raises:
        ToolProblem: nothing to do, no such file, or not exactly one occurrence.
    """
    if not search:
        raise ToolProblem(
            "search is empty; give the exact text to replace, or use file_write for a new file."
        )
    if search == replace:
        raise ToolProblem("search and replace are the same text; nothing would change.")
    with folder.place(path) as place:
        fd = open_file(place, path)
        with os.fdopen(fd, "rb") as file:
            before = os.fstat(fd)
            if before.st_size > PATCHED_BYTES:
                raise ToolProblem(
                    f"{shown(path)} has {before.st_size} bytes; apply_patch takes {PATCHED_BYTES}."
                )
            data = file.read(PATCHED_BYTES + 1)
        writable(place, path)
        text = data.decode("utf-8", "surrogateescape")
        search, replace = encodable(search), encodable(replace)
        crlf_lines = text.count("\r\n")
        if crlf_lines and (crlf_lines == text.count("\n") or search not in text):
            search, replace = _with_crlf(search), _with_crlf(replace)
        at = _only_occurrence(text, search, path)
        patched = text[:at] + replace + text[at + len(search) :]
        replace_file(place, patched.encode("utf-8", "surrogateescape"), before)
        first = text.count("\n", 0, at) + 1
        return f"patched {path} at line {first}{link_note(before)}"


def _with_crlf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


def _only_occurrence(text: str, search: str, path: str) -> int:
    found, at = [], text.find(search)
    while at >= 0:
        found.append(at)
        at = text.find(search, at + 1)
    if len(found) == 1:
        return found[0]
    if found:
        lines = ", ".join(str(text.count("\n", 0, at) + 1) for at in found[:5]) + ", …" * (len(found) > 5)
        raise ToolProblem(
            f"the text to replace occurs {len(found)} times in {path} (lines {lines}); "
            "add neighbouring lines to search until it occurs once."
        )
    raise ToolProblem(f"the text to replace occurs 0 times in {path}{_nearest_line(text, search)}")


def _nearest_line(text: str, search: str) -> str:
    wanted = next((line for line in search.splitlines() if line.strip()), "").strip()
    lines = text.split("\n")[:COMPARED_LINES]
    bare = [line.strip()[:400] for line in lines]
    close = [wanted] if wanted in bare else difflib.get_close_matches(wanted[:400], bare, n=1, cutoff=0.4)
    if not wanted or not close:
        return "; read the file again and copy the text exactly."
    at = bare.index(close[0])
    line = encodable(lines[at].rstrip("\r"))
    return f"; the nearest line is {at + 1}: {shown(line)}. Copy the text exactly, white space too."
