import shutil
import subprocess

import pytest

from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.models.simulated.lint import lint
from opencollab_nb.tasks import known, load_task
from opencollab_nb.tasks.acceptance import accepted


@pytest.fixture(params=known())
def task(request):
    return load_task(request.param)


@pytest.fixture
def copy(tmp_path):
    task = load_task("quickstart")
    shutil.copytree(task.project, tmp_path / "copy")
    return tmp_path / "copy"


def git(root, *arguments):
    return subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True).stdout


def test_an_unknown_task_is_refused_with_the_nearest_name():
    with pytest.raises(UnknownName, match="unknown task 'quikstart'; did you mean 'quickstart'"):
        load_task("quikstart")


def test_a_task_of_ones_own_is_loaded_from_its_folder(tmp_path):
    shutil.copytree(load_task("quickstart").project.parent, tmp_path / "mine")
    assert load_task(tmp_path / "mine").name == "mine"


def test_every_plan_passes_the_lint(task):
    assert lint(task.plan, task.project) == []


def test_every_task_is_small_and_its_tests_fail_at_the_start(task):
    size = sum(p.stat().st_size for p in task.project.parent.rglob("*") if p.is_file())
    # What there is to read has to fill the window several times, so it may grow with it.
    assert size < 18 * task.window
    passed = accepted(task.plan, task.project, task.project)
    assert not any(passed.values())
    assert set(passed) == {m.accept for m in task.plan.milestones}


def test_no_python_cache_lies_in_the_data(task):
    assert not list(task.project.rglob("__pycache__"))


def test_a_fresh_copy_has_one_commit_that_is_always_the_same(task, tmp_path):
    one, two = (task.fresh_copy(tmp_path / name) for name in ("one", "two"))
    assert git(one, "log", "--format=%H %s") == git(two, "log", "--format=%H %s")
    assert git(one, "status", "--porcelain") == ""


def test_a_copy_is_never_made_over_something(task, tmp_path):
    with pytest.raises(UsageProblem, match="is there already"):
        task.fresh_copy(tmp_path)


def test_the_agents_own_tests_and_settings_decide_nothing(copy):
    for test in (copy / "tests").glob("*.py"):
        test.write_text("def test_nothing():\n    assert True\n", encoding="utf-8")
    (copy / "conftest.py").write_text("import os\nos._exit(0)\n", encoding="utf-8")
    (copy / "pytest.ini").write_text("[pytest]\naddopts = --collect-only\n", encoding="utf-8")
    assert not load_task("quickstart").passed(copy)


def test_a_source_that_does_not_import_fails_only_what_needs_it(copy):
    (copy / "parcelkit/label.py").write_text("raise SystemExit(0)\n", encoding="utf-8")
    (copy / "parcelkit/weight.py").write_text(
        (copy / "parcelkit/weight.py")
        .read_text(encoding="utf-8")
        .replace("VOLUMETRIC_DIVISOR = 5000", "VOLUMETRIC_DIVISOR = 4000")
        .replace("WEIGHT_STEP_G = 1000", "WEIGHT_STEP_G = 500"),
        encoding="utf-8",
    )
    task = load_task("quickstart")
    passed = accepted(task.plan, task.project, copy)
    assert [name for name, good in passed.items() if good] == ["tests/test_weight.py"]


def test_a_link_in_the_sources_is_not_followed(copy, tmp_path):
    outside = tmp_path / "outside"
    shutil.move(copy / "parcelkit", outside)
    (copy / "parcelkit").symlink_to(outside)
    task = load_task("quickstart")
    assert not any(accepted(task.plan, task.project, copy).values())


def test_a_task_shows_its_goal_and_constraints_escaped():
    task = load_task("quickstart")
    shown = task._repr_html_()
    assert "Hard constraints" in shown
    assert "16,000 tokens" in shown
    assert repr(task) == "Task('quickstart': parcelkit, from the tariff of 2025 to that of 2026)"
