"""Known values are struck out, in every form they may take, quickly, and nothing else is."""

from __future__ import annotations

import base64
import json
import os
import time
import urllib.parse
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb import ContextBudget, Session
from opencollab_nb.errors import UsageProblem
from opencollab_nb.models.scripted import ScriptedModel
from opencollab_nb.secrecy import KNOWN, Known, file_without_secrets, keep_secret, keep_secrets

KEY = "sk-proj-9fQ2xT7LmB4vN8wZ1cR6yH3d"
ODD = 'p"ä\\ss w0rd/+&%\n2'


def known(value: str = KEY, name: str = "OPENAI_API_KEY") -> Known:
    one = Known(environ={})
    one.add(name, value)
    return one


@pytest.mark.parametrize(
    "name", ["OPENAI_API_KEY", "GITHUB_TOKEN", "APP_SECRET", "TOKEN", "db_password", "AWS_SECRET_ACCESS_KEY"]
)
def test_the_environment_s_keys_are_known_by_their_names(name):
    environ = {"HOME": "/home/someone-1234", "PATH": "/usr/bin:/usr/local/bin1"}
    one = Known(environ)
    assert one.struck(f"a {KEY} b") == f"a {KEY} b"
    environ[name] = KEY
    assert one.struck(f"a {KEY} b") == f"a [secret {name}] b"
    del environ[name]
    assert one.struck(f"a {KEY} b") == f"a [secret {name}] b", "once known, always known"
    assert one.struck(environ["HOME"] + environ["PATH"]) == environ["HOME"] + environ["PATH"]


@pytest.mark.parametrize("value", ["x", "EMPTY", "not-needed", "true", "", "sk-no-key-required"])
def test_stand_ins_and_files_are_no_secrets(value, tmp_path):
    file = tmp_path / "key-0123456789.pem"
    file.write_text("")
    one = Known({"OPENAI_API_KEY": value, "SSL_KEY": str(file)})
    assert one.struck(f"{value} {file} and words") == f"{value} {file} and words"


FORMS = {
    "plain": lambda s: s,
    "JSON": json.dumps,
    "JSON in JSON": lambda s: json.dumps(json.dumps({"a": s})),
    "unescaped JSON in JSON": lambda s: json.dumps(json.dumps({"a": s}, ensure_ascii=False)),
    "repr": repr,
    "in an address": lambda s: "https://h/?key=" + urllib.parse.quote(s, safe=""),
    "base64": lambda s: base64.b64encode(s.encode()).decode(),
    "basic authorization": lambda s: base64.b64encode(f"user:{s}".encode()).decode(),
    "base64 of a line": lambda s: base64.b64encode(f"=={s}\n".encode()).decode(),
    "base64 for addresses": lambda s: base64.urlsafe_b64encode(f"{s}".encode()).decode(),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("value", [KEY, ODD])
def test_every_form_of_a_value_is_struck_out(form, value):
    said = FORMS[form](value)
    struck = known(value).struck(f"before {said} after")
    assert "[secret OPENAI_API_KEY]" in struck
    assert said not in struck
    assert struck.startswith("before ")
    assert struck.endswith(" after")
    line = json.dumps({"text": said}).encode()
    back = json.loads(known(value).struck_bytes(line))
    assert "[secret OPENAI_API_KEY]" in back["text"]


def test_a_key_that_begins_like_another_is_struck_out_whole():
    one = known()
    one.add("LONGER", KEY + "-and-more-1")
    assert one.struck(KEY + "-and-more-1") == "[secret LONGER]"


@given(st.text(), st.text())
def test_all_else_stays_the_very_same(before, after):
    one = known()
    assert one.struck(before) is before
    assert one.struck(before + KEY + after) == before + "[secret OPENAI_API_KEY]" + after
    again = one.struck(before + KEY + after)
    assert one.struck(again) is again


def test_data_keeps_its_shape_and_what_is_clean_stays_itself():
    one = known()
    clean = {"a": [1, "x", (2, None)], "b": {"c": True}}
    assert one.struck_value(clean) is clean
    assert one.struck_json(clean) is clean
    assert one.struck_json({"a": [f"x{KEY}"], KEY: 1}) == {
        "a": ["x[secret OPENAI_API_KEY]"],
        "[secret OPENAI_API_KEY]": 1,
    }


def test_an_error_loses_it_with_its_notes_and_causes():
    one = known()
    cause = ValueError({"key": KEY})
    problem = RuntimeError(f"bad {KEY}", 3)
    problem.__cause__ = cause
    problem.body = f"body {KEY}"  # type: ignore[attr-defined]
    problem.add_note(f"note {KEY}")
    one.strike_error(problem)
    assert problem.args == ("bad [secret OPENAI_API_KEY]", 3)
    assert KEY not in repr([problem, vars(problem), cause])


def test_what_the_user_names_is_struck_out(monkeypatch):
    monkeypatch.setenv("ODDLY_NAMED_THING", "a-thing-2210")
    keep_secrets({"door": "94-07-11"})
    keep_secret("ODDLY_NAMED_THING")
    assert KNOWN.struck("94-07-11 a-thing-2210") == "[secret door] [secret ODDLY_NAMED_THING]"
    with pytest.raises(UsageProblem, match="the environment has no NOT_THERE_AT_ALL"):
        keep_secret("NOT_THERE_AT_ALL")
    with pytest.raises(UsageProblem, match="fewer than 4"):
        keep_secret("pin", "123")


def test_an_object_of_git_that_holds_one_is_emptied(monkeypatch):
    monkeypatch.setenv("REPO_TOKEN", KEY)
    assert file_without_secrets(f"k={KEY}\n".encode()) == b"k=[secret REPO_TOKEN]\n"
    assert file_without_secrets(zlib.compress(f"blob 9\0{KEY}".encode())) == b""
    fine = zlib.compress(b"blob 9\0nothing")
    assert file_without_secrets(fine) is fine


def test_a_step_s_texts_are_looked_through_in_milliseconds():
    one = Known({**os.environ, **{f"SERVICE_{n}_KEY": f"{KEY}-{n}" for n in range(8)}})
    line = json.dumps({"text": "def f(self):\n    return 1\n" * 4_000}).encode()
    small = b'{"n": 3, "kind": "usage"}'
    one.struck_bytes(small)
    best = min(
        timed(lambda: [one.struck_bytes(line), *(one.struck_bytes(small) for _ in range(15))])
        for _ in range(9)
    )
    # About 0.5 ms for 100 KB and fifteen events; the promise is a few milliseconds.
    assert best < 0.005, best


def timed(act):
    begun = time.perf_counter()
    act()
    return time.perf_counter() - begun


def test_what_is_no_text_is_refused_as_such_while_keys_are_known():
    keep_secrets({"door": "94-07-11"})
    session = Session("Fix.", model=ScriptedModel([]), budget=ContextBudget(8_000))
    with pytest.raises(UsageProblem, match="text"):
        session.register("constraints", None)  # type: ignore[arg-type]
