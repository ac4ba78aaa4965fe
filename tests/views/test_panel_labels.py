"""How views name things."""

from __future__ import annotations

from typing import Any

import pytest

from opencollab_nb.budget.offload import OffloadShaper
from opencollab_nb.shaping import AutoCompactShaper, ShaperPipeline, default_pipeline
from opencollab_nb.shaping.report import name_of
from opencollab_nb.views.labels import clean, human, is_off, model_label, words


def test_every_shaper_of_the_policies_has_a_human_name_and_words() -> None:
    for shaper in (OffloadShaper(), *default_pipeline().shapers):
        assert human(name_of(shaper)) != name_of(shaper)
        assert words(shaper)


def test_compaction_without_a_summarizer_is_off() -> None:
    assert is_off(AutoCompactShaper())
    assert not is_off(AutoCompactShaper(summarizer=lambda request: "x"))


def test_a_function_of_the_user_is_named_as_it_is() -> None:
    def keep_all(messages: Any, pressure: Any) -> Any:
        return messages

    assert human(name_of(ShaperPipeline(keep_all).shapers[0])) == "keep_all"
    assert words(keep_all) == "a function of this notebook"


@pytest.mark.parametrize("label", ["simulated", "plain profile", "Simulated agent (plain)", "", None])
def test_a_simulated_model_always_says_so(label: str | None) -> None:
    class Plays:
        simulated, name = True, "simulated"

    model = Plays()
    model.label = label  # type: ignore[attr-defined]
    assert "simulated agent" in model_label(model).lower()


def test_clean_text_is_one_bounded_line_that_can_be_encoded() -> None:
    text = clean("a\r\n\t" + chr(0xDC00) + "b" * 10_000_000, 50)
    assert len(text) == 50
    assert text.encode()
    assert "\n" not in text
