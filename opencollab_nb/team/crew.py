"""What the parts of a team share: its members, its ledger, its mail, its record."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from opencollab_nb.errors import UnknownName
from opencollab_nb.models.tempered import tempered
from opencollab_nb.session.folder import FolderLock
from opencollab_nb.team.ledger import Ledger
from opencollab_nb.team.log import Log
from opencollab_nb.team.mail import Mail
from opencollab_nb.team.member import Member
from opencollab_nb.team.models import model_for
from opencollab_nb.team.roster import Role, TeamSpec

MEMBERS = "members"
MOST_MEMBERS = 64
"""A lead that spawns and spawns has lost its way."""


@dataclass
class Crew:
    """Changed only under `lock`.

    Locks are taken in this order: the crew's, a session's, the ledger's or the mail's, the log's. So a
    session may ask its lease under its own lock, and no session is stopped or waited for under the crew's.
    """

    spec: TeamSpec
    task: str
    path: Path
    log: Log
    ledger: Ledger
    mail: Mail
    models: Any = None
    workspace: Any = None
    own_workspace: bool = False
    """True where the team made the workspace, and closes it."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What every member's session is made with besides."""
    members: dict[str, Member] = field(default_factory=dict)
    chains: dict[str | None, Any] = field(default_factory=dict)
    """Chains for members that begin later, by member, None for all: `Chosen`, or the event of a swap."""
    summarizers: dict[str | None, Any] = field(default_factory=dict)
    """Summarizers for them, in the same way."""
    folder_lock: FolderLock | None = None
    turn: str | None = None
    """Who made the last step."""
    closed: bool = False
    lock: threading.RLock = field(default_factory=threading.RLock)

    @property
    def entry(self) -> Member:
        """The member that got the task."""
        return self.members[self.spec.entry]

    def member(self, name: str) -> Member:
        """The member of that name.

        Raises:
            UnknownName: there is none; the nearest is named.
        """
        if name not in self.members:
            raise UnknownName("member", name, self.members)
        return self.members[name]

    def add(self, member: Member) -> None:
        """Take in a member; who reads the members meanwhile has those of before."""
        self.members = {**self.members, member.name: member}

    def folder(self, name: str) -> Path:
        """The run folder of a member."""
        return self.path / MEMBERS / name

    def at_work(self, member: Member) -> bool:
        """True where it has a step to make."""
        if member.session is None or member.ended is not None:
            return False
        return not member.waiting or bool(self.mail.waiting(member.name))

    def model_for(self, role: Role) -> Any:
        """The model of a role.

        Raises:
            UsageProblem: none was given for it, or what was given cannot be asked.
        """
        return tempered(model_for(self.models, role.name, self.spec.model_of(role.name)), role.temperature)

    def close(self) -> None:
        """Give the run folders, the workspaces and the lock free; nothing may be at work any more."""
        self.closed = True
        for member in self.members.values():
            if member.session is not None:
                member.session.close()
            if member.workspace is not None:
                member.workspace.close()
        if self.own_workspace:
            self.workspace.close()
        self.log.close()
        if self.folder_lock is not None:
            self.folder_lock.release()
