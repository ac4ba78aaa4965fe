"""A long text in pieces that fit, cut where the fewest lines are torn."""

from __future__ import annotations

from opencollab_nb.tokens.estimate import estimate

_LEAST_TOKENS = 8


def pieces(text: str, max_tokens: int) -> list[str]:
    r"""The text in as few pieces as fit; put together they are the text again.

    >>> pieces("one two\n\nthree four\n\nfive six", 8)
    ['one two\n\nthree four\n\n', 'five six']
    """
    max_tokens = max(max_tokens, _LEAST_TOKENS)
    out: list[str] = []
    while text:
        end = len(text)
        while end > 1 and estimate(text[:end]) > max_tokens:
            end = max(1, min(end * 9 // 10, end * max_tokens // estimate(text[:end]) + 1))
        out.append(text[: cut_before(text, end)])
        text = text[len(out[-1]) :]
    return out


def cut_before(text: str, end: int) -> int:
    """The best place to cut at or before `end`: after a blank line, a line, a word; in the second half."""
    if end >= len(text):
        return len(text)
    for mark in ("\n\n", "\n", " "):
        at = text.rfind(mark, end // 2, end)
        if at > 0:
            return at + len(mark)
    return end
