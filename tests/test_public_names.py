"""The public face: the names, and that asking for them is all it takes."""

from __future__ import annotations

import subprocess
import sys

import opencollab_nb

HEAVY = (
    "openai",
    "plotly",
    "pandas",
    "tiktoken",
    "ipywidgets",
    "anywidget",
    "IPython",
    "genai_prices",
    "yaml",
)


def test_every_public_name_can_be_had() -> None:
    for name in opencollab_nb.__all__:
        assert getattr(opencollab_nb, name) is not None, name


def test_the_design_s_names_are_public() -> None:
    wanted = """history_trigger_target PIN_FLOOR KEEP_KEYS Pressure ContextPressure affordable_groups
    ToolResultBudgetShaper ContextShedShaper ToolOutputClearShaper OldHistorySnipShaper AutoCompactShaper
    EagerToolOutputClearShaper ShaperPipeline default_pipeline Projection check_shaper prefix_kept Session
    load_task SimulatedModel OpenAIModel LocalModel RoutedModel Usage"""
    assert set(wanted.split()) <= set(dir(opencollab_nb))


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(opencollab_nb, "Sesion")


def in_a_fresh_process(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )


def test_import_is_silent_and_pulls_no_heavy_library() -> None:
    done = in_a_fresh_process(
        f"import sys, opencollab_nb; print(sorted(set({HEAVY!r}) & set(sys.modules)), end='')"
    )
    assert (done.stdout, done.stderr) == ("[]", "")


def test_import_takes_at_most_a_third_of_a_second() -> None:
    # The promise is 0.3 s; it takes about 0.01 s, so even a busy machine keeps it.
    code = "import time; t = time.perf_counter(); import opencollab_nb; print(time.perf_counter() - t)"
    assert min(float(in_a_fresh_process(code).stdout) for _ in range(3)) <= 0.3


def test_session_can_be_had_without_any_heavy_library() -> None:
    done = in_a_fresh_process(
        f"import sys; from opencollab_nb import Session, default_pipeline; "
        f"print(sorted(set({HEAVY!r}) & set(sys.modules)), end='')"
    )
    assert done.stdout == "[]"


def test_import_patches_nothing_of_asyncio() -> None:
    code = (
        "import asyncio; before = (asyncio.run, asyncio.BaseEventLoop.run_until_complete); "
        "import opencollab_nb; from opencollab_nb import Session; "
        "print(before == (asyncio.run, asyncio.BaseEventLoop.run_until_complete), end='')"
    )
    assert in_a_fresh_process(code).stdout == "True"
