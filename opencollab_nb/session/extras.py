"""Tools that a session is given from outside, beside those of the workspace and of the harness."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from opencollab_nb.errors import UsageProblem


@dataclass(frozen=True)
class ExtraTool:
    """A tool of the caller's own, run inside the step.

    >>> clock = ExtraTool("clock", "Tell the time.", lambda arguments: "noon in " + arguments["city"],
    ...     {"city": {"type": "string"}}, required=("city",))
    >>> clock({"city": "Kiel"}), clock({})
    ('noon in Kiel', "Error: clock needs 'city'. It takes: city.")
    """

    name: str
    about: str
    """What it does, for the model."""
    act: Callable[[Mapping[str, Any]], str]
    """Gives the result as text; what it raises becomes an `Error: ...` that the agent reads."""
    arguments: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """JSON schemas of the arguments, by name."""
    required: tuple[str, ...] = ()
    """Names of those it cannot do without."""
    branches: bool = True
    """False for one that acts for this very run: a branch of it, or the session after it, goes without."""

    @property
    def schema(self) -> dict[str, Any]:
        """In the OpenAI shape."""
        parameters = {
            "type": "object",
            "properties": {name: dict(schema) for name, schema in self.arguments.items()},
            "required": list(self.required),
            "additionalProperties": False,
        }
        function = {"name": self.name, "description": self.about, "parameters": parameters}
        return {"type": "function", "function": function}

    def __call__(self, arguments: Mapping[str, Any]) -> str:
        """The result of a call, also of one whose arguments are not those it takes."""
        takes = f"It takes: {', '.join(self.arguments) or 'nothing'}."
        for name in self.required:
            if name not in arguments:
                return f"Error: {self.name} needs {name!r}. {takes}"
        for name, value in arguments.items():
            if name not in self.arguments:
                return f"Error: {self.name} has no argument {name!r}. {takes}"
            if self.arguments[name].get("type") == "string" and not isinstance(value, str):
                return f"Error: {self.name} takes text as {name!r}, not {type(value).__name__}."
        return self.act(arguments)


def checked_tools(tools: Iterable[Any], taken: Iterable[str]) -> tuple[ExtraTool, ...]:
    """The tools as given, once it is sure that each call has one answer.

    Args:
        tools: given to the session.
        taken: names of all other tools that it may offer.

    Raises:
        UsageProblem: something that is no `ExtraTool`, or a name that is taken.
    """
    given, names = tuple(tools), list(taken)
    for tool in given:
        if not isinstance(tool, ExtraTool):
            raise UsageProblem(f"tools holds {tool!r}: give ExtraTool(name, about, act, ...)")
        if tool.name in names:
            raise UsageProblem(f"there is a tool {tool.name!r} already; give this one another name")
        names.append(tool.name)
    return given


def for_a_branch(tools: Iterable[ExtraTool]) -> tuple[ExtraTool, ...]:
    """Those that a branch of a run, or the session after it, is given too."""
    return tuple(tool for tool in tools if tool.branches)
