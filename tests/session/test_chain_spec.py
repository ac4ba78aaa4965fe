from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.session.chain_spec import CannotImport, describe_chain, restore, restore_chain
from opencollab_nb.shaping import (
    AutoCompactShaper,
    EagerToolOutputClearShaper,
    ShaperPipeline,
    ToolOutputClearShaper,
    default_pipeline,
)
from opencollab_nb.summarizers import ExtractiveSummarizer, ModelSummarizer
from tests.session.remote import short_summary, shout


@pytest.mark.parametrize(
    "chain",
    [
        default_pipeline(),
        default_pipeline("summarize", summarizer=ExtractiveSummarizer(), tool_result_budget=500),
        ShaperPipeline(ToolOutputClearShaper(2, compactable_tools=frozenset({"a", "b"}), stub="x")),
        ShaperPipeline(shout, AutoCompactShaper(short_summary), EagerToolOutputClearShaper()),
    ],
    ids=["default", "with a summarizer", "a set as field", "functions"],
)
def test_a_chain_comes_back_equal(chain: ShaperPipeline) -> None:
    written = json.loads(json.dumps(describe_chain(chain)))
    assert restore_chain(written) == (chain, [])


def test_a_model_is_never_written_and_must_be_given() -> None:
    model = ScriptedModel([], name="gpt")
    model.api_key = "sk-secret"  # type: ignore[attr-defined]
    chain = ShaperPipeline(AutoCompactShaper(ModelSummarizer(model)))
    written = json.dumps(describe_chain(chain))
    assert "sk-secret" not in written
    assert "gpt" in written
    _, missing = restore_chain(json.loads(written))
    assert "model=" in missing[0]
    other = ScriptedModel([])
    restored, missing = restore_chain(json.loads(written), model=other)
    assert missing == []
    assert restored.shapers[0].summarizer.model is other  # type: ignore[union-attr]


class Holder:
    def __init__(self, secret: str) -> None:
        self.secret = secret

    def shape(self, messages: Any, pressure: Any) -> Any:
        return messages


def test_what_has_no_importable_making_is_named_and_its_values_are_not_written() -> None:
    def local(messages: Any, pressure: Any) -> Any:
        return messages

    chain = ShaperPipeline(local, lambda messages, pressure: messages, Holder("sk-secret"))
    written = json.dumps(describe_chain(chain))
    assert "sk-secret" not in written
    restored, missing = restore_chain(json.loads(written))
    assert restored.shapers == ()
    assert len(missing) == 3
    assert "local" in missing[0]
    given, missing = restore_chain(json.loads(written), given={describe_chain(chain)[0]["shaper"]: local})
    assert given.shapers == (local,)
    assert len(missing) == 2


def loud(shaper: Any) -> Any:
    @functools.wraps(shaper)
    def inner(messages: Any, pressure: Any) -> Any:
        return shaper(messages, pressure)

    return inner


LOUD = loud(shout)


def test_a_function_behind_a_decorator_does_not_come_back_as_the_bare_one() -> None:
    written = json.loads(json.dumps(describe_chain(ShaperPipeline(LOUD))))
    restored, missing = restore_chain(written)
    assert restored.shapers == ()
    assert "shout (made behind a decorator)" in missing[0]


class Slots:
    __slots__ = ("depth",)

    def __init__(self, depth: int = 3) -> None:
        self.depth = depth

    def shape(self, messages: Any, pressure: Any) -> Any:
        return messages


def test_an_object_with_slots_does_not_come_back_with_other_values() -> None:
    restored, missing = restore_chain(describe_chain(ShaperPipeline(Slots(5))))
    assert restored.shapers == ()
    assert "Slots" in missing[0]


def test_a_module_that_fails_at_its_import_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "needs_a_gpu.py").write_text("raise RuntimeError('no gpu')")
    monkeypatch.syspath_prepend(tmp_path)
    _, missing = restore_chain([{"shaper": "needs_a_gpu:shorten", "fields": None}])
    assert missing == ["needs_a_gpu:shorten (RuntimeError: no gpu)"]


@pytest.mark.parametrize(
    "spec",
    [
        {"shaper": "os:system", "fields": None},
        {"shaper": "os:system", "fields": {"command": "true"}},
        {"shaper": "subprocess:Popen", "fields": {"args": "true"}},
        {"shaper": "no_such_module:x", "fields": None},
        {"shaper": "opencollab_nb.shaping:Nothing", "fields": {}},
        {"shaper": "opencollab_nb.shaping.snip:OldHistorySnipShaper", "fields": {"depth": 1}},
        {"shaper": "opencollab_nb.shaping.snip:OldHistorySnipShaper", "fields": {"keep_recent_groups": -1}},
        {"shaper": "", "fields": None},
        {"shaper": ":", "fields": None},
    ],
    ids=str,
)
def test_a_name_that_is_no_shaper_or_cannot_be_made_is_never_called(spec: Any) -> None:
    with pytest.raises(CannotImport):
        restore(spec)
