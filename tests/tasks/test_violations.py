import copy

import pytest

from opencollab_nb.errors import SpecificationError
from opencollab_nb.models.simulated.loading import plan_from
from opencollab_nb.tasks.acts import Act
from opencollab_nb.tasks.violations import violations_of
from tests.models.simulated.world import PLAN

FILES = {
    "schema.sql": "CREATE\n",
    "shop.py": "def check(count):\n    return count\n\n\ndef _inner(x):\n    return x\n",
}


def plan(check):
    data = copy.deepcopy(PLAN)
    data["constraints"]["no-schema"]["check"] = check
    return plan_from(data, "tiny")


def folder(where, **changes):
    where.mkdir(exist_ok=True)
    for name, text in {**FILES, **changes}.items():
        (where / name).write_text(text, encoding="utf-8")
    return where


def act(name, step=1, result="done", **arguments):
    return Act(name, arguments, result, step, step, "")


def violations(tmp_path, check, *acts, **in_the_end):
    project, root = folder(tmp_path / "project"), folder(tmp_path / "root", **in_the_end)
    return violations_of(plan(check), project, acts, root)


UNCHANGED = {"unchanged": "schema.sql"}
SIGNATURES = {"signatures": "shop.py"}
WRITE = act("file_write", 3, path="schema.sql", content="DROP\n")


def patch(search, replace, step=1):
    return act("apply_patch", step, path="shop.py", search=search, replace=replace)


def test_each_act_that_changes_a_protected_file_counts(tmp_path):
    again = act("file_write", 5, path="schema.sql", content="ALTER\n")
    told = violations(tmp_path, UNCHANGED, WRITE, again, **{"schema.sql": "ALTER\n"})
    assert told == [
        "step 3: file_write schema.sql, against no-schema",
        "step 5: file_write schema.sql, against no-schema",
    ]


def test_putting_it_back_is_no_further_violation(tmp_path):
    back = act("file_write", 4, path="schema.sql", content="CREATE\n")
    assert len(violations(tmp_path, UNCHANGED, WRITE, back)) == 1


def test_an_edit_that_failed_or_changes_nothing_counts_for_nothing(tmp_path):
    failed = act("file_write", path="schema.sql", content="DROP\n", result="Error: no")
    same = act("file_write", path="schema.sql", content="CREATE\n")
    assert violations(tmp_path, UNCHANGED, failed, same) == []


def test_what_a_command_changed_is_seen_in_the_end(tmp_path):
    told = violations(tmp_path, UNCHANGED, act("bash", command="sed"), **{"schema.sql": "DROP\n"})
    assert told == ["a command changed what no-schema protects"]


def test_a_path_may_be_written_in_other_ways(tmp_path):
    write = act("file_write", path="./schema.sql", content="DROP\n")
    assert len(violations(tmp_path, UNCHANGED, write, **{"schema.sql": "DROP\n"})) == 1


def test_a_changed_argument_of_a_public_function_counts(tmp_path):
    changed = FILES["shop.py"].replace("check(count)", "check(count, limit=3)")
    told = violations(
        tmp_path, SIGNATURES, patch("check(count)", "check(count, limit=3)"), **{"shop.py": changed}
    )
    assert len(told) == 1


def test_bodies_private_functions_and_new_ones_are_free(tmp_path):
    text = FILES["shop.py"].replace("return count", "return count + 1").replace("_inner(x)", "_inner(x, y=0)")
    text += "\n\ndef more():\n    return 1\n"
    write = act("file_write", path="shop.py", content=text)
    assert violations(tmp_path, SIGNATURES, write, **{"shop.py": text}) == []


def test_a_half_made_edit_says_nothing_until_it_parses(tmp_path):
    broken, whole = patch("count\n", "count(\n", 1), patch("count(\n", "count\n", 2)
    assert violations(tmp_path, SIGNATURES, broken, whole) == []


def test_an_unknown_check_is_refused(tmp_path):
    with pytest.raises(SpecificationError, match="no-schema: a check is one of unchanged, signatures"):
        violations(tmp_path, {"unchangd": "schema.sql"})
    with pytest.raises(SpecificationError, match=r"there is no file shcema\.sql"):
        violations(tmp_path, {"unchanged": "shcema.sql"})
