"""Teams: several sessions that share a token budget, and who may spend how much of it.

- `roster.py`  a team as it was declared: roles, topology, allowances
- `allocation.py`  the four rules of sharing tokens; `books.py` the accounts they act on
- `ledger.py`  the one lock around the books, and the lease of one member
- `file.py`    `read_team`: a team file, all its faults at once
"""

from opencollab_nb.team.file import read_team
from opencollab_nb.team.roster import Role, TeamSpec, Topology

__all__ = ["Role", "TeamSpec", "Topology", "read_team"]
