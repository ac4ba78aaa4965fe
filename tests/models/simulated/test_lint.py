import copy

import pytest

from opencollab_nb.models.simulated.lint import lint
from opencollab_nb.models.simulated.loading import plan_from
from tests.models.simulated.world import PLAN, World, plan


@pytest.fixture
def project(tmp_path):
    for name, text in World().files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def broken(project, change):
    data = copy.deepcopy(PLAN)
    change(data)
    return "\n".join(lint(plan_from(data, "tiny"), project))


def test_a_sound_plan_has_no_faults(project):
    assert lint(plan(), project) == []


def test_a_fact_that_stands_in_two_files_is_found(project):
    (project / "copy.md").write_text("login refused after 47 tries", encoding="utf-8")
    assert "login-limit.limit: matches in ['copy.md', 'logs/login.log']" in lint(plan(), project)[0]


def test_a_fact_that_matches_twice_is_found(project):
    (project / "logs/mail.log").write_text("mail refused after 1\nmail refused after 2", encoding="utf-8")
    assert lint(plan(), project) == ["mail-limit.limit: matches more than once"]


def test_a_mark_in_the_goal_is_found(project):
    def change(data):
        data["goal"] += " Start with login: limit of production."

    assert "login-limit: its mark is in the task" in broken(project, change)


def test_an_id_in_a_file_is_found(project):
    (project / "notes.md").write_text("see mail-limit", encoding="utf-8")
    assert lint(plan(), project) == ["mail-limit: its id is in notes.md"]


def test_a_mark_that_another_one_shadows_is_found(project):
    def change(data):
        data["milestones"][0]["done"] = "limit of production"

    assert "its mark is seen in that of mail-limit" in broken(project, change)


def test_words_that_claim_to_be_finished_are_found(project):
    def change(data):
        data["milestones"][0]["read"][0]["say"] = "the log is done"

    assert "taken as finished when the agent says" in broken(project, change)


def test_a_constraint_that_is_read_wrongly_is_found(project):
    def change(data):
        rule = data["constraints"]["no-schema"]
        rule["says"] = ["Leave the tables alone."]
        rule["says_not"] = ["I never saw the schema."]

    said = broken(project, change)
    assert "no-schema: not seen in 'Leave the tables alone.'" in said
    assert "no-schema: seen in 'I never saw the schema.'" in said


def test_a_need_without_a_fact_is_found(project):
    def change(data):
        data["milestones"][0]["do"][1]["file_write"]["content"] = "LIMIT = <limitt>"

    assert "login-limit: no fact limitt" in broken(project, change)
