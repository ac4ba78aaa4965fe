import copy

import pytest

from opencollab_nb.errors import SpecificationError
from opencollab_nb.models.simulated.loading import load_plan, plan_from
from tests.models.simulated.world import PLAN, plan


def changed(**keys):
    return {**copy.deepcopy(PLAN), **keys}


def test_rows_expand_one_template():
    assert [m.id for m in plan().milestones] == ["login-limit", "mail-limit"]
    assert plan().milestones[1].facts["limit"].path == "logs/mail.log"


def test_what_no_row_fills_is_a_fact():
    write = plan().milestones[0].do[0].call
    assert write.needs == ["limit"]
    assert write.with_facts({"limit": "47"}).arguments["content"] == "LIMIT = 47\n"


def test_an_entry_with_when_is_there_only_for_rows_that_ask_for_it():
    assert [len(m.do) for m in plan().milestones] == [3, 4]
    assert plan().temptations == 1


def test_the_task_text_is_the_goal_and_the_constraints():
    assert plan().task_text.endswith("Hard constraints:\n- The schema must not be changed.")


def test_an_unknown_key_is_refused_with_the_nearest_known_one():
    with pytest.raises(SpecificationError, match="unknown key 'goal_sene'; did you mean 'goal_seen'"):
        plan_from(changed(goal_sene="x"), "tiny")


def test_a_missing_key_is_named():
    broken = changed()
    del broken["goal"]
    with pytest.raises(SpecificationError, match="the plan: goal missing"):
        plan_from(broken, "tiny")


def test_an_entry_needs_exactly_one_tool():
    with pytest.raises(SpecificationError, match=r"check: one of file_read.* is needed, there is \['bsh'\]"):
        plan_from(changed(check={"bsh": {"command": "ls"}}), "tiny")


def test_a_plan_is_loaded_from_its_folder_or_its_file(tmp_path):
    import yaml

    (tmp_path / "plan.yaml").write_text(yaml.safe_dump(PLAN), encoding="utf-8")
    assert load_plan(tmp_path) == load_plan(tmp_path / "plan.yaml")
