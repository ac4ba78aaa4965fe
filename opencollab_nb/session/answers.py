"""Running the calls of a reply; every outcome is a text that the agent can read."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

from opencollab_nb.messages import Message, call_arguments, call_name, tool_calls_of
from opencollab_nb.session.accounts import one_line
from opencollab_nb.session.bench import Bench
from opencollab_nb.session.harness import act_of
from opencollab_nb.ticket import Ticket


def answer_all(bench: Bench, reply: Message, ticket: Ticket) -> list[Message]:
    """Run the calls in order; each result is in the transcript before the next call begins."""
    results = []
    for call in tool_calls_of(reply):
        begun = time.perf_counter()
        text = result_of(bench, call, ticket)
        seconds = time.perf_counter() - begun
        with bench.lock:
            ticket.check()
            call_id = str(call.get("id") or "")
            kept = bench.keep({"role": "tool", "tool_call_id": call_id, "content": text}, "tool")
            bench.note(
                "tool",
                name=one_line(call_name(call)),
                call_id=call_id,
                message_id=kept["meta"]["id"],
                about=about(call),
                ok=not text.startswith("Error"),
                chars=len(text),
                seconds=round(seconds, 4),
            )
        bench.tell()
        results.append(kept)
    return results


def result_of(bench: Bench, call: Mapping[str, Any], ticket: Ticket) -> str:
    """The result of one call, errors included."""
    name, arguments = str(call_name(call)), call_arguments(call)
    known = [tool["function"]["name"] for tool in bench.tools]
    if name not in known:
        offered = f"the tools are {', '.join(known)}" if known else "there are no tools"
        return f"Error: unknown tool {name!r}; {offered}."
    problem = arguments_problem(arguments)
    if problem:
        return f"Error: the arguments of {name} are {problem}. Send one JSON object."
    try:
        act = act_of(bench, name)
        if act is not None:
            return act(bench, dict(_parsed(arguments)), ticket)
        # Some servers send an object where a text of JSON belongs; a workspace gets the text.
        text = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
        result = bench.workspace.call(name, text, ticket=ticket)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a tool's failure is the agent's to read
        return one_line(f"Error: {name} failed: {type(error).__name__}: {error}", 2_000)
    return result if isinstance(result, str) else f"Error: {name} gave {type(result).__name__}, not text."


def arguments_problem(arguments: Any) -> str | None:
    """What is wrong with the arguments of a call, or None.

    >>> arguments_problem('{"path": "a"}'), arguments_problem("[1]")
    (None, 'not a JSON object but a list')
    """
    try:
        value = _parsed(arguments)
    except (ValueError, RecursionError) as problem:
        return f"not JSON ({problem})"
    return None if isinstance(value, dict) else f"not a JSON object but a {type(value).__name__}"


def about(call: Mapping[str, Any]) -> str:
    """A call in one line.

    >>> arguments = '{"path": "a.py", "offset": 1, "limit": 200}'
    >>> about({"function": {"name": "file_read", "arguments": arguments}})
    'file_read a.py 1-200'
    """
    name, arguments = str(call_name(call)), call_arguments(call)
    if arguments_problem(arguments):
        return one_line(f"{name} {arguments}")
    values = dict(_parsed(arguments))
    offset, limit = values.get("offset"), values.get("limit")
    if isinstance(offset, int) and isinstance(limit, int):
        values = {k: v for k, v in values.items() if k not in ("offset", "limit")}
        values["lines"] = f"{offset}-{offset + limit - 1}"
    return one_line(" ".join([name, *(str(value) for value in values.values())]))


def _parsed(arguments: Any) -> Any:
    return json.loads(arguments or "{}") if isinstance(arguments, str) else arguments
