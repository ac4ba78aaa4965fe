"""Contents, calls and results of the OpenHands SDK in our shapes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opencollab_nb.importers.chat import call, image, text
from opencollab_nb.importers.fields import mapping, sequence
from opencollab_nb.messages import REASONING_KEYS


def parts_of(content: Any) -> list[Any]:
    """Contents of the SDK as parts: texts, and every image of an image content."""
    parts: list[Any] = []
    for one in content if isinstance(content, list) else [content]:
        if isinstance(one, str) and one:
            parts.append({"type": "text", "text": one})
        elif isinstance(one, dict) and one.get("type") == "image":
            parts += [image(url) for url in sequence(one.get("image_urls")) if isinstance(url, str)]
        elif isinstance(one, dict) and isinstance(one.get("text"), str):
            parts.append({"type": "text", "text": one["text"]})
        elif one is not None and one != "":
            parts.append({"type": "text", "text": text(one)})
    return parts


def single(parts: list[Any]) -> Any:
    """Texts as one text; parts where there are images."""
    if all(part["type"] == "text" for part in parts):
        return "\n".join(part["text"] for part in parts)
    return parts


def observed(observation: Mapping[str, Any]) -> list[Any]:
    """What a tool gave back, with what OpenHands put around it."""
    parts = parts_of(observation.get("content", observation.get("output")))
    if not parts and text(observation.get("error")):
        parts = parts_of(observation["error"])
    metadata = mapping(observation.get("metadata"))
    before, after = metadata.get("prefix"), metadata.get("suffix")
    around = isinstance(before, str) and isinstance(after, str) and bool(before or after)
    if around and len(parts) <= 1 and all(part["type"] == "text" for part in parts):
        return [{"type": "text", "text": f"{before}{parts[0]['text'] if parts else ''}{after}"}]
    return parts


def failed_in(observation: Mapping[str, Any]) -> bool:
    """True for an error and for an exit code that is none of success."""
    if observation.get("is_error") is True or (
        isinstance(observation.get("error"), str) and observation["error"]
    ):
        return True
    code = observation.get("exit_code", mapping(observation.get("metadata")).get("exit_code"))
    return isinstance(code, int) and not isinstance(code, bool) and code > 0


def call_of(event: Mapping[str, Any]) -> dict[str, Any]:
    """The call of an action, in whatever form it is kept."""
    made = mapping(event.get("tool_call"))
    if made:
        plain = plain_call(made)
        return {**plain, "id": plain["id"] or text(event.get("tool_call_id"))}
    asked = {k: v for k, v in mapping(event.get("action")).items() if k != "kind"}
    return call(event.get("tool_call_id"), event.get("tool_name"), asked)


def plain_call(made: Mapping[str, Any]) -> dict[str, Any]:
    """A call of a message: flat, or with its function apart."""
    function = mapping(made.get("function")) or made
    return call(made.get("id"), function.get("name"), function.get("arguments"))


def reasoning_of(holder: Mapping[str, Any]) -> dict[str, Any]:
    """The keys that hold reasoning, an item of the Responses API among them."""
    kept = {key: holder[key] for key in REASONING_KEYS if holder.get(key)}
    item = holder.get("responses_reasoning_item")
    if isinstance(item, dict) and "reasoning_details" not in kept:
        kept["reasoning_details"] = [{"type": "reasoning", **item}]
    return kept


def schema_of(tool: Mapping[str, Any]) -> dict[str, Any]:
    """A tool of the SDK, which keeps its description and not its parameters."""
    name = text(tool.get("name")) or text(tool.get("title")) or text(tool.get("kind"))
    function = {"name": name, "description": text(tool.get("description"))}
    return {"type": "function", "function": function}
