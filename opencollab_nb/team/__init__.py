"""Teams: several sessions that share a token budget, and who may spend how much of it.

- `roster.py`  a team as it was declared: roles, topology, allowances
- `allocation.py`  the four rules of sharing tokens; `books.py` the accounts they act on
- `ledger.py`  the one lock around the books, and the lease of one member
- `team.py`    `Team`, the verbs; `opening.py` making one, `organisation.py` its rule, `resume.py` going on
- `crew.py`    what the parts of a team share; `member.py` one member, `beginning.py` its session
- `tools.py`   spawn, message, wait: the tools; `acts.py` what they do
- `mail.py`    messages, numbered; `delivery.py` into transcripts, once; `ending.py` what a member leaves
- `stepping.py`  one step of one member; `run.py` all at once, in threads; `swaps.py` shapers mid-run
- `outcome.py`  what came of a session, in one word; `results.py` what became of each member
- `show.py`    a team as a table, for a notebook without the extension
- `log.py`     the team's own events; `events.py` their kinds
- `file.py`    `read_team`: a team file, all its faults at once (`faults.py`); `nodes.py` YAML with lines,
  `reading.py` one value, `parts.py`, `roles.py`, `edges.py`, `allowances.py` its parts; `shipped.py` teams
  that come with the house; `written.py` a team as data again
- `context.py`  a member's context: sources in layers, put together by one plan
- `models.py`  who plays a role
- `workflow.py`  `Workflow`: Python decides which agents run; `agents.py` one of them, `flows.py` ways to run
  several, `workflow_view.py` what it shows
- `seats.py`   a shipped task for three simulated seats
- `audit.py`   role, behaviour, result and cost as tables; `audit_rows.py` the rows of one member
"""

from opencollab_nb.team.file import read_team
from opencollab_nb.team.roster import Role, TeamSpec, Topology
from opencollab_nb.team.seats import seats
from opencollab_nb.team.team import Team
from opencollab_nb.team.workflow import Workflow

__all__ = ["Role", "Team", "TeamSpec", "Topology", "Workflow", "read_team", "seats"]
