"""Where the work is tests: they must pass on the project and fail on each altered one."""

import shutil

import pytest

from opencollab_nb.tasks import load_task
from opencollab_nb.tasks.acceptance import accepted, alter

TASK = load_task("orders")
FILE = "tests/test_login_lockout.py"
MODULE = TASK.project / "shop/login.py"


def value(name):
    fact = TASK.plan.by_id["login-lockout"].facts[name]
    import re

    return re.search(fact.match, (TASK.project / fact.path).read_text(encoding="utf-8"))[1]


LIMIT = "def test_limit():\n    assert login.check_lockout(0) == {limit}\n"
CODE = (
    "def test_code():\n    with pytest.raises(ShopError) as caught:\n        login.check_lockout(1000)\n"
    '    assert caught.value.code == "E-{code}"\n'
)
WAIT = "def test_wait():\n    assert login.wait_lockout() == {wait}\n"
HEAD = "import pytest\nfrom shop import login\nfrom shop.errors import ShopError\n\n"


@pytest.fixture
def good(tmp_path):
    shutil.copytree(TASK.project, tmp_path / "copy")

    def judged(*parts, **values):
        given = {name: value(name) for name in ("limit", "code", "wait")} | values
        text = HEAD + "\n".join(part.format(**given) for part in parts)
        (tmp_path / "copy" / FILE).write_text(text, encoding="utf-8")
        return accepted(TASK.plan, TASK.project, tmp_path / "copy")

    return judged


def test_tests_of_all_three_numbers_count(good):
    passed = good(LIMIT, CODE, WAIT)
    assert [file for file, well in passed.items() if well] == [FILE]


@pytest.mark.parametrize("left_out", [0, 1, 2])
def test_a_file_that_leaves_one_number_unchecked_does_not_count(good, left_out):
    parts = [LIMIT, CODE, WAIT]
    del parts[left_out]
    assert not any(good(*parts).values())


def test_tests_that_check_nothing_or_are_wrong_do_not_count(good):
    assert not any(good("def test_nothing():\n    assert True\n").values())
    assert not any(good(LIMIT, CODE, WAIT, wait="1").values())
    assert not any(good(LIMIT, CODE, WAIT, "@pytest.mark.skip\ndef test_x():\n    pass\n").values())
    assert not any(good("").values())


def test_the_shop_of_the_workspace_decides_nothing(good, tmp_path):
    module = tmp_path / "copy/shop/login.py"
    module.write_text(module.read_text(encoding="utf-8").replace("E-", "X-"), encoding="utf-8")
    assert good(LIMIT, CODE, WAIT)[FILE]


def test_an_alteration_makes_each_number_one_more_and_nothing_else(tmp_path):
    shutil.copytree(TASK.project / "shop", tmp_path / "shop")
    for alteration in TASK.plan.altered:
        alter(tmp_path, alteration)
    for name in ("settings.py", "login.py", "waits.py", "errors.py"):
        before = (TASK.project / "shop" / name).read_text(encoding="utf-8").split("\n")
        after = (tmp_path / "shop" / name).read_text(encoding="utf-8").split("\n")
        changed = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
        assert len(changed) == {"settings.py": 9, "login.py": 3, "waits.py": 1, "errors.py": 0}[name]
    limit, wait = int(value("limit")), 100
    assert f"LOCKOUT_LIMIT = {limit + 1}\n" in (tmp_path / "shop/settings.py").read_text(encoding="utf-8")
    assert f"BASE_SECONDS = {wait + 1}\n" in (tmp_path / "shop/waits.py").read_text(encoding="utf-8")
