"""A YAML text, or a mapping, as nodes that know their lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opencollab_nb.errors import SpecificationError

MOST_CHARS = 200_000
"""Prompts may be long; a longer text is some other file."""
MOST_DEPTH = 12
"""Lists and mappings inside one another: deeper ones take YAML very long, and mean nothing here."""
_SHOWN_CHARS = 60


def composed(text: str, source: str) -> Any:
    """The root node of a text; None where it is empty.

    Args:
        text: YAML.
        source: what a message calls it.

    Raises:
        SpecificationError: (a ValueError) no YAML, too long or too deep, or with anchors, aliases or tags.
    """
    import yaml

    if len(text) > MOST_CHARS:
        raise SpecificationError(
            f"{source}: {len(text):,} characters or more; at most {MOST_CHARS:,} are read"
        )
    try:
        _look_through(text, source)
        return yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        if isinstance(error, SpecificationError):
            raise
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark is not None else ""
        says = getattr(error, "problem", None) or " ".join(str(error).split())
        raise SpecificationError(f"{source}: {where}not YAML: {says}") from error


def _look_through(text: str, source: str) -> None:
    """Refuse, before anything is built of it, what a team never needs."""
    import yaml

    depth = 0
    for token in yaml.scan(text, Loader=yaml.SafeLoader):
        line = token.start_mark.line + 1
        if isinstance(
            token,
            yaml.BlockMappingStartToken
            | yaml.BlockSequenceStartToken
            | yaml.FlowMappingStartToken
            | yaml.FlowSequenceStartToken,
        ):
            depth += 1
        elif isinstance(token, yaml.BlockEndToken | yaml.FlowMappingEndToken | yaml.FlowSequenceEndToken):
            depth -= 1
        elif isinstance(token, yaml.AnchorToken | yaml.AliasToken | yaml.TagToken):
            raise SpecificationError(
                f"{source}: line {line}: anchors, aliases and tags are not read in a team; write it out"
            )
        if depth > MOST_DEPTH:
            raise SpecificationError(f"{source}: line {line}: nested deeper than {MOST_DEPTH} levels")


def represented(value: Mapping[str, Any], source: str) -> Any:
    """The node of a Python mapping; it knows no lines.

    Raises:
        SpecificationError: (a ValueError) it holds what no YAML holds.
    """
    import yaml

    try:
        return yaml.representer.SafeRepresenter(sort_keys=False).represent_data(value)
    except (yaml.YAMLError, RecursionError) as error:
        raise SpecificationError(f"{source}: {' '.join(map(str, error.args))}") from error


def is_scalar(node: Any) -> bool:
    """True for a single value."""
    import yaml

    return isinstance(node, yaml.ScalarNode)


def value_of(node: Any) -> Any:
    """The plain value of a scalar; of one that cannot be made, its text. None for any other node."""
    import yaml

    if not is_scalar(node):
        return None
    try:
        return yaml.SafeLoader("").construct_object(node)
    except (yaml.YAMLError, ValueError):
        return str(node.value)


def shown(node: Any) -> str:
    """How a message shows a value.

    >>> shown(composed("[a]", "it")), shown(composed("~", "it")), shown(composed("12", "it"))
    ('a list', 'nothing', '12')
    """
    import yaml

    if isinstance(node, yaml.MappingNode):
        return "a mapping"
    if isinstance(node, yaml.SequenceNode):
        return "a list"
    value = value_of(node)
    if value is None:
        return "nothing"
    return shortened(repr(value) if isinstance(value, str | int | float) else repr(str(node.value)))


def shortened(text: str) -> str:
    """The text, its end left out where it is long."""
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"
