"""Reasoning that only the provider can read: what a session takes it to weigh."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from opencollab_nb.models import Reply, Usage
from opencollab_nb.session import Session
from opencollab_nb.tokens.estimate import weigh
from tests.session.build import a_session

SEALED = {
    "role": "assistant",
    "content": "Done.",
    "reasoning": [{"type": "reasoning", "encrypted_content": "gAAAA" + "Zx9_" * 9_000}],
}
OUTPUT_TOKENS = 300


def stored(path: Path, usage: Usage | None) -> Any:
    session = a_session(path, [Reply(SEALED, usage)], usage=None)
    session.step()
    session.close()
    return session.transcript.messages[-1]


def test_encrypted_reasoning_weighs_at_most_the_output_reported_with_its_reply(tmp_path: Path) -> None:
    message = stored(tmp_path / "run", Usage(9_000, 0, OUTPUT_TOKENS))
    assert OUTPUT_TOKENS < weigh(message) < OUTPUT_TOKENS + 50
    assert weigh({**SEALED}) > 10 * OUTPUT_TOKENS
    resumed = Session.resume(tmp_path / "run", model=a_session().model)
    assert weigh(resumed.transcript.messages[-1]) == weigh(message)
    assert "output_tokens" not in repr(resumed.request(1).wire)
    resumed.close()


@pytest.mark.parametrize("usage", [None, Usage(9_000)])
def test_without_a_report_it_weighs_what_its_length_suggests(tmp_path: Path, usage: Usage | None) -> None:
    assert weigh(stored(tmp_path / "run", usage)) == weigh({**SEALED})
