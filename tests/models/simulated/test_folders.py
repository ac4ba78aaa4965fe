import shutil

import pytest

from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.models.simulated import SimulatedModel
from opencollab_nb.models.simulated.folders import folder_of, known
from opencollab_nb.tasks import load_task


def test_a_plan_is_given_by_a_task_its_name_its_folder_its_file_or_itself(tmp_path):
    task = load_task("quickstart")
    shutil.copytree(folder_of("quickstart"), tmp_path / "quickstart")
    mine = tmp_path / "quickstart"
    for given in ("quickstart", task, task.plan, mine, str(mine), mine / "plan.yaml"):
        assert SimulatedModel(given).plan == task.plan


def test_an_unknown_task_is_refused_with_the_nearest_name():
    with pytest.raises(UnknownName, match="unknown task 'quikstart'; did you mean 'quickstart'"):
        SimulatedModel("quikstart")


@pytest.mark.parametrize("nothing", [(), (None,), ("",), (3,), ([],)])
def test_without_a_plan_it_is_said_what_to_give(nothing):
    with pytest.raises(UsageProblem, match=r"the name of a task, SimulatedModel\('quickstart'\)"):
        SimulatedModel(*nothing)


def test_every_shipped_task_has_a_folder_with_a_plan():
    assert known() == sorted(known())
    assert all((folder_of(name) / "plan.yaml").is_file() for name in known())
