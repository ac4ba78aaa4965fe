"""The rows of a map in pages of messages: a change costs its page, and a page that is the same is skipped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from opencollab_nb.views.splices import Splice, splices

PAGE_ROWS = 256
Extra = tuple[int, bytes]
"""A row that is no message's, with the number of messages before it."""
Page = Sequence[bytes]


class Pages:
    """Rows of messages by their ids, with others between them.

    A page holds the rows of `PAGE_ROWS` messages and those between; one that changed is another object.

    >>> pages = Pages()
    >>> pages.draw([b"0", b"1"], [(1, b"summary")], {0, 1})
    >>> list(pages.pages)
    [[b'0', b'summary', b'1']]
    """

    def __init__(self) -> None:
        self.pages: list[Page] = []
        """Replaced when something changed, so that what was told to a browser can be compared with it."""
        self._extras: dict[int, list[Extra]] = {}

    def __len__(self) -> int:
        return sum(map(len, self.pages))

    def draw(self, base: Sequence[bytes], extras: Iterable[Extra], changed: Iterable[int]) -> None:
        """Bring the pages up to date.

        Args:
            base: the rows of all messages.
            extras: those between them, in order.
            changed: ids whose rows are other ones than before, all that are new among them.
        """
        before, self._extras = self._extras, {}
        for extra in extras:
            self._extras.setdefault(extra[0] // PAGE_ROWS, []).append(extra)
        again = {own // PAGE_ROWS for own in changed}
        again |= {at for at in (*before, *self._extras) if before.get(at) != self._extras.get(at)}
        if not again:
            return
        count = max(-(-len(base) // PAGE_ROWS), max(self._extras, default=-1) + 1)
        pages = [*self.pages[:count], *([()] * (count - len(self.pages)))]
        for at in again:
            if at < count:
                pages[at] = self._page(base, at)
        self.pages = pages

    def _page(self, base: Sequence[bytes], at: int) -> Page:
        begin, end = at * PAGE_ROWS, (at + 1) * PAGE_ROWS
        rows: list[bytes] = []
        for place, row in self._extras.get(at, ()):
            rows += base[begin:place]
            rows.append(row)
            begin = place
        rows += base[begin:end]
        return rows


def news_of(before: Sequence[Page], after: Sequence[Page]) -> tuple[list[Splice], bytes]:
    """What turns one list of pages into the other: splices of all their rows, and the rows that come.

    >>> a, b = [b"a" * 18], [b"b" * 18]
    >>> news_of([a], [a, b])
    ([(1, 0, 1)], b'bbbbbbbbbbbbbbbbbb')
    """
    cut: list[Splice] = []
    come_rows: list[bytes] = []
    start = 0
    for old, new in zip_longest(before, after, fillvalue=()):
        if old is not new:
            for local, gone, come in splices(old, new):
                come_rows += new[local : local + come]
                at = start + local
                if cut and sum(cut[-1][::2]) == at:
                    at, gone, come = cut[-1][0], cut[-1][1] + gone, cut[-1][2] + come
                    cut.pop()
                cut.append((at, gone, come))
        start += len(new)
    return cut, b"".join(come_rows)
