import json
import subprocess
import sys
import threading
import time

import pytest

from opencollab_nb.errors import Overflow, StepCancelled
from opencollab_nb.models import Model
from opencollab_nb.models.simulated import SimulatedModel, profiles
from opencollab_nb.request import Request
from opencollab_nb.ticket import Ticket
from tests.models.simulated.world import cleared, digest, first_lines, plan, play


def model(profile="ideal", seed=0, **settings):
    return SimulatedModel(plan(), profile, seed, **settings)


def request(text=None, **settings):
    return Request([{"role": "user", "content": text or plan().task_text}], **settings)


def test_it_is_a_model_and_says_that_it_is_simulated():
    assert isinstance(model(), Model)
    assert model("plain", 3).label == "simulated agent (profile plain, seed 3)"
    assert model().simulated is True


def test_with_everything_in_sight_each_thing_is_done_once():
    messages, world = play(model)
    assert first_lines(messages) == [
        "login-limit: the module first.",
        "login-limit: reading on.",
        "login-limit: reading on.",
        "login-limit: writing the file.",
        "login-limit: running its tests.",
        "login-limit: committing.",
        "mail-limit: the module first.",
        "mail-limit: reading on.",
        "mail-limit: reading on.",
        "mail-limit: writing the file.",
        "mail-limit: running its tests.",
        "mail-limit: committing.",
        "All milestones are finished.",
    ]
    assert world.files["login.py"] == "LIMIT = 47\n"
    assert world.files["schema.sql"] == "CREATE\n"


@pytest.mark.parametrize("profile", profiles())
@pytest.mark.parametrize("keep", [1, 3, 99])
def test_a_new_instance_at_each_step_gives_the_same_run_byte_for_byte(profile, keep):
    one = model(profile, 5)
    same, _ = play(lambda: one, shape=cleared(keep))
    fresh, _ = play(lambda: model(profile, 5), shape=cleared(keep))
    assert digest(same) == digest(fresh)


def test_another_process_with_another_hash_seed_gives_the_same_run():
    code = (
        "from tests.models.simulated.world import *\n"
        "from opencollab_nb.models.simulated import SimulatedModel\n"
        "print(digest(play(lambda: SimulatedModel(plan(), 'hasty', 5), shape=cleared(2))[0]))"
    )
    out = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert out == {digest(play(lambda: model("hasty", 5), shape=cleared(2))[0]) + "\n"}


def test_nothing_but_the_wire_form_is_read():
    plain, marked = request(), request()
    marked.view[0]["meta"] = {"id": 7, "source": "summary", "priority": 80, "step": 99}
    assert model().reply(plain).message == model().reply(marked).message


def test_without_its_task_it_hands_back_and_claims_nothing():
    reply = model().reply(request("Hello."))
    assert reply.message == {"role": "assistant", "content": "I see no task any more. I stop here."}
    assert reply.finish_reason == "stop"


def test_a_forbidden_act_is_done_where_the_constraint_is_not_in_sight():
    messages, world = play(model, text=plan().goal)
    assert "mail-limit: going on." not in first_lines(messages)
    assert world.files["schema.sql"] == "ALTER\n"
    assert world.files["mail.py"] == "LIMIT = 12\n"


def test_a_fact_that_was_cleared_is_read_again_by_one_narrow_call():
    messages, world = play(model, shape=cleared(1))
    looks = [m for m in messages if m["role"] == "assistant" and "look again" in m["content"]]
    assert [json.loads(m["tool_calls"][0]["function"]["arguments"])["pattern"] for m in looks] == [
        "login refused",
        "mail refused",
    ]
    assert world.files["mail.py"] == "LIMIT = 12\n"


def test_with_no_result_left_it_guesses_fails_and_gives_up():
    messages, world = play(model, shape=cleared(0))
    assert world.files["login.py"] == "LIMIT = 0\n"
    assert len(messages) < 120


def test_what_it_wrote_down_survives_clearing():
    noting = lambda: SimulatedModel(plan(), profiles()["ideal"].__class__(notes=1.0))  # noqa: E731
    messages, world = play(noting, shape=cleared(1))
    assert "- login-limit.limit = 47" in "\n".join(m["content"] for m in messages)
    assert not [line for line in first_lines(messages) if "look again" in line]
    assert world.files["login.py"] == "LIMIT = 47\n"


def test_a_slip_is_made_good_by_a_retry():
    slipping = profiles()["ideal"].__class__(tool_reliability=0.6)
    messages, world = play(lambda: SimulatedModel(plan(), slipping, 2))
    assert any("gti" in json.dumps(m) for m in messages)
    assert world.log == ["start", "login: limit of production", "mail: limit of production"]


def test_usage_is_counted_by_its_own_tokenizer_and_the_common_prefix_is_cached():
    one = model("plain")
    first = request(tools=[{"type": "function", "function": {"name": "file_read"}}])
    reply = one.reply(first)
    assert reply.usage.cached_input_tokens == 0
    ideal = model().reply(first).usage
    assert reply.usage.input_tokens == pytest.approx(1.1 * ideal.input_tokens, abs=1)
    longer = Request([*first.view, reply.message], tools=first.tools)
    again = one.reply(longer).usage
    assert again.cached_input_tokens == reply.usage.input_tokens < again.input_tokens


def test_another_start_is_not_cached():
    one = model()
    one.reply(request())
    assert one.reply(request(plan().task_text + " ")).usage.cached_input_tokens == 0


def test_a_request_over_its_window_is_refused_in_a_providers_words_with_both_numbers():
    long = request(plan().task_text + " and more" * 4_000)
    with pytest.raises(
        Overflow, match=r"maximum context length is 2000 tokens.* requested \d+ tokens"
    ) as caught:
        model(window=2_000).reply(long)
    assert caught.value.window == 2_000
    assert caught.value.input_tokens > 4_000


def test_room_asked_for_the_reply_counts():
    fits = request(max_output_tokens=100)
    assert model(window=400).reply(fits).usage.input_tokens < 300
    with pytest.raises(Overflow, match="390 in the completion") as caught:
        model(window=400).reply(request(max_output_tokens=390))
    assert caught.value.output_tokens == 390


def test_a_paced_reply_ends_at_once_when_it_is_cancelled():
    ticket = Ticket()
    threading.Timer(0.1, ticket.cancel).start()
    began = time.monotonic()
    with pytest.raises(StepCancelled):
        model(pace_seconds=30).reply(request(), cancel=ticket)
    assert time.monotonic() - began < 10


def test_call_ids_differ_from_step_to_step():
    messages, _ = play(model)
    ids = [call["id"] for m in messages for call in m.get("tool_calls", ())]
    assert len(set(ids)) == len(ids)
