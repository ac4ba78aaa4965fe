"""Nothing outside the folder is reached by the Python tools, whatever the path or the links."""

from __future__ import annotations

import os
import socket
import threading
from pathlib import Path

import pytest

from opencollab_nb.workspace import Workspace
from opencollab_nb.workspace.paths import Folder

from .processes import open_descriptors

SECRET = "the secret outside"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    place = tmp_path / "outside"
    place.mkdir()
    (place / "secret.txt").write_text(SECRET)
    return place


def everything(workspace: Workspace, path: str) -> list[str]:
    """The answer of each Python tool for a path."""
    return [
        workspace.call("file_read", {"path": path}),
        workspace.call("grep", {"pattern": "secret", "path": path}),
        workspace.call("grep", {"pattern": "sec(r)et", "path": path}),
        workspace.call("file_write", {"path": path, "content": "overwritten"}),
        workspace.call("apply_patch", {"path": path, "search": "secret", "replace": "patched"}),
    ]


@pytest.mark.parametrize(
    "path",
    ["../outside/secret.txt", "shop/../../outside/secret.txt", "./../outside/secret.txt", "..", "shop/.."],
)
def test_no_tool_goes_up(workspace, outside, path):
    for answer in everything(workspace, path):
        assert answer.startswith("Error: ")
        assert "'..'" in answer
    assert (outside / "secret.txt").read_text() == SECRET


def test_no_tool_takes_an_absolute_path_and_the_error_shows_the_relative_one(workspace, outside, folder):
    for path in (str(outside / "secret.txt"), "/etc/passwd", "/proc/self/environ", "//etc/passwd"):
        assert all(answer.startswith("Error: ") for answer in everything(workspace, path))
    assert "'shop/cart.py'" in workspace.call("file_read", {"path": str(folder / "shop/cart.py")})


@pytest.mark.parametrize("target", ["{outside}/secret.txt", "../outside/secret.txt", "/proc/self/environ"])
def test_a_link_out_is_refused(workspace, outside, folder, target):
    (folder / "link").symlink_to(target.format(outside=outside))
    for answer in everything(workspace, "link"):
        assert answer.startswith("Error: ")
        assert "through a link" in answer
    assert (outside / "secret.txt").read_text() == SECRET
    assert (folder / "link").is_symlink()


def test_a_folder_that_links_out_is_refused_and_not_searched(workspace, outside, folder):
    (folder / "linked").symlink_to(outside)
    (folder / "shop/back").symlink_to("../../outside")
    for path in ("linked/secret.txt", "linked/new.txt", "shop/back/secret.txt", "linked"):
        assert all(answer.startswith("Error: ") for answer in everything(workspace, path))
    assert workspace.call("grep", {"pattern": SECRET}) == "no match"
    assert workspace.call("grep", {"pattern": "the sec(r)et"}) == "no match"
    assert sorted(p.name for p in outside.iterdir()) == ["secret.txt"]


def test_links_inside_are_followed(workspace, folder):
    (folder / "same.txt").symlink_to("notes.txt")
    (folder / "sub").symlink_to("shop")
    (folder / "shop/up.txt").symlink_to("../notes.txt")
    (folder / "whole.txt").symlink_to(folder / "notes.txt")
    for path in ("same.txt", "shop/up.txt", "sub/up.txt", "whole.txt"):
        assert "first" in workspace.call("file_read", {"path": path})
    assert workspace.call("file_write", {"path": "same.txt", "content": "new"}).startswith("wrote")
    assert (folder / "notes.txt").read_text() == "new"
    assert (folder / "same.txt").is_symlink()


def test_links_in_a_circle_end(workspace, folder):
    (folder / "a").symlink_to("b")
    (folder / "b").symlink_to("a")
    for answer in everything(workspace, "a"):
        assert answer.startswith("Error: path 'a' goes round in links")


def test_a_link_changed_all_the_time_never_leads_out(workspace, outside, folder):
    (folder / "inside").mkdir()
    (folder / "inside/secret.txt").write_text("harmless")
    stop = threading.Event()

    def swap() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            new = folder / f"new{number % 2}"
            new.symlink_to("inside" if number % 2 else outside)
            new.replace(folder / "moving")

    (folder / "moving").symlink_to("inside")
    thread = threading.Thread(target=swap)
    thread.start()
    try:
        for _ in range(400):
            assert SECRET not in workspace.call("file_read", {"path": "moving/secret.txt"})
            workspace.call("file_write", {"path": "moving/secret.txt", "content": "overwritten"})
    finally:
        stop.set()
        thread.join()
    assert (outside / "secret.txt").read_text() == SECRET


def test_fifos_sockets_and_devices_are_refused_at_once(workspace, folder):
    os.mkfifo(folder / "fifo")
    here = socket.socket(socket.AF_UNIX)
    before = Path.cwd()
    os.chdir(folder)  # the name of a socket is at most 100 bytes long
    here.bind("socket")
    os.chdir(before)
    try:
        for name, kind in (("fifo", "FIFO"), ("socket", "socket")):
            for answer in everything(workspace, name):
                assert answer == f"Error: '{name}' is a {kind}, not a regular file; choose another path."
        assert workspace.call("grep", {"pattern": "nothing"}) == "no match"
    finally:
        here.close()


def test_a_folder_is_answered_with_what_it_holds(workspace):
    assert workspace.call("file_read", {"path": "shop"}) == (
        "Error: 'shop' is a folder; it holds: __init__.py, cart.py"
    )
    assert "notes.txt, shop/, tests/" in workspace.call("file_read", {"path": "."})
    assert "notes.txt, shop/, tests/" in workspace.call("file_read", {"path": ""})


def test_a_missing_file_is_answered_with_the_nearest(workspace):
    assert "did you mean 'shop/cart.py'?" in workspace.call("file_read", {"path": "shop/carts.py"})
    assert "there is no folder 'shops'" in workspace.call("file_read", {"path": "shops/cart.py"})
    assert "not a folder: 'notes.txt'" in workspace.call("file_read", {"path": "notes.txt/a"})


@pytest.mark.parametrize(
    "path", ["a\0b", "\ud83e", "x" * 300, "a\nb", "\u202egnp.exe", "<script>", "-rf", "~"]
)
def test_odd_names_are_answered(workspace, path):
    for answer in everything(workspace, path):
        answer.encode()
        assert answer.startswith(("Error: ", "wrote ", "no match", "patched "))


def test_no_descriptor_is_left_open(folder):
    (folder / "link").symlink_to("/etc")
    workspace = Workspace(folder)
    everything(workspace, "notes.txt")
    before = open_descriptors()
    for path in ("notes.txt", "shop/cart.py", "link/passwd", "shop", "missing/x", "../x", "new/file.txt"):
        everything(workspace, path)
    workspace.close()
    assert open_descriptors() <= before


def test_the_resolved_parts_are_known(folder):
    (folder / "sub").symlink_to("shop")
    with Folder(folder.resolve()).place("sub/cart.py") as place:
        assert place.path == "shop/cart.py"
        assert not place.in_git
