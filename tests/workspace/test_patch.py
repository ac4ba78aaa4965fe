"""apply_patch."""

from __future__ import annotations

import pytest

from opencollab_nb.workspace import Workspace


def patch(workspace: Workspace, search: str, replace: str, path: str = "notes.txt") -> str:
    return workspace.call("apply_patch", {"path": path, "search": search, "replace": replace})


def test_the_one_occurrence_is_replaced(workspace, folder):
    assert patch(workspace, "second", "2nd") == "patched notes.txt at line 2"
    assert (folder / "notes.txt").read_text() == "first\n2nd\nthird\n"


@pytest.mark.parametrize("replace", [r"\1 \g<0> $1", "", "second second", "a\0b"])
def test_the_replacement_is_taken_as_it_stands(workspace, folder, replace):
    patch(workspace, "second", replace)
    assert (folder / "notes.txt").read_text() == f"first\n{replace}\nthird\n"


def test_several_occurrences_are_counted_and_placed(workspace, folder):
    (folder / "notes.txt").write_text("a = 1\nb = 1\nc = 2\nd = 1\n")
    assert patch(workspace, "= 1", "= 3") == (
        "Error: the text to replace occurs 3 times in notes.txt (lines 1, 2, 4); "
        "add neighbouring lines to search until it occurs once."
    )


def test_overlapping_occurrences_count(workspace, folder):
    (folder / "notes.txt").write_text("aaa")
    assert "occurs 2 times" in patch(workspace, "aa", "b")


def test_without_an_occurrence_the_nearest_line_is_shown(workspace):
    answer = patch(workspace, "return sum(price)", "return 0", "shop/cart.py")
    assert answer.startswith(
        "Error: the text to replace occurs 0 times in shop/cart.py; the nearest line is 2: "
    )
    assert "'    return sum(prices)'" in answer


def test_a_difference_in_white_space_only_finds_its_line(workspace):
    assert "nearest line is 2" in patch(workspace, "  return sum(prices)\n\n", "x", "shop/cart.py")


@pytest.mark.parametrize(
    ("search", "replace", "why"), [("", "x", "search is empty"), ("a", "a", "nothing would change")]
)
def test_an_edit_of_nothing_is_refused(workspace, search, replace, why):
    assert why in patch(workspace, search, replace)


def test_bytes_that_are_no_utf8_stay_as_they_are(workspace, folder):
    (folder / "latin").write_bytes(b"caf\xe9\nold\n\xff\xfe")
    patch(workspace, "old", "néw", "latin")
    assert (folder / "latin").read_bytes() == b"caf\xe9\n" + "néw".encode() + b"\n\xff\xfe"


def test_a_file_of_crlf_lines_keeps_them(workspace, folder):
    (folder / "dos").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    patch(workspace, "one\ntwo", "1\n2", "dos")
    assert (folder / "dos").read_bytes() == b"1\r\n2\r\nthree\r\n"


def test_lone_surrogates_are_written_as_replacement(workspace, folder):
    patch(workspace, "second", "\udcff")
    assert (folder / "notes.txt").read_text() == "first\n\ufffd\nthird\n"


def test_a_file_too_large_to_hold_is_refused(workspace, folder):
    with (folder / "huge").open("wb") as file:
        file.truncate(1 << 30)
    assert "has 1073741824 bytes" in patch(workspace, "a", "b", "huge")


def test_a_file_of_both_kinds_of_lines_is_patched_where_the_text_stands(workspace, folder):
    (folder / "both").write_bytes(b"one\r\ntwo\r\nthree\nfour\n")
    patch(workspace, "one\ntwo", "1\n2", "both")
    patch(workspace, "three\nfour", "3\n4", "both")
    assert (folder / "both").read_bytes() == b"1\r\n2\r\n3\n4\n"
