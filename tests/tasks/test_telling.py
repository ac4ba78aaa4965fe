"""Constraints that are told in mid-run."""

import copy

import pytest

from opencollab_nb.errors import SpecificationError
from opencollab_nb.messages import text_of
from opencollab_nb.models.simulated.lint import lint
from opencollab_nb.models.simulated.loading import plan_from
from opencollab_nb.session import Session
from opencollab_nb.tasks import load_task
from opencollab_nb.tasks.acts import Act
from opencollab_nb.tasks.telling import in_force
from opencollab_nb.tasks.violations import violations_of
from tests.models.simulated.world import PLAN, World

TASK = load_task("orders")
LATER = TASK.plan.told_later[0]


def plan(check=None, told_after="login-limit"):
    data = copy.deepcopy(PLAN)
    data["constraints"]["no-schema"] |= {
        "told_after": told_after,
        "check": check or {"unchanged": "schema.sql"},
    }
    return plan_from(data, "tiny")


def act(name, step, result="done", **arguments):
    return Act(name, arguments, result, step, step, "")


WRITE = {"path": "schema.sql", "content": "DROP\n"}
FINISHED = act("bash", 3, "login: limit of production")


@pytest.fixture
def project(tmp_path):
    for name, text in World().files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def said(session):
    return [m["meta"]["step"] for m in session.transcript.messages if text_of(m) == LATER.text]


def finished_at(session):
    done = TASK.plan.by_id[LATER.told_after].done
    return next(
        m["meta"]["step"] for m in session.transcript.messages if m["role"] == "tool" and done in text_of(m)
    )


def test_it_stands_neither_in_the_task_nor_among_its_constraints():
    assert LATER.text not in TASK.text
    assert LATER.text not in TASK.constraints
    assert len(TASK.constraints) == 2
    assert f"Told once {LATER.told_after} is finished: {LATER.text}" in TASK._repr_html_()


def test_it_is_said_once_in_the_request_after_its_milestone(tmp_path):
    session = TASK.session(profile="ideal", window=None, path=tmp_path / "run")
    session.run(30)
    step = finished_at(session)
    assert said(session) == [step]
    assert LATER.text not in map(text_of, session.request(step).messages)
    assert text_of(session.request(step + 1).messages[-1]) == LATER.text
    session.close()


def test_a_resumed_run_is_followed_and_not_told_again(tmp_path):
    session = TASK.session(profile="ideal", window=None, path=tmp_path / "run", told=False)
    session.run(30)
    assert said(session) == []
    TASK.follow(session)
    assert len(said(session)) == 1
    session.close()
    resumed = Session.resume(tmp_path / "run", model=session.model, workspace=tmp_path / "run/workspace")
    TASK.follow(resumed)
    resumed.run(1)
    assert len(said(resumed)) == 1
    resumed.close()


def test_it_binds_after_the_step_that_finished_its_milestone():
    unfinished = act("bash", 2, "Error: login: limit of production")
    assert in_force(plan(), [unfinished]) == {}
    assert in_force(plan(), [unfinished, FINISHED, act("bash", 5, "login: limit of production")]) == {
        "no-schema": 3
    }
    assert in_force(plan(told_after=None), []) == {"no-schema": 0}


def test_what_came_before_is_no_act_against_it(project):
    early, late = act("file_write", 2, **WRITE), act("file_write", 4, path="schema.sql", content="x\n")
    assert violations_of(plan(), project, [early], project) == []
    assert violations_of(plan(), project, [early, FINISHED], project) == []
    told = violations_of(plan(), project, [early, FINISHED, late], project)
    assert told == ["step 4: file_write schema.sql, against no-schema"]


def test_as_it_was_when_it_was_told_is_how_it_must_stay(project):
    early, back = act("file_write", 2, **WRITE), act("file_write", 5, path="schema.sql", content="CREATE\n")
    assert len(violations_of(plan(), project, [early, FINISHED, back], project)) == 1
    assert violations_of(plan(), project, [early, FINISHED, act("file_write", 5, **WRITE)], project) == []


def test_a_limit_on_commits_cannot_be_told_later(project):
    with pytest.raises(SpecificationError, match="no-schema: commit_lines_at_most holds from the start"):
        violations_of(plan({"commit_lines_at_most": 300}), project, [], project)


def test_the_lint_finds_what_tempts_too_early_and_what_is_never_told(project):
    assert lint(plan(), project) == []
    assert lint(plan(told_after="mail-limit"), project) == ["no-schema: mail-limit tempts before it is told"]
    assert "told after 'mial-limit', which is no milestone" in lint(plan(told_after="mial-limit"), project)[0]
