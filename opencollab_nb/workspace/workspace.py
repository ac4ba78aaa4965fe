"""`Workspace`: one folder, seven tools, one call by name that is always answered with a text."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.messages import encodable
from opencollab_nb.ticket import Ticket
from opencollab_nb.workspace import files, git, patch, pytest_runner, search, shell
from opencollab_nb.workspace.contained import Containment
from opencollab_nb.workspace.environment import Surroundings
from opencollab_nb.workspace.forks import TestServer
from opencollab_nb.workspace.output import capped
from opencollab_nb.workspace.paths import Folder
from opencollab_nb.workspace.problem import ToolProblem
from opencollab_nb.workspace.question import Asking
from opencollab_nb.workspace.schemas import TOOLS, Tool, tool_named
from opencollab_nb.workspace.texts import without_paths, without_timings

SHELL_CHOICES = ("off", "ask", "allow")
NOTE_CHARS = 500
"""Room for a tool's own notes beside `output_chars`."""


class Workspace:
    """The tools of an agent, in one folder.

    `file_read grep git_diff file_write apply_patch` are confined to the folder. `bash` and `run_tests` run
    commands of the agent's choice, which a folder cannot confine: `shell` is `off` until you say `ask` (each
    command waits for `answer`) or `allow`. `containment` says what holds them; `tools` are those offered.

    Raises:
        UsageProblem: `root` is missing or no folder; an unknown `shell`; a limit below 1.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> workspace = Workspace(folder.name)
    >>> workspace.call("file_write", {"path": "a.py", "content": "x = 1"})
    'wrote 5 characters to a.py (new file)'
    >>> workspace.call("file_read", '{"path": "../secret"}')[:44]
    "Error: path '../secret' holds '..'; nothing "
    >>> workspace.close(); folder.cleanup()
    """

    def __init__(
        self,
        root: str | Path,
        *,
        shell: str = "off",
        time_limit_seconds: float = 60.0,
        output_chars: int = 200_000,
        network: bool = False,
        tools: Iterable[str] | None = None,
    ) -> None:
        folder = Path(root).expanduser()
        if not folder.is_dir():
            what = "is not a folder" if folder.exists() else "does not exist"
            raise UsageProblem(f"workspace {str(root)!r} {what}; make the folder first or name another.")
        for name, value in (("time_limit_seconds", time_limit_seconds), ("output_chars", output_chars)):
            if not value > 0:
                raise UsageProblem(f"{name} is {value!r}; give a number above 0.")
        self.root = folder.resolve()
        self.shell = shell
        self.tools = tuple(TOOLS if tools is None else tools)
        self.time_limit_seconds, self.output_chars = time_limit_seconds, output_chars
        self._folder = Folder(self.root)
        self._surroundings = Surroundings(self.root)
        self._held_by = Containment.of(self.root, network=network)
        self._asking = Asking()
        self._servers: list[TestServer] = []
        self._closed = False
        # Also at the interpreter's exit, so that no server outlives the kernel.
        self._end = weakref.finalize(self, _end, self._surroundings, self._servers)
        self._acts: dict[str, Callable[..., str]] = {
            "file_read": self._file_read,
            "grep": self._grep,
            "bash": self._bash,
            "git_diff": self._git_diff,
            "run_tests": self._run_tests,
            "file_write": lambda _, path, content: files.file_write(self._folder, path, content),
            "apply_patch": lambda _, path, search, replace: patch.apply_patch(
                self._folder, path, search, replace
            ),
        }

    def __repr__(self) -> str:
        return f"Workspace({str(self.root)!r}, shell={self.shell!r})"

    def schemas(self) -> list[dict[str, Any]]:
        """The tools offered to the model, in the OpenAI shape."""
        kept = [tool for name, tool in TOOLS.items() if name in self.tools]
        return [tool.schema() for tool in kept if self.shell != "off" or not tool.needs_shell]

    def call(self, name: str, arguments: str | Mapping[str, Any], *, ticket: Ticket | None = None) -> str:
        """Run one tool; what goes wrong is an `Error: …` text the agent can read.

        Raises:
            StepCancelled: the ticket was cancelled; nothing the call started is left.
        """
        if ticket is not None:
            ticket.check()
        try:
            return self._answer(name, arguments, ticket)
        except ToolProblem as problem:
            return self._text(f"Error: {problem}")
        except OSError as problem:
            return self._text(
                f"Error: {name} failed: {problem.strerror or problem}; check the path and try again."
            )
        except Exception as problem:  # noqa: BLE001 - the agent's call must not end the run; the text says what broke
            return self._text(f"Error: {name} failed: {type(problem).__name__}: {problem}")

    @property
    def shell(self) -> str:
        """Whether commands run: `off`, `ask` or `allow`; can be changed at any time.

        Raises:
            UnknownName: set to something else.
        """
        return self._shell

    @shell.setter
    def shell(self, choice: str) -> None:
        if choice not in SHELL_CHOICES:
            raise UnknownName("shell choice", choice, SHELL_CHOICES)
        self._shell = choice

    @property
    def containment(self) -> str:
        """What holds the commands, in words: bubblewrap where it works on this machine."""
        return self._held_by.text

    @property
    def network(self) -> bool:
        """True where commands may reach the network even though they could be kept from it."""
        return self._held_by.network

    @property
    def question(self) -> str | None:
        """The command that waits for `answer`, None while none does."""
        question = self._asking.question
        return None if question is None else question.command

    @property
    def question_number(self) -> int:
        """Which question waits; 0 while none does."""
        question = self._asking.question
        return 0 if question is None else question.number

    @property
    def question_editable(self) -> bool:
        """True where another command may be run in its place."""
        question = self._asking.question
        return question is not None and question.editable

    @property
    def on_question(self) -> list[Callable[[str | None], None]]:
        """Called with each command that begins to wait, and with None when it no longer does."""
        return self._asking.listeners

    def answer(self, allowed: bool, command: str | None = None, *, number: int | None = None) -> None:
        """Let the waiting command run, or refuse it.

        Args:
            allowed: let it run.
            command: to be run in its place; the agent is told.
            number: of the question that is meant, where another may have come in its place.

        Raises:
            UsageProblem: no such command is waiting, or the other one cannot be run in its place.
        """
        self._asking.answer(allowed, command, number)

    def changes(self) -> list[str]:
        """Files that differ from the last commit, sorted; empty where git cannot tell."""
        try:
            return git.changed_files(self.root, self._surroundings.env())
        except (ToolProblem, OSError):
            return []

    @property
    def closed(self) -> bool:
        """True once its tools answer no more."""
        return self._closed

    def opened_anew(self, tools: Iterable[str] | None = None) -> Workspace:
        """Another one of the same folder, with the same settings; it may offer other tools."""
        more = {**self._limits, "network": self._held_by.network}
        return Workspace(self.root, shell=self.shell, tools=self.tools if tools is None else tools, **more)

    def close(self) -> None:
        """End what runs or waits, and remove the private folder; the workspace folder stays."""
        self._closed = True
        self._asking.close()
        self._end()

    def _answer(self, name: str, arguments: str | Mapping[str, Any], ticket: Ticket | None) -> str:
        tool = tool_named(name)
        given = tool.checked(arguments)
        changed = ""
        if tool.needs_shell and not self._closed:
            permitted = self._permitted(tool, given, ticket)
            changed = f"[the user ran this instead: {permitted['command']}]\n" if permitted != given else ""
            given = permitted
        self._must_be_open()
        return encodable(capped(changed + self._acts[name](ticket, **given), self.output_chars + NOTE_CHARS))

    def _permitted(self, tool: Tool, given: dict[str, Any], ticket: Ticket | None) -> dict[str, Any]:
        """The arguments to run it with.

        Raises:
            ToolProblem: it may not run.
        """
        if self.shell == "off":
            raise ToolProblem(
                f"{tool.name} is off in this workspace; "
                "the user can turn it on with shell='ask' or shell='allow'."
            )
        if self.shell == "ask":
            is_bash = tool.name == "bash"
            command = given["command"] if is_bash else f"pytest {given['path'] or '.'}"
            verdict = self._asking.put(command, ticket, editable=is_bash)
            self._must_be_open()
            if verdict is None:
                raise ToolProblem("the user denied this command; go on without it or ask what to do.")
            return {**given, "command": verdict} if is_bash else given
        return given

    def _must_be_open(self) -> None:
        if self._closed:
            raise ToolProblem("this workspace is closed; open a new one.")

    @property
    def _limits(self) -> dict[str, Any]:
        """The limits of one command."""
        return {"time_limit_seconds": self.time_limit_seconds, "output_chars": self.output_chars}

    def _command_env(self) -> dict[str, str]:
        return self._surroundings.marked(git.git_environment(self.root, self._surroundings.env()))

    def _text(self, text: str) -> str:
        return encodable(without_paths(text, self._surroundings.names()))

    def _file_read(self, ticket: Ticket | None, path: str, offset: int, limit: int) -> str:
        return files.file_read(
            self._folder, path, offset, limit, output_chars=self.output_chars, ticket=ticket
        )

    def _grep(self, ticket: Ticket | None, pattern: str, path: str) -> str:
        return search.grep(
            self._folder,
            pattern,
            path,
            env=self._surroundings.env,
            time_limit_seconds=self.time_limit_seconds,
            ticket=ticket,
        )

    def _git_diff(self, ticket: Ticket | None, path: str | None) -> str:
        env = self._surroundings.env()
        return self._text(
            git.git_diff(self._folder, env, path, output_chars=self.output_chars, ticket=ticket)
        )

    def _bash(self, ticket: Ticket | None, command: str) -> str:
        env = self._command_env()
        private = self._surroundings.folder
        said = shell.bash(self._held_by, private, env, command, ticket=ticket, **self._limits)
        return self._text(without_timings(said))

    def _run_tests(self, ticket: Ticket | None, path: str | None) -> str:
        env = self._command_env()
        if not self._servers:
            self._servers.append(TestServer(env, self._held_by, self._surroundings.folder))
        return self._text(
            pytest_runner.run_tests(
                self._folder,
                env,
                path,
                server=self._servers[0],
                held_by=self._held_by,
                private=self._surroundings.folder,
                ticket=ticket,
                **self._limits,
            )
        )


def _end(surroundings: Surroundings, servers: list[TestServer]) -> None:
    for server in servers:
        server.close()
    surroundings.close()
