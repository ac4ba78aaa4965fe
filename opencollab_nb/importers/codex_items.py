"""The items of a Codex rollout: what each one says, as pieces of a chat message."""

from __future__ import annotations

import json
import re
from typing import Any

from opencollab_nb.importers import chat
from opencollab_nb.importers.fields import mapping, sequence, text
from opencollab_nb.messages import Message

INJECTED = re.compile(
    r"\s*(<(environment_context|user_instructions|permissions instructions|turn_aborted|skill|"
    r"user_shell_command|subagent_notification|collaboration_mode|apps_instructions|model_switch)\b"
    r"|# AGENTS\.md instructions)"
)
"""How a user message begins that the program wrote, not the user."""

SEALED = "[a summary that only the provider can read]"
"""What stands for a compaction whose text is encrypted."""

_EXIT = re.compile(r"\A(?:.*\n){0,6}?(?:Exit code: |Process exited with code )(-?\d+)")
_BROUGHT = ("output_text", "input_text", "text", "summary_text", "reasoning_text")


def call_of(item: dict[str, Any]) -> dict[str, Any]:
    """A call item as a tool call; free text that is no JSON is wrapped as `{"input": ...}`.

    >>> call_of({"type": "custom_tool_call", "call_id": "a", "name": "apply_patch", "input": "*** x"})
    {'id': 'a', 'type': 'function', 'function': {'name': 'apply_patch', 'arguments': '{"input": "*** x"}'}}
    """
    kind = text(item.get("type"))
    name = text(item.get("name")) or kind.removesuffix("_call")
    if space := text(item.get("namespace")):
        name = f"{space}{name}" if space.endswith("__") else f"{space}.{name}"
    arguments = item.get("arguments")
    if "input" in item and arguments is None:
        arguments = {"input": item["input"]}
    elif arguments is None:
        arguments = item.get("action") or {}
    return chat.call(item.get("call_id") or item.get("id"), name, arguments)


def result_of(item: dict[str, Any]) -> tuple[Message, bool]:
    r"""An output item as a tool message, and whether the tool failed.

    Failure is read from an exit code (of the JSON or of the header lines) or from `success: false`.

    >>> result_of({"call_id": "a", "output": "Exit code: 2\nOutput:\nno"})
    ({'role': 'tool', 'tool_call_id': 'a', 'content': 'Exit code: 2\nOutput:\nno'}, True)
    """
    output = item.get("output", item.get("tools"))
    failed = False
    if isinstance(output, dict):
        failed = output.get("success") is False
        output = output.get("content", output.get("body", output))
    content: Any
    if isinstance(output, str):
        content = output
        failed = failed or exit_code_of(output) not in (None, 0)
    elif isinstance(output, list) and all(isinstance(part, dict) for part in output):
        content = [part_of(part) for part in output]
    else:
        content = chat.text(output)
    return {"role": "tool", "tool_call_id": text(item.get("call_id")), "content": content}, failed


def exit_code_of(output: str) -> int | None:
    r"""The exit code that an output tells; None where it tells none.

    >>> exit_code_of('{"output": "", "metadata": {"exit_code": 1}}'), exit_code_of("Plan updated")
    (1, None)
    """
    if output.startswith("{") and '"exit_code"' in output:
        try:
            code = mapping(mapping(json.loads(output)).get("metadata")).get("exit_code")
        except (ValueError, RecursionError):
            return None
        return code if isinstance(code, int) else None
    found = _EXIT.match(output[:600])
    return int(found[1]) if found else None


def part_of(part: dict[str, Any]) -> dict[str, Any]:
    """One content part in the chat shape; a kind that is not known stays as it is.

    >>> part_of({"type": "input_text", "text": "a"}), part_of({"type": "input_image", "image_url": "data:x"})
    ({'type': 'text', 'text': 'a'}, {'type': 'image_url', 'image_url': {'url': 'data:x'}})
    """
    kind = part.get("type")
    if kind in _BROUGHT and isinstance(part.get("text"), str):
        return {"type": "text", "text": part["text"]}
    if kind == "input_image" and isinstance(part.get("image_url"), str):
        return chat.image(part["image_url"])
    return part


def content_of(item: dict[str, Any]) -> Any:
    """The content of a message item: a string where it is one text, else parts."""
    given = item.get("content")
    if isinstance(given, str):
        return given
    return chat.single([part_of(part) for part in sequence(given) if isinstance(part, dict)]) or ""
