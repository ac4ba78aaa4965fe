"""What the agent does where the harness offers `read_result` and `todo`."""

import json

import pytest

from opencollab_nb.budget.offload.read import answer_read_result
from opencollab_nb.models.simulated import SimulatedModel
from opencollab_nb.models.simulated.reading import View
from opencollab_nb.request import Request
from tests.models.simulated.world import World, plan

OFFERED = [{"type": "function", "function": {"name": name}} for name in ("read_result", "todo")]
RESTATEMENT = "[Restatement — kept by the harness]\nGoal: x\nFinished (0): -\nOpen (2): {}"
BOTH = 't1 "login-limit: login: limit of production"; t2 "mail-limit: mail: limit of production"'


def user(text):
    return {"role": "user", "content": text}


def asks(text, *calls):
    made = [
        {"id": f"c{k}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for k, (name, arguments) in enumerate(calls)
    ]
    return {"role": "assistant", "content": text, "tool_calls": made}


def answer(text, call_id="c0"):
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def decision(*messages, tools=OFFERED, profile="ideal", text=None):
    first = user(plan().task_text if text is None else text)
    return SimulatedModel(plan(), profile).decide(Request([first, *messages], tools=tools))


def calls_of(made):
    return [(call.name, call.arguments) for call in made.calls]


FINISHED = (
    asks("login-limit: committing", ("bash", {"command": "git commit -qam 'login: limit of production'"})),
    answer("login: limit of production"),
)


# todo


def test_what_is_finished_is_reported_with_the_next_call():
    made = decision(*FINISHED, user(RESTATEMENT.format(BOTH)))
    assert calls_of(made)[0] == ("todo", {"updates": [{"id": "t1", "status": "done"}]})
    assert calls_of(made)[1] == ("file_read", {"path": "mail.py"})
    assert made.text.startswith("mail-limit: ")


def test_without_the_tool_or_without_its_id_nothing_is_reported():
    without = decision(*FINISHED, user(RESTATEMENT.format(BOTH)), tools=[])
    assert [name for name, _ in calls_of(without)] == ["file_read"]
    unnamed = decision(*FINISHED, user(RESTATEMENT.format("login-limit, mail-limit")))
    assert [name for name, _ in calls_of(unnamed)] == ["file_read"]


def test_what_the_newest_list_no_longer_shows_as_open_is_not_reported():
    newer = 't2 "mail-limit: mail: limit of production"'
    made = decision(user(RESTATEMENT.format(BOTH)), *FINISHED, user(RESTATEMENT.format(newer)))
    assert "todo" not in [name for name, _ in calls_of(made)]


def test_a_report_in_sight_is_not_made_again_unless_it_failed():
    report = ("todo", {"updates": [{"id": "t1", "status": "done"}]})
    read = ("file_read", {"path": "mail.py"})
    listed = user(RESTATEMENT.format(BOTH))

    def after(result):
        step = asks("mail-limit: on", report, read)
        return decision(*FINISHED, listed, step, answer(result), answer("LIMIT = 1", "c1"))

    assert "todo" not in [name for name, _ in calls_of(after("t1: done"))]
    assert calls_of(after("Error: no todo t1"))[0] == report


def test_a_report_that_never_comes_through_is_given_up():
    report = ("todo", {"updates": [{"id": "t1", "status": "done"}]})
    tries = [m for _ in range(3) for m in (asks("check: on", report), answer("Error: no"))]
    made = decision(*FINISHED, *tries, user(RESTATEMENT.format(BOTH)))
    assert "todo" not in [name for name, _ in calls_of(made)]


def test_a_handoff_or_a_result_of_todo_may_name_the_ids():
    handoff = decision(user(f"[Handoff]\nGoal: x\nOpen (2): {BOTH}"), *FINISHED)
    listed = decision(asks("check: list", ("todo", {"updates": []})), answer(f"Open (2): {BOTH}"), *FINISHED)
    for made in (handoff, listed):
        assert calls_of(made)[0] == ("todo", {"updates": [{"id": "t1", "status": "done"}]})


def test_several_are_reported_in_one_call_and_the_last_before_it_says_that_all_is_finished():
    mail = (
        asks("mail-limit: committing", ("bash", {"command": "git commit -qam 'x'"})),
        answer("mail: limit of production"),
    )
    updates = [{"id": "t1", "status": "done"}, {"id": "t2", "status": "done"}]
    open_still = decision(*FINISHED, *mail, user(RESTATEMENT.format(BOTH)))
    assert calls_of(open_still) == [("todo", {"updates": updates})]
    reported = (asks(open_still.text, ("todo", {"updates": updates})), answer("t1, t2: done"))
    done = decision(*FINISHED, *mail, user(RESTATEMENT.format(BOTH)), *reported)
    assert (done.text, done.calls) == ("All milestones are finished.", ())


def test_what_it_gave_up_is_dropped_and_not_done():
    gave = (
        asks("login-limit: gave up, the test stays red.", ("bash", {"command": "git status --short"})),
        answer("M login.py"),
    )
    made = decision(*gave, user(RESTATEMENT.format(BOTH)))
    assert calls_of(made)[0] == ("todo", {"updates": [{"id": "t1", "status": "dropped"}]})


def test_what_is_in_progress_may_stand_first_in_the_list():
    order = 't2 "mail-limit: x" [in progress]; t1 "login-limit: x"'
    made = decision(user(RESTATEMENT.format(order)))
    assert made.text.startswith("login-limit: ")


# read_result


def offloaded(number, path):
    return (
        f"    1\tlogin served 0 requests\n[offloaded: result {number}, 100 lines, 9000 chars, from {path}; "
        f"read_result(id={number}, offset=1, limit=200) shows it]"
    )


def read(path, number, **page):
    return asks("login-limit: reading on", ("file_read", {"path": path, **page})), answer(
        offloaded(number, path)
    )


SURVEY = (
    asks("login-limit: the module first", ("file_read", {"path": "login.py"})),
    answer("LIMIT = 1"),
    *read("logs/login.log", 5, offset=1, limit=50),
    *read("logs/login.log", 7, offset=51, limit=50),
)


def test_a_fact_behind_pointers_is_looked_for_in_all_of_them_by_pattern():
    made = decision(*SURVEY)
    wanted = {"pattern": "login refused"}
    assert calls_of(made) == [("read_result", {"id": 7, **wanted}), ("read_result", {"id": 5, **wanted})]


def test_without_the_tool_it_looks_into_the_file():
    assert calls_of(decision(*SURVEY, tools=[])) == [
        ("grep", {"pattern": "login refused", "path": "logs/login.log"})
    ]


def found(said, *results):
    asked = asks(
        said, *(("read_result", {"id": number, "pattern": "login refused"}) for number, _ in results)
    )
    return asked, *(answer(text, f"c{k}") for k, (_, text) in enumerate(results))


def test_what_read_result_shows_is_seen_as_the_files():
    said = decision(*SURVEY).text
    made = decision(*SURVEY, *found(said, (7, "no match"), (5, "   31\tlogin refused after 47 tries")))
    assert calls_of(made) == [("file_write", {"path": "login.py", "content": "LIMIT = 47\n"})]


def test_it_is_seen_even_when_the_pointer_has_gone():
    said = decision(*SURVEY).text
    answered = found(said, (5, "   31\tlogin refused after 47 tries"))
    assert calls_of(decision(*SURVEY[:2], *answered))[0][0] == "file_write"
    unnamed = found("login-limit: looking", (5, "   31\tlogin refused after 47 tries"))
    assert calls_of(decision(*SURVEY[:2], *unnamed))[0][0] != "file_write"


def test_a_value_behind_a_pointer_to_another_file_is_not_taken():
    other = (*SURVEY[:2], *read("logs/mail.log", 5), *read("logs/login.log", 9))
    made = decision(*other, *found("login-limit: looking", (5, "login refused after 99 tries")))
    assert ("file_write", {"path": "login.py", "content": "LIMIT = 99\n"}) not in calls_of(made)


def test_once_the_pointers_showed_nothing_it_looks_into_the_file_and_at_last_guesses():
    said = decision(*SURVEY).text
    nothing = found(said, (7, "no match"), (5, "Error: there is no tool result 5"))
    grep = ("grep", {"pattern": "login refused", "path": "logs/login.log"})
    assert calls_of(decision(*SURVEY, *nothing)) == [grep]
    looks = [m for _ in range(2) for m in (asks("login-limit: look", grep), answer("no match"))]
    guessed = decision(*SURVEY, *nothing, *looks)
    assert calls_of(guessed) == [("file_write", {"path": "login.py", "content": "LIMIT = 0\n"})]


def test_a_profile_that_reads_whole_files_follows_the_pointer_too():
    assert calls_of(decision(*SURVEY, profile="hasty"))[0][0] == "read_result"


def test_an_offloaded_result_is_no_stub_and_its_reading_is_not_done_again():
    seen = View([*SURVEY], [1] * len(SURVEY), ["read_result"])
    assert [call.shown for call in seen.calls] == [True, True, True]
    assert seen.pointed == {7: "logs/login.log", 5: "logs/login.log"}
    bare = View(
        [SURVEY[2], answer("[offloaded: result 5, 3 lines, 9 chars, from a.log]")], [1, 1], ["read_result"]
    )
    assert not bare.calls[0].gone


# a whole run, with both offered


class Harness(World):
    """The world with the harness's tools: results are kept by number, todos by id."""

    def __init__(self):
        super().__init__()
        self.results: dict[int, dict] = {}
        self.todos = {"t1": "login-limit", "t2": "mail-limit"}

    def read_result(self, **arguments):
        return answer_read_result(self.results, arguments)

    def todo(self, updates):
        for update in updates:
            del self.todos[update["id"]]
        return "\n".join(f"{u['id']}: {u['status']}" for u in updates)

    @property
    def restated(self):
        listed = "; ".join(f'{k} "{v}: x"' for k, v in self.todos.items())
        return user(f"[Restatement — kept by the harness]\nOpen ({len(self.todos)}): {listed or '-'}")


@pytest.mark.parametrize("profile", ["ideal", "plain", "hasty"])
def test_a_run_with_offloading_and_todos_ends_with_all_done_and_all_reported(profile):
    world, messages = Harness(), [user(plan().task_text)]
    for _ in range(80):
        sent = [*map(world_offloads(world, messages), range(len(messages))), world.restated]
        message = SimulatedModel(plan(), profile, 3).reply(Request(sent, tools=OFFERED)).message
        messages.append(message)
        if not message.get("tool_calls"):
            break
        for call in message["tool_calls"]:
            function = call["function"]
            result = world.call(function["name"], json.loads(function["arguments"]))
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
            world.results[len(messages) - 1] = messages[-1]
    assert messages[-1]["content"] == "All milestones are finished."
    assert world.todos == {}
    assert (world.files["login.py"], world.files["mail.py"]) == ("LIMIT = 47\n", "LIMIT = 12\n")
    assert any("read_result" in json.dumps(m) for m in messages)


def world_offloads(world, messages):
    def sent(place):
        message = messages[place]
        long = message["role"] == "tool" and len(message["content"]) > 600 and place < len(messages) - 1
        return {**message, "content": offloaded(place, "its file")} if long else message

    return sent
