"""The table of tools: schemas for the model, checks for what it sends."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from opencollab_nb.errors import nearest
from opencollab_nb.workspace.problem import ToolProblem, shown

_REQUIRED = object()
_PYTHON = {"string": str, "integer": int}


@dataclass(frozen=True)
class Parameter:
    """One argument of a tool."""

    name: str
    kind: str
    """JSON Schema type: `string` or `integer`."""
    about: str
    default: Any = _REQUIRED
    """Taken when the argument is missing or null."""
    example: Any = "src/a.py"

    @property
    def required(self) -> bool:
        """True where there is no default."""
        return self.default is _REQUIRED

    def schema(self) -> dict[str, Any]:
        """JSON Schema; strict schemas list every argument as required, so an optional one may be null."""
        kind: Any = self.kind if self.required else [self.kind, "null"]
        return {"type": kind, "description": self.about}

    def checked(self, tool: str, value: Any) -> Any:
        """The value, or the default for null.

        Raises:
            ToolProblem: a value of another type, or a number below 1.
        """
        if value is None and not self.required:
            return self.default
        if self.kind == "integer" and isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, _PYTHON[self.kind]) or isinstance(value, bool):
            raise ToolProblem(
                f"{self.name} of {tool} is {shown(value)}; "
                f"give {self._wanted()}, such as {json.dumps(self.example)}."
            )
        if isinstance(value, int) and value < 1:
            raise ToolProblem(f"{self.name} of {tool} is {shown(value)}; the first is 1.")
        return value

    def _wanted(self) -> str:
        return "a whole number" if self.kind == "integer" else "a string"


@dataclass(frozen=True)
class Tool:
    """One tool an agent may call."""

    name: str
    about: str
    parameters: tuple[Parameter, ...]
    needs_shell: bool = False
    """Runs commands of the agent's choice, which a folder cannot confine."""

    def schema(self) -> dict[str, Any]:
        """The tool in the OpenAI shape."""
        parameters = {
            "type": "object",
            "properties": {p.name: p.schema() for p in self.parameters},
            "required": [p.name for p in self.parameters],
            "additionalProperties": False,
        }
        function = {"name": self.name, "description": self.about, "strict": True, "parameters": parameters}
        return {"type": "function", "function": function}

    def checked(self, arguments: object) -> dict[str, Any]:
        """All arguments of one call, defaults filled in.

        Raises:
            ToolProblem: not a JSON object, an unknown or missing name, a value of the wrong type.

        >>> TOOLS["git_diff"].checked("")
        {'path': None}
        """
        given = self._object(arguments)
        known = [p.name for p in self.parameters]
        for name in given:
            if name not in known:
                guess = nearest(name, known) if isinstance(name, str) else None
                hint = f"; did you mean {guess!r}?" if guess else "."
                raise ToolProblem(
                    f"{self.name} has no argument {shown(name)}{hint} It takes: {', '.join(known)}."
                )
        missing = [p.name for p in self.parameters if p.required and p.name not in given]
        if missing:
            raise ToolProblem(f"{self.name} needs {' and '.join(missing)}; send {self._example()}.")
        return {p.name: p.checked(self.name, given.get(p.name)) for p in self.parameters}

    def _object(self, arguments: object) -> Mapping[str, Any]:
        value = arguments
        if isinstance(arguments, str):
            try:
                value = json.loads(arguments) if arguments.strip() else {}
            except (ValueError, RecursionError) as problem:
                raise ToolProblem(
                    f"the arguments of {self.name} are no JSON ({problem}): {shown(arguments)}. "
                    f"Send one JSON object, such as {self._example()}."
                ) from None
        if not isinstance(value, Mapping):
            raise ToolProblem(
                f"the arguments of {self.name} are no JSON object but {shown(value)}; send {self._example()}."
            )
        return value

    def _example(self) -> str:
        return json.dumps({p.name: p.example for p in self.parameters if p.required})


_PATH = Parameter("path", "string", "Path relative to the workspace folder.")

_TABLE = (
    Tool(
        "file_read",
        "Read lines of a text file, numbered.",
        (
            _PATH,
            Parameter("offset", "integer", "First line, from 1; 1 by default.", 1, 1),
            Parameter("limit", "integer", "How many lines; 200 by default.", 200, 200),
        ),
    ),
    Tool(
        "grep",
        "Search files line by line for a regular expression (Python syntax).",
        (
            Parameter("pattern", "string", "Regular expression.", example="def main"),
            Parameter("path", "string", "File or folder to search; the whole workspace by default.", "."),
        ),
    ),
    Tool(
        "bash",
        "Run a shell command in the workspace folder; what it leaves in the background is ended with it.",
        (Parameter("command", "string", "The command.", example="ls"),),
        needs_shell=True,
    ),
    Tool(
        "git_diff",
        "Show what differs from the last commit, staged or not.",
        (Parameter("path", "string", "File or folder; the whole workspace by default.", None),),
    ),
    Tool(
        "run_tests",
        "Run the tests with pytest.",
        (Parameter("path", "string", "Test file, folder or file::test; all tests by default.", None),),
        needs_shell=True,
    ),
    Tool(
        "file_write",
        "Make or replace a file with exactly this content.",
        (_PATH, Parameter("content", "string", "The whole new content.", example="print('hello')\n")),
    ),
    Tool(
        "apply_patch",
        "Replace one piece of text in a file; it must occur there exactly once.",
        (
            _PATH,
            Parameter(
                "search", "string", "The exact text to replace, white space included.", example="a = 1"
            ),
            Parameter("replace", "string", "The text to put in its place.", example="a = 2"),
        ),
    ),
)
TOOLS: Mapping[str, Tool] = {tool.name: tool for tool in _TABLE}


def tool_named(name: object) -> Tool:
    """The tool of that name.

    Raises:
        ToolProblem: there is none; the nearest is named.
    """
    if isinstance(name, str) and name in TOOLS:
        return TOOLS[name]
    guess = _nearest_tool(name) if isinstance(name, str) else None
    hint = f"; did you mean {guess!r}?" if guess else "."
    raise ToolProblem(f"there is no tool {shown(name)}{hint} The tools are: {', '.join(TOOLS)}.")


def _nearest_tool(name: str) -> str | None:
    words = sorted(name.lower().split("_"))
    turned = (known for known in TOOLS if sorted(known.split("_")) == words)
    return next(turned, None) or nearest(name, TOOLS)
