"""A context policy as written text: which chain, and its few numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from opencollab_nb.errors import SpecificationError, UnknownName
from opencollab_nb.shaping import MODES, POLICIES, ShaperPipeline, Summarizer, default_pipeline

MOST_CHARS = 20_000
"""A policy is a few lines; a longer text is some other file."""
_MOST_OPENED = 20
"""Lists and mappings that a text may open before reading it ends: nested ones take YAML very long."""
_MOST_BUDGET_CHARS = 10_000_000


@dataclass(frozen=True)
class Policy:
    r"""Which chain shapes the requests, and how.

    >>> Policy.from_text("policy: summarize\ntool_result_budget: 8000")
    Policy(policy='summarize', tool_result_budget=8000, target_ratio=0.75, mode='sticky')
    >>> Policy.from_text("polcy: summarize")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    opencollab_nb.errors.SpecificationError: unknown key 'polcy'; did you mean 'policy'? Known: ...
    """

    policy: str = "default"
    """One of `POLICIES`."""
    tool_result_budget: int = 16_000
    """Characters one tool result may have."""
    target_ratio: float = 0.75
    """The target's share of the trigger."""
    mode: str = "sticky"
    """`sticky` or `stateless`, see `Projection`."""

    def __post_init__(self) -> None:
        for key, value in asdict(self).items():
            _CHECKS[key](value)

    @classmethod
    def from_text(cls, text: str) -> Policy:
        """Read a YAML mapping with these keys, or just the name of a policy.

        Raises:
            SpecificationError: (a ValueError) text that is no such mapping, unknown keys and values;
                it names the nearest valid one.
        """
        value = _read_yaml(text)
        if isinstance(value, str):
            return cls(value)
        if not isinstance(value, Mapping):
            raise SpecificationError(
                f"a policy is a mapping such as `policy: summarize`, not {_kind(value)}: {_short(text)}"
            )
        return cls.from_mapping(value)

    @classmethod
    def from_mapping(cls, value: Mapping[str, Any]) -> Policy:
        """The policy with these keys; those that are not given have their defaults.

        Raises:
            SpecificationError: (a ValueError) unknown keys and values; it names the nearest valid one.

        >>> Policy.from_mapping({"policy": "summarize", "tool_result_budget": 8000}).tool_result_budget
        8000
        """
        for key in value:
            if key not in _CHECKS:
                raise SpecificationError(str(UnknownName("key", key, _CHECKS)))
        return cls(**value)

    @classmethod
    def from_file(cls, path: str | Path) -> Policy:
        """Read a YAML file; see `from_text`.

        Raises:
            SpecificationError: (a ValueError) no such file, or not a policy; names the file.
        """
        path = Path(path)
        try:
            with path.open(encoding="utf-8") as file:
                text = file.read(MOST_CHARS + 1)
        except (OSError, UnicodeDecodeError) as error:
            raise SpecificationError(f"policy file {path} cannot be read: {error}") from error
        try:
            return cls.from_text(text)
        except SpecificationError as error:
            raise SpecificationError(f"{path}: {error}") from error

    @classmethod
    def named(cls, name: str) -> Policy:
        """The policy with this name and the default numbers.

        Raises:
            SpecificationError: (a ValueError) unknown; names the nearest.
        """
        return cls(name)

    def pipeline(self, summarizer: Summarizer | None = None) -> ShaperPipeline:
        """The chain; compaction in it is off without a summarizer."""
        return default_pipeline(
            self.policy, summarizer=summarizer, tool_result_budget=self.tool_result_budget
        )


def _read_yaml(text: str) -> Any:
    import yaml

    if len(text) > MOST_CHARS:
        raise SpecificationError(
            f"a policy of {len(text):,} characters or more; at most {MOST_CHARS:,} are read"
        )
    try:
        opened = 0
        for token in yaml.scan(text, Loader=yaml.SafeLoader):
            opened += type(token).__name__.endswith("StartToken")
            if opened > _MOST_OPENED:
                raise SpecificationError("a policy is one flat mapping; this opens lists or mappings in it")
            if isinstance(token, yaml.AnchorToken | yaml.AliasToken | yaml.TagToken):
                line = token.start_mark.line + 1
                raise SpecificationError(f"line {line}: anchors, aliases and tags are not read in a policy")
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        _refuse_doubled_keys(node)
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        if isinstance(error, SpecificationError):
            raise
        raise SpecificationError(f"not YAML: {' '.join(str(error).split())}") from error


def _refuse_doubled_keys(node: Any) -> None:
    """YAML lets the last of two equal keys win in silence."""
    import yaml

    if not isinstance(node, yaml.MappingNode):
        return
    seen = set()
    for key, _ in node.value:
        name = str(key.value)
        if name in seen:
            raise SpecificationError(f"line {key.start_mark.line + 1}: the key {name!r} is given twice")
        seen.add(name)


def _check_choice(key: str, known: tuple[str, ...]) -> Callable[[Any], None]:
    def check(value: Any) -> None:
        if value not in known:
            raise SpecificationError(str(UnknownName(key, value, known)))

    return check


def _check_budget(value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _MOST_BUDGET_CHARS:
        raise SpecificationError(
            f"tool_result_budget: {value!r} is no whole number of characters from 1 to "
            f"{_MOST_BUDGET_CHARS:,}, such as 16000"
        )


def _check_ratio(value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1:
        raise SpecificationError(f"target_ratio: {value!r} is no share between 0 and 1, such as 0.75")


_CHECKS: dict[str, Callable[[Any], None]] = {
    "policy": _check_choice("policy", POLICIES),
    "tool_result_budget": _check_budget,
    "target_ratio": _check_ratio,
    "mode": _check_choice("mode", MODES),
}


def _kind(value: Any) -> str:
    return "nothing" if value is None else f"a {type(value).__name__}"


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:60]}…")
