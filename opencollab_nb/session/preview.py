"""Looking at the next request before it is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opencollab_nb.errors import SessionBusy
from opencollab_nb.request import Request
from opencollab_nb.ticket import Ticket, holding

if TYPE_CHECKING:
    from opencollab_nb.session.bench import Bench


def preview(bench: Bench) -> Request:
    """The next request of a session at rest; see `Session.request`.

    Where shapers of a resumed run are missing it is what their records say, with the messages since.
    """
    ticket = Ticket()
    with bench.lock:
        if bench.busy:
            raise SessionBusy("a step is in flight and the next request depends on it: pause or stop first")
        bench.check_open()
        bench.begin(ticket)
    try:
        with holding(ticket):
            bench.settle()
            return bench.next.preview(ticket)
    except BaseException:
        ticket.cancel()
        raise
    finally:
        bench.release(ticket)
        bench.tell()
