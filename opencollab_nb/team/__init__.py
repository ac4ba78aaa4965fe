"""Teams: several sessions that share a token budget, and who may spend how much of it.

- `roster.py`  a team as it was declared: roles, topology, allowances
"""

from opencollab_nb.team.roster import Role, TeamSpec, Topology

__all__ = ["Role", "TeamSpec", "Topology"]
