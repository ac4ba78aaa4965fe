"""Making a team: what it is given, checked, and written down before anybody acts."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from opencollab_nb.errors import TranscriptError, UnknownName, UsageProblem
from opencollab_nb.secrecy import KNOWN, keep_secrets
from opencollab_nb.session.chain_spec import describe
from opencollab_nb.session.folder import FolderLock, new_run_folder
from opencollab_nb.session.opening import SETTINGS, open_workspace
from opencollab_nb.team.beginning import begin, take_seats
from opencollab_nb.team.crew import MEMBERS, Crew
from opencollab_nb.team.file import read_team
from opencollab_nb.team.ledger import Ledger
from opencollab_nb.team.log import FILE, Log
from opencollab_nb.team.mail import Mail
from opencollab_nb.team.organisation import DEFAULT, rule_of, with_pool
from opencollab_nb.team.roster import TeamSpec
from opencollab_nb.team.written import as_data

OF_MEMBERS = frozenset(
    [
        "summarizer",
        "window",
        "max_steps",
        "mode",
        "max_output_tokens",
        "on_shaper_error",
        "secrets",
        "steering",
    ]
)
"""Settings of a session that may be given to all members of a team."""


def open_crew(
    given: Any,
    task: str | None,
    models: Any,
    workspace: Any,
    budget_tokens: int | None,
    path: Path | str | None,
    shell: str | None,
    settings: Mapping[str, Any],
) -> Crew:
    """A team's parts, its entry begun with the task.

    Raises:
        UsageProblem: an argument that cannot be used; it is named.
        TranscriptError: the run folder cannot be written to, or holds a run already.
    """
    if isinstance(given, TeamSpec):
        check_declared(given)
    spec: TeamSpec = with_pool(DEFAULT if given is None else read_team(given), budget_tokens)
    task = task if task is not None else spec.task
    if not isinstance(task, str) or not task.strip():
        raise UsageProblem("the team has no task: give task=")
    check_settings(settings)
    keep_secrets(settings.get("secrets"))
    folder = Path(path).expanduser() if path is not None else new_run_folder(spec.name)
    if (folder / FILE).exists():
        raise TranscriptError(f"{folder} holds a team already: Team.resume({str(folder)!r}) goes on with it")
    kind, rule = rule_of(spec)
    lock, fresh = FolderLock(folder), not (folder / MEMBERS).exists()
    crew: Crew | None = None
    log = Log.new(folder)
    try:
        held = open_workspace(workspace, shell, models)
        crew = Crew(
            spec=spec,
            task=KNOWN.struck(task),
            path=folder,
            log=log,
            ledger=Ledger(rule, note=log.note),
            mail=Mail(log),
            models=models,
            workspace=held,
            own_workspace=held is not workspace,
            settings=settings,
            folder_lock=lock,
        )
        if hasattr(models, "reply") or not callable(models):  # a function is asked once for each member
            for role in spec.roles:
                crew.model_for(role)
        root = getattr(held, "root", None)
        log.note(
            "organisation",
            team=spec.name,
            task=task,
            spec=as_data(spec),
            rule=kind,
            pool_tokens=rule.pool_tokens,
            workspace=None if root is None else str(root),
            settings=as_plain(settings),
        )
        take_seats(crew)
        begin(crew, crew.entry, crew.task)
    except BaseException:
        log.close()
        (folder / FILE).unlink(missing_ok=True)  # nothing was begun: the folder can be used again
        if fresh:
            shutil.rmtree(folder / MEMBERS, ignore_errors=True)
        if crew is not None:
            crew.close()
        lock.release()
        raise
    return crew


def check_declared(spec: TeamSpec) -> None:
    """Refuse a team made in Python of which the record could not be read back.

    Raises:
        UsageProblem: two roles of one name.
        SpecificationError: (a ValueError) whatever would be a fault in a file.
    """
    twice = [name for name, count in Counter(spec.names).items() if count > 1]
    if twice:
        raise UsageProblem(f"the team has two roles {twice[0]!r}: give each a name of its own")
    read_back(as_data(spec))


def read_back(data: Mapping[str, Any]) -> TeamSpec:
    """The team that a record tells of; whether there are such tools was looked at when it was declared."""
    tools = {name for role in data["roles"].values() for name in role.get("tools", ())}
    return read_team(data, tools=tools)


def check_settings(settings: Mapping[str, Any]) -> None:
    """Refuse what is no setting of a member's session.

    Raises:
        UsageProblem: one is not; it is named.
    """
    for name in settings:
        if name not in OF_MEMBERS:
            if name in SETTINGS:
                raise UsageProblem(f"{name} is no setting of a whole team: its roles or its file say it")
            raise UnknownName("setting", name, sorted(OF_MEMBERS))


def as_plain(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings as the record holds them, for members that begin in another process; no secrets.

    >>> as_plain({"window": 8_000, "secrets": "hush"})
    {'window': 8000}
    """
    plain = {name: value for name, value in settings.items() if name not in ("secrets", "summarizer")}
    summarizer = settings.get("summarizer")
    return plain if summarizer is None else {**plain, "summarizer": describe(summarizer)}
