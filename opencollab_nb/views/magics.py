"""`%oc`, `%%agent`, `%%shaper`, `%%summarizer`: read the line, make one call, give back its value."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import (
    Magics,
    cell_magic,
    line_cell_magic,
    line_magic,
    magics_class,
    no_var_expand,
    output_can_be_silenced,
)
from traitlets import Float, Int, Unicode
from traitlets.config import Configurable

from opencollab_nb.errors import OpenCollabError, UsageProblem
from opencollab_nb.views import agent_magic, code_magics
from opencollab_nb.views.bodies import Bodies
from opencollab_nb.views.deeds import Order
from opencollab_nb.views.lines import asks_for_help, read_flags, split
from opencollab_nb.views.names import Names
from opencollab_nb.views.text import visible
from opencollab_nb.views.verbs import all_help, short_help, verb_help, verb_named
from opencollab_nb.views.wording import in_magics


@contextmanager
def one_line_errors() -> Iterator[None]:
    """What the user can mend is said without a traceback; anything else is a bug and keeps its own."""
    try:
        yield
    except OpenCollabError as problem:
        raise UsageError(visible(in_magics(str(problem)))) from None


@magics_class
class OpenCollabMagics(Magics, Configurable):
    """`%config OpenCollabMagics.window = 64_000` and the like set defaults of `%%agent`."""

    model = Unicode("", help="model of %%agent; empty: OPENAI_MODEL").tag(config=True)
    base_url = Unicode("", help="endpoint of %%agent; empty: OPENAI_BASE_URL").tag(config=True)
    window = Int(None, allow_none=True, help="context window in tokens; None: the model's").tag(config=True)
    policy = Unicode("", help="policy by name or file; empty: default").tag(config=True)
    budget = Int(None, allow_none=True, help="tokens a session may spend").tag(config=True)
    quotas = Unicode("", help="a context budget with the four moves, by its quotas; empty: none").tag(
        config=True
    )
    memory = Unicode("", help="a MemoryStore: default, a file or a Python name; empty: none").tag(config=True)
    max_steps = Int(None, allow_none=True, help="steps a session may take").tag(config=True)
    workspace = Unicode("", help="the folder the tools work in; empty: a fresh one").tag(config=True)
    shell_mode = Unicode("", help="off, ask or allow").tag(config=True)
    profile = Unicode("", help="profile of the simulated agent; empty: plain").tag(config=True)
    seed = Int(None, allow_none=True, help="seed of the simulated agent").tag(config=True)
    pace = Float(None, allow_none=True, help="seconds a reply of the simulated agent takes").tag(config=True)

    def __init__(self, shell: Any, names: Names, bodies: Bodies) -> None:
        super().__init__(shell)
        self._user_names = shell.user_ns
        self._names, self._bodies = names, bodies

    @output_can_be_silenced
    @no_var_expand
    @line_magic
    def oc(self, line: str) -> Any:
        """`%oc [@NAME] VERB ...`: an order to an agent. `%oc help` lists the verbs."""
        return self._ordered(line, None)

    @no_var_expand
    @cell_magic("oc")  # type: ignore[arg-type]
    def oc_cell(self, line: str, cell: str) -> Any:
        """`%%oc [@NAME] say`: the body is the words, byte for byte."""
        shown = self._ordered(line, self._bodies.exact(line, cell, "oc"))
        return None if line.rstrip().endswith(";") else shown

    def _ordered(self, line: str, body: str | None) -> Any:
        with one_line_errors():
            words = split(line)
            name = None
            if words and words[0].text.startswith("@"):
                name = words.pop(0).text[1:]
                if not words:
                    self._names.find(name)
            if not words:
                return short_help(self._names)
            if words[0].raw in ("-h", "--help"):
                return all_help()
            verb = verb_named(words[0].text)
            if asks_for_help(words[1:]):
                return verb_help(verb.name)
            if body is not None and not verb.takes_body:
                raise UsageProblem(f"{verb.name} takes no lines below it: %oc {verb.name}, with one % sign")
            free, flags = read_flags(words[1:], verb.flags)
            return verb.do(Order(free, self._names, name, self._user_names, flags, body))

    # Not `output_can_be_silenced`: of a cell it reads the task, as if it were Python, for a `;` at its end.
    @no_var_expand
    @line_cell_magic
    def agent(self, line: str, cell: str | None = None) -> Any:
        """`%%agent [NAME] [options]`: the body is the task. `%agent --task NAME`: a shipped one. `--help`."""
        with one_line_errors():
            if asks_for_help(split(line)):
                return agent_magic.agent_help()
            wish = agent_magic.read(line, self._bodies.exact(line, cell), self._defaults())
            cell_id = current_cell(self.shell)
            name = agent_magic.free_name(wish, self._names, cell_id)
            model = agent_magic.model_for(wish, self._user_names)
            settings = agent_magic.settings_for(wish, name, model, self._user_names)
            for sentence in agent_magic.displace(self._names, name, cell_id):
                print(sentence)  # noqa: T201 - the reader of the cell must know what became of the former agent
            session = agent_magic.session_for(wish, model, settings)
            self._names.put(name, session, cell=cell_id)
            if wish.name and (problem := agent_magic.bind(self._user_names, wish.name, session)):
                print(problem)  # noqa: T201 - said, for the reader may count on the name
            return None if line.rstrip().endswith(";") else session

    @no_var_expand
    @cell_magic
    def shaper(self, line: str, cell: str) -> Any:
        """`%%shaper NAME [--use]`: the body is Python that defines NAME; laws and transcript try it."""
        return self._defined("shaper", line, cell)

    @no_var_expand
    @cell_magic
    def summarizer(self, line: str, cell: str) -> Any:
        """`%%summarizer NAME [--use]`: the body is Python that defines NAME; shows what its summary keeps."""
        return self._defined("summarizer", line, cell)

    def _defined(self, kind: str, line: str, cell: str) -> Any:
        with one_line_errors():
            if asks_for_help(split(line)):
                return code_magics.code_help(kind)
            shown = code_magics.run_cell(self.shell, self._names, kind, line, cell)
            return None if line.rstrip().endswith(";") else shown

    def _defaults(self) -> dict[str, Any]:
        """The settings by the names of the flags."""
        return {
            "model": self.model,
            "base_url": self.base_url,
            "window": self.window,
            "policy": self.policy,
            "budget": self.budget,
            "quotas": self.quotas,
            "memory": self.memory,
            "max_steps": self.max_steps,
            "workspace": self.workspace,
            "shell": self.shell_mode,
            "profile": self.profile,
            "seed": self.seed,
            "pace": self.pace,
        }


def current_cell(shell: Any) -> str | None:
    """The id of the cell that runs now; None where the front end gives none."""
    if not hasattr(shell, "get_parent"):
        return None
    metadata = (shell.get_parent() or {}).get("metadata") or {}
    cell = metadata.get("cellId")
    return cell if isinstance(cell, str) else None
