"""A notebook that was run for real, with panels and magics, saved with its widgets; and the kernel's log."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from tests.build import assistant, call
from tests.models.server import Answer, ChatServer
from tests.secrecy.test_known import FORMS
from tests.secrecy.test_scan import KEYS, clean, files_are_clean

CELLS = (
    "import logging; logging.basicConfig(level=10, force=True)",
    "%load_ext opencollab_nb\nfrom opencollab_nb import figures, keep_secret",
    # The cell of a user who types a key is the user's own text; so it is read from a file here.
    "keep_secret('named', open('named.txt').read())",
    "%%agent bob --model tiny --base-url {url} --shell allow --workspace work\nFix it.",
    "%oc step 4",
    "%oc panel",
    "%oc context",
    "%oc pressure",
    "%oc transcript",
    "bob",
    "bob.trace.to_frame()",
    "figures.pressure_figure(bob)",
    "display(bob.model, bob.chain, bob.request(), bob.at(2), bob.bill())",
    "%oc run",
    "display(bob.detail, bob.error)",
    "try:\n    bob.step()\nexcept Exception as problem:\n    import traceback; traceback.print_exc()",
)


def test_no_key_stands_in_a_saved_notebook_its_widgets_or_the_log_of_its_kernel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("OPENAI_API_KEY", "DEPLOY_TOKEN"):
        monkeypatch.setenv(name, KEYS[name])
    monkeypatch.setenv("OPENCOLLAB_NB_HOME", str(tmp_path / "home"))
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / ".env").write_text("\n".join(KEYS.values()))
    (tmp_path / "named.txt").write_text(KEYS["named"])
    said = " ".join(form(key) for key in KEYS.values() for form in FORMS.values())
    count = itertools.count()

    def script(_body: dict[str, Any]) -> Any:
        number = next(count)
        if number >= 4:
            return Answer(400, {"error": {"message": f"not with {said}"}})
        return assistant(
            said, call("bash", {"command": "cat .env"}, f"b{number}"), call(said, {}, f"x{number}")
        )

    with ChatServer(script) as server:
        cells = [nbformat.v4.new_code_cell(text.replace("{url}", server.url)) for text in CELLS]
        book: Any = nbformat.v4.new_notebook(cells=cells)
        where = {"metadata": {"path": str(tmp_path)}}
        client = NotebookClient(book, timeout=120, resources=where, extra_arguments=["--log-level=10"])
        client.execute()
    assert server.headers[0]["authorization"] == f"Bearer {KEYS['OPENAI_API_KEY']}"
    saved = nbformat.writes(book)
    assert "widgets" in book.metadata
    assert "[secret DEPLOY_TOKEN]" in saved
    clean("notebook", saved)
    log = "".join(capfd.readouterr())
    assert "DEBUG" in log or "debug" in log, "the kernel was asked to tell all"
    clean("log of the kernel", log)
    for own in ("named.txt", "work/.env"):
        (tmp_path / own).unlink()
    assert files_are_clean(tmp_path) > 3
