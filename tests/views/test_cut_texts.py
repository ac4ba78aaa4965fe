"""Texts are cut for the eye; what must not be shown is struck out before."""

from __future__ import annotations

import pytest

from opencollab_nb import keep_secret
from opencollab_nb.views.text import ends, head

KEY = "sk-cut-in-two-4f1e9a7b3c"


@pytest.mark.parametrize("before", range(60, 100))
def test_a_secret_across_the_cut_of_a_line_is_shown_in_no_part(before: int) -> None:
    keep_secret("CUT_KEY", KEY)
    shown = head("a" * before + KEY + "b" * 200, 48)
    assert "sk-cut" not in shown


@pytest.mark.parametrize("before", range(180, 240, 3))
def test_a_secret_across_either_cut_of_a_long_text_is_shown_in_no_part(before: int) -> None:
    keep_secret("CUT_KEY", KEY)
    text = "a" * before + KEY + "b" * 400 + KEY + "c" * (before // 2 - 20)
    shown = ends(text, 330, "below")
    assert "sk-cut" not in shown
    assert KEY[-8:] not in shown
