"""The real local model: a real tokenizer, real usage, real refusals, a real child process."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from opencollab_nb.errors import Overflow, StepCancelled, UsageProblem
from opencollab_nb.models import Model
from opencollab_nb.models.local import LocalModel
from opencollab_nb.request import Request
from opencollab_nb.ticket import Ticket
from opencollab_nb.tokens.exact import encoding_for
from tests.models.local.processes import gone

pytestmark = pytest.mark.usefixtures("local_weights")
WINDOW = 2_048


def saying(text: str, limit: int | None = 6) -> Request:
    return Request(({"role": "user", "content": text},), max_output_tokens=limit)


@pytest.fixture(scope="module")
def model(local_weights: Path) -> Iterator[LocalModel]:
    made = LocalModel(window=WINDOW)
    yield made
    made.close()


def test_it_replies_reports_usage_and_counts_with_a_tokenizer_of_its_own(model: LocalModel) -> None:
    assert isinstance(model, Model)
    assert not model.simulated
    text = "naïve façade, 你好世界, xyzzy_42 = λx: x"
    reply = model.reply(saying(text))
    assert reply.message["role"] == "assistant"
    assert reply.message["content"]
    assert reply.usage is not None
    assert 0 < reply.usage.output_tokens <= 6
    bare = model.reply(saying("")).usage.input_tokens
    counted = encoding_for("gpt-4o").count(text)
    assert reply.usage.input_tokens - bare > 1.2 * counted, "it is not tiktoken that counts here"


def test_the_same_request_gets_the_same_reply(model: LocalModel) -> None:
    first, second = (model.reply(saying("Name a colour.")) for _ in range(2))
    assert first.message == second.message
    assert second.usage.cached_input_tokens > 0


def test_over_the_window_is_an_overflow_with_both_numbers(model: LocalModel) -> None:
    with pytest.raises(Overflow) as refused:
        model.reply(saying("word " * 3_000))
    assert refused.value.window == WINDOW
    assert 3_000 <= refused.value.input_tokens < 3_100


def test_it_listens_on_this_machine_only_and_wants_its_key(model: LocalModel) -> None:
    import openai

    address = model.server.address()
    assert address.startswith("http://127.0.0.1:")
    stranger = openai.OpenAI(base_url=f"{address}/v1", api_key="guess", max_retries=0)
    with pytest.raises(openai.AuthenticationError):
        stranger.chat.completions.create(model="any", messages=[{"role": "user", "content": "hi"}])
    assert model.server.key not in repr(model) + repr(model.server) + repr(vars(model))
    assert model.server.key not in " ".join(psutil.Process(model.server.pid).cmdline())


def test_models_with_the_same_settings_share_one_child(model: LocalModel) -> None:
    other = pickle.loads(pickle.dumps(model))
    assert other.server is model.server
    assert LocalModel(window=1_024).server is not model.server


def test_a_child_that_was_killed_is_started_again(model: LocalModel) -> None:
    model.reply(saying("Hi.", 1))
    before = model.server.pid
    os.kill(before, signal.SIGKILL)
    assert model.reply(saying("Hi.", 1)).usage is not None
    assert model.server.pid not in (None, before)


def test_a_cancelled_reply_comes_back_at_once(model: LocalModel) -> None:
    ticket = Ticket()
    threading.Timer(0.5, ticket.cancel).start()
    begun = time.perf_counter()
    with pytest.raises(StepCancelled):
        model.reply(saying("Write a very long story.", 1_500), cancel=ticket)
    assert time.perf_counter() - begun < 10


def test_a_closed_one_leaves_no_process(local_weights: Path) -> None:
    short = LocalModel(window=1_024)
    short.server.address()
    pid = short.server.pid
    short.close()
    assert gone(pid)


def test_the_child_ends_with_its_parent_even_if_that_is_killed(local_weights: Path) -> None:
    code = (
        "import sys; from opencollab_nb import LocalModel; m = LocalModel(window=1024); m.server.address(); "
        "print(m.server.pid, flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        child = int(parent.stdout.readline())
        assert not gone(child, seconds=0)
        parent.kill()
    assert gone(child)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"window": 9_000}, "trained with a window of 8,192"),
        ({"window": 100}, "from 1,024 up"),
        ({"threads": 0}, "threads is a positive number"),
        ({"weights": "/nowhere.gguf"}, "no file of weights"),
    ],
)
def test_what_cannot_be_is_refused_at_once(settings: dict, words: str) -> None:
    with pytest.raises(UsageProblem, match=words):
        LocalModel(**settings)


def test_a_file_that_is_no_model_is_told_with_the_servers_words(tmp_path: Path) -> None:
    from opencollab_nb.errors import ModelUnavailable

    file = tmp_path / "broken.gguf"
    file.write_bytes(b"no weights")
    with pytest.raises(ModelUnavailable, match="the local server did not start"):
        LocalModel(file).reply(saying("Hi."))
