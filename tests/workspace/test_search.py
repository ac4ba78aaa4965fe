"""grep."""

from __future__ import annotations

import subprocess
import time

import pytest

from opencollab_nb.workspace import Workspace, search

from .processes import Cancelled


def grep(workspace: Workspace, pattern: str, **where: str) -> str:
    return workspace.call("grep", {"pattern": pattern, **where})


def test_matches_come_as_path_line_text(workspace):
    assert grep(workspace, "total") == (
        "shop/cart.py:1:def total(prices):\n"
        "tests/test_cart.py:1:from shop.cart import total\n"
        "tests/test_cart.py:4:def test_total():\n"
        "tests/test_cart.py:5:    assert total([1, 2]) == 3"
    )


def test_both_ways_of_searching_answer_the_same(workspace):
    for plain, grouped in (("total", "(total)"), ("first|third", "(first)|third"), ("nothing", "(nothing)")):
        assert search.is_linear(plain)
        assert not search.is_linear(grouped)
        assert grep(workspace, plain) == grep(workspace, grouped)
        assert grep(workspace, plain, path="shop") == grep(workspace, grouped, path="shop")
        assert grep(workspace, plain, path="notes.txt") == grep(workspace, grouped, path="notes.txt")
        assert grep(workspace, plain, path="missing") == grep(workspace, grouped, path="missing")


def test_the_order_is_that_of_the_names(workspace, folder):
    for name in ("b", "a", "Z", "sub/x", "a.d/y"):
        (folder / "o" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "o" / name).write_text("here\n")
    assert [hit.split(":")[0] for hit in grep(workspace, "here").split("\n")] == [
        "o/Z", "o/a", "o/b", "o/a.d/y", "o/sub/x",
    ]  # fmt: skip


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*b", "(.*)*x", "a" * 150 + "|" * 60])
def test_no_pattern_hangs(opened, folder, pattern):
    (folder / "bait.txt").write_text("a" * 40 + "!\n")
    start = time.monotonic()
    answer = grep(opened(time_limit_seconds=0.5), pattern, path="bait.txt")
    assert time.monotonic() - start < 10
    assert answer.startswith(("Error: searching for", "no match", "bait.txt:1:"))


def test_a_hanging_pattern_ends_when_the_ticket_is_cancelled(workspace, folder):
    (folder / "bait.txt").write_text("a" * 60 + "!\n")
    start = time.monotonic()
    cancelled = Cancelled(
        lambda ticket: workspace.call("grep", {"pattern": "(a+)+$"}, ticket=ticket),
        lambda: time.monotonic() - start > 0.5,
    )
    assert cancelled.raised is not None
    assert cancelled.seconds < 2


@pytest.mark.parametrize("pattern", ["total(", "[1, 2", "*", "(?P<n", "a{2,1}", "\\"])
def test_what_is_no_regular_expression_is_searched_as_text(workspace, folder, pattern):
    (folder / "odd.txt").write_text(f"before {pattern} after\n")
    first, *hits = grep(workspace, pattern).split("\n")
    assert "is no regular expression" in first
    assert f"odd.txt:1:before {pattern} after" in hits


def test_hits_are_capped(workspace, folder):
    (folder / "many.txt").write_text("here\n" * 1000)
    lines = grep(workspace, "here").split("\n")
    assert len(lines) == 201
    assert lines[-1] == "[only the first 200 matches; narrow the pattern or the path]"


def test_a_long_line_is_cut_around_its_match(workspace, folder):
    (folder / "long.txt").write_text("x" * 5_000_000 + "needle" + "y" * 5_000_000)
    hit = grep(workspace, "needle")
    assert "needle" in hit
    assert len(hit) < 500


def test_binary_files_and_git_are_skipped(workspace, repository):
    (repository / "data.bin").write_bytes(b"first\0\n")
    assert grep(workspace, "first") == "notes.txt:1:first"
    assert grep(workspace, "repositoryformatversion") == "no match"


def test_an_empty_pattern_is_refused(workspace):
    assert grep(workspace, "").startswith("Error: pattern is empty")


def test_names_and_lines_of_any_bytes_are_answered_in_sound_unicode(workspace, folder):
    (folder / "caf\udce9\nx").write_bytes(b"caf\xe9 here\n")
    for pattern in ("here", "(here)"):
        assert grep(workspace, pattern) == "caf\\xe9\\nx:1:caf\ufffd here"


def test_options_are_no_options(workspace, folder):
    (folder / "dash.txt").write_text("-r --include\n")
    assert grep(workspace, "-r --(inc)lude") == "dash.txt:1:-r --include"


def test_folders_too_deep_to_walk_are_left_out_and_the_rest_is_searched(shell, folder):
    shell.call("bash", {"command": "for n in $(seq 1500); do mkdir d && cd d; done; echo needle > x"})
    try:
        for pattern in ("first|needle", "(first|needle)"):
            assert grep(shell, pattern) == "[folders more than 200 deep were left out]\nnotes.txt:1:first"
        deep = "d/" * 300 + "x"
        assert "300 folders deep" in shell.call("file_write", {"path": deep, "content": ""}).replace(
            "301", "300"
        )
    finally:
        subprocess.run(["rm", "-rf", "d"], cwd=folder, check=True)
