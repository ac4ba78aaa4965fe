"""`%%agent` and `%agent --task NAME`: from a line and a body to a running start."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from keyword import iskeyword
from pathlib import Path
from typing import Any

from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.shaping.policies import POLICIES
from opencollab_nb.views.budget_flags import BUDGET_FLAGS, budgeted
from opencollab_nb.views.deeds import MODES, model_named
from opencollab_nb.views.lines import (
    COUNT,
    SECONDS,
    TEXT,
    TOKENS,
    WHOLE,
    WINDOW,
    Flag,
    one_of,
    read_flags,
    split,
)
from opencollab_nb.views.names import Names, checked
from opencollab_nb.views.results import Help

SHELLS = ("off", "ask", "allow")
SIMULATED = {"profile": "profile", "seed": "seed", "pace": "pace_seconds"}
"""Flags that only the simulated agent understands, and the arguments they are."""
BODY_BELOW = "--body-below-a-line-magic"
"""Put on the line by the input transformer where `%agent` stands for `%%agent`."""


def task_names() -> list[str]:
    """The shipped tasks."""
    from opencollab_nb import tasks

    return tasks.known()


def profile_names() -> list[str]:
    """The profiles of the simulated agent."""
    from opencollab_nb.models.simulated.profile import profiles

    return list(profiles())


FLAGS = (
    Flag("--name", "NAME", "the agent's name, the same as the word without a flag"),
    Flag(
        "--task",
        "NAME",
        "a shipped task, played by the simulated agent unless --model is given",
        TEXT,
        task_names,
    ),
    Flag(
        "--model",
        "MODEL",
        "model name, a Python name, local (a small one on this machine), or simulated (needs --task)",
        TEXT,
        lambda: ["simulated", "local"],
    ),
    Flag("--base-url", "URL", "an OpenAI-compatible endpoint; else OPENAI_BASE_URL"),
    Flag("--window", "TOKENS", "context window in tokens; else the model's own", WINDOW),
    Flag("--policy", "POLICY", "a policy by name, or a YAML file", TEXT, lambda: POLICIES),
    Flag("--mode", "MODE", "sticky or stateless projection", one_of("mode", lambda: MODES), lambda: MODES),
    Flag("--budget", "TOKENS", "tokens the session may spend before it stops", TOKENS),
    *BUDGET_FLAGS,
    Flag("--max-steps", "N", "steps the session may take before it stops", COUNT),
    Flag("--workspace", "DIR", "the folder the tools work in"),
    Flag(
        "--shell",
        "MODE",
        "off, ask or allow: may the agent run commands",
        one_of("shell mode", lambda: SHELLS),
        lambda: SHELLS,
    ),
    Flag(
        "--profile",
        "NAME",
        "how the simulated agent behaves",
        one_of("profile", profile_names),
        profile_names,
    ),
    Flag("--seed", "N", "seed of the simulated agent", WHOLE),
    Flag("--pace", "SECONDS", "how long each reply of the simulated agent takes, for the eye", SECONDS),
)


@dataclass(frozen=True)
class Wish:
    """An agent as it was asked for."""

    name: str | None
    body: str | None
    """The task, byte for byte; None for a shipped one."""
    options: Mapping[str, Any]
    """Values of the flags, defaults filled in, by name without dashes."""

    def get(self, option: str) -> Any:
        """The value of a flag, None where it was not given and has no default."""
        value = self.options.get(option)
        return None if value == "" else value


def read(line: str, body: str | None, defaults: Mapping[str, Any]) -> Wish:
    """What the magic was given.

    Raises:
        UsageProblem: something is missing, or does not go together.
    """
    words = [word for word in split(line) if word.raw != BODY_BELOW]
    body_below = BODY_BELOW in line
    free, flags = read_flags(words, FLAGS)
    task = flags.get("task")
    if body_below or (body is None and not task and free):
        raise UsageProblem(
            "%agent takes no task: put two % signs, %%agent, and the task in the lines below it"
        )
    if task and body is not None and body.strip():
        raise UsageProblem("--task brings its own task: leave the body out, or leave --task out")
    if not task and not (body or "").strip():
        raise UsageProblem("\n".join(missing_task().lines))
    names = [word.text for word in free] + ([flags["name"]] if "name" in flags else [])
    if len(names) > 1:
        raise UsageProblem(
            f"{names[1]!r} is too much: a name is one word or in quotes, a task goes in the body"
        )
    if not task and (needless := [flag for flag in SIMULATED if flag in flags]):
        raise UsageProblem(f"--{needless[0]} is a setting of the simulated agent: it needs --task")
    if task and task not in task_names():
        raise UnknownName("task", task, task_names())
    name = checked(names[0]) if names else None
    return Wish(name, None if task else body, {**defaults, **flags})


def model_for(wish: Wish, user_names: Mapping[str, Any]) -> Any:
    """The model asked for; None for the shipped task's own simulated agent.

    Raises:
        MissingKey: a real model without a key.
    """
    asked = wish.get("model")
    if asked == "simulated" or (asked is None and wish.get("task")):
        if not wish.get("task"):
            raise UsageProblem("the simulated agent plays shipped tasks only: %agent --task quickstart")
        return None
    return model_named(asked, user_names, wish.get("base_url"))


def settings_for(wish: Wish, name: str, model: Any, user_names: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of the session; whatever cannot be had of them is said before a former agent is ended.

    Raises:
        UsageProblem: a policy, a budget or a memory that cannot be made.
    """
    settings: dict[str, Any] = {"name": name}
    for option, argument in _ARGUMENTS.items():
        if (value := wish.get(option)) is not None:
            settings[argument] = value
    if policy := wish.get("policy"):
        settings["policy"] = read_policy(policy)
    window = settings.get("window")
    if wish.get("task"):
        from opencollab_nb.tasks import load_task

        if model is None:
            settings |= {SIMULATED[k]: wish.get(k) for k in SIMULATED if wish.get(k) is not None}
        window = load_task(wish.get("task")).window if window is None else window
    return settings | budgeted(wish.options, user_names, window)


def session_for(wish: Wish, model: Any, settings: Mapping[str, Any]) -> Any:
    """The session: one call into the Python API."""
    if wish.get("task"):
        from opencollab_nb.tasks import load_task

        return load_task(wish.get("task")).session(model, **settings)
    from opencollab_nb.session import Session

    return Session(wish.body or "", model=model, **settings)


_ARGUMENTS = {
    "window": "window",
    "mode": "mode",
    "budget": "budget_tokens",
    "max_steps": "max_steps",
    "workspace": "workspace",
    "shell": "shell",
}


def read_policy(text: str) -> Any:
    """A policy's name, or the policy written in a file.

    Raises:
        UnknownName: neither.
    """
    if text in POLICIES:
        return text
    path = Path(text).expanduser()
    if not path.is_file():
        raise UnknownName("policy (and no such file)", text, POLICIES)
    from opencollab_nb.policy import Policy

    return Policy.from_file(path)


def displace(names: Names, name: str, cell: str | None) -> list[str]:
    """End what the new agent takes the place of; returns what was done, one sentence each."""
    said = []
    for former, session in names.displaced_by(name, cell):
        if not session.closed:
            run = session.run_handle
            running = run is not None and not run.over
            if running:
                session.stop()
            session.close()
            did = "stopped the former run of" if running else "closed the former"
            said.append(
                f"{did} agent {former!r} after step {session.steps}; its run folder is {session.path}"
            )
        names.drop(former)
    return said


def bind(user_names: MutableMapping[str, Any], name: str, session: Any) -> str:
    """Give the session its name in the notebook too, if that is a Python name; says where it cannot.

    >>> names = {"alice": 3}
    >>> bind(names, "alice", "a session")
    'alice is something else in this notebook and stays that; the agent is %oc @alice'
    >>> bind(names, "two words", "a session"), names
    ('', {'alice': 3})
    """
    from opencollab_nb.session import Session

    if not name.isidentifier() or iskeyword(name):
        return ""
    if hasattr(builtins, name) or not isinstance(user_names.get(name, session), Session):
        return f"{name} is something else in this notebook and stays that; the agent is %oc @{name}"
    user_names[name] = session
    return ""


def missing_task() -> Help:
    """Three lines: what is missing, an example, where there is more."""
    return Help(
        [
            "%%agent needs a task: write it in the cell's body, below the first line.",
            "For example, without a key: %agent --task quickstart",
            "%agent --help lists all options.",
        ]
    )


def agent_help() -> Help:
    """All options of the magic."""
    return Help(
        [
            "%%agent [NAME] [options]      the cell's body is the task, byte for byte",
            "%agent --task NAME [options]  a shipped task; works without a key",
            "With a NAME that is a Python name, the session has that name in the notebook too.",
        ],
        [(f"{flag.name} {flag.shows}", flag.help) for flag in FLAGS],
        [
            f"Tasks: {', '.join(task_names())}. Policies: {', '.join(POLICIES)}.",
            "Budget and step limit are looked at before each call: one under way may overshoot.",
        ],
    )


def free_name(wish: Wish, names: Names, cell: str | None) -> str:
    """The agent's name: as given, else made of the task's."""
    return wish.name or names.free_name(wish.get("task") or "agent", cell)
