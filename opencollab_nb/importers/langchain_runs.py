"""Runs as LangChain's tracers export them: model calls in a tree of other runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from opencollab_nb.importers.calls import Call
from opencollab_nb.importers.fields import mapping, sequence, text
from opencollab_nb.importers.langchain_messages import Said, said_of
from opencollab_nb.importers.usages import usage_of

_MODELS = ("llm", "chat_model")


def runs_in(value: Any) -> list[dict[str, Any]]:
    """A run and all under it, in the order in which they began."""
    out: list[dict[str, Any]] = []
    waiting = [value]
    while waiting:
        run = waiting.pop()
        if isinstance(run, dict) and isinstance(run.get("run_type"), str):
            out.append(run)
            waiting += reversed(sequence(run.get("child_runs")))
    return sorted(out, key=lambda run: text(run.get("start_time")))


def is_model_run(run: Mapping[str, Any]) -> bool:
    """True for the call of a chat model whose messages are kept."""
    return run.get("run_type") in _MODELS and next(_asked(run), None) is not None


def call_of(run: Mapping[str, Any]) -> Call:
    """The model call of a run."""
    outputs = mapping(run.get("outputs"))
    reply = said_of(_answer(outputs))
    if reply is not None and reply.message["role"] != "assistant":
        reply = None
    invocation = mapping(mapping(run.get("extra")).get("invocation_params"))
    usage = reply.usage if reply else None
    model = (reply.model if reply else None) or text(invocation.get("model") or invocation.get("model_name"))
    failed = text(run.get("error"))[:200] if reply is None else ""
    return Call(
        messages=[_with_error(said) for said in _asked(run)],
        reply=reply.message if reply else None,
        usage=usage or usage_of(mapping(outputs.get("llm_output")).get("token_usage")),
        model=model or None,
        tools=[tool for tool in sequence(invocation.get("tools")) if isinstance(tool, dict)],
        notice=f"a model call failed: {failed}" if failed else None,
    )


def _with_error(said: Said) -> Any:
    return {**said.message, "meta": {"error": True}} if said.failed else said.message


def _asked(run: Mapping[str, Any]) -> Iterator[Said]:
    listed = sequence(mapping(run.get("inputs")).get("messages"))
    nested = listed[0] if listed and isinstance(listed[0], list) else listed
    return (said for one in nested if (said := said_of(one)))


def _answer(outputs: Mapping[str, Any]) -> Any:
    """The message of the first generation, or the last of a list of messages."""
    generations = sequence(outputs.get("generations"))
    first = generations[0] if generations else None
    first = first[0] if isinstance(first, list) and first else first
    listed = sequence(outputs.get("messages"))
    return mapping(first).get("message") or outputs.get("message") or (listed[-1] if listed else None)
