"""Commits that are larger than a constraint allows."""

import copy
import subprocess

import pytest

from opencollab_nb.models.simulated.loading import plan_from
from opencollab_nb.tasks.commits import commits_of
from opencollab_nb.tasks.repository import start_repository
from opencollab_nb.tasks.violations import violations_of
from tests.models.simulated.world import PLAN


def git(root, *arguments):
    named = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", *named, *arguments], cwd=root, capture_output=True, check=True)


def plan():
    data = copy.deepcopy(PLAN)
    data["constraints"]["no-schema"]["check"] = {"commit_lines_at_most": 5}
    return plan_from(data, "tiny")


@pytest.fixture
def root(tmp_path):
    (tmp_path / "start.txt").write_text("a\n" * 50, encoding="utf-8")
    start_repository(tmp_path)
    return tmp_path


def commit(root, lines, subject, *options):
    (root / "data.csv").write_text("".join(f"{k}\n" for k in range(lines)), encoding="utf-8")
    git(root, "add", "-A")
    git(root, "commit", "-qm", subject, *options)


def violations(root):
    return violations_of(plan(), root, [], root)


def test_the_first_commit_is_the_tasks_and_counts_for_nothing(root):
    assert commits_of(root) == []
    assert violations(root) == []


def test_lines_added_and_taken_away_count(root):
    commit(root, 5, "five")
    commit(root, 0, "none again")
    commit(root, 6, "six")
    assert [(c.subject, c.changed_lines) for c in commits_of(root)] == [
        ("five", 5),
        ("none again", 5),
        ("six", 6),
    ]
    assert violations(root) == ["commit 'six' changes 6 lines, against no-schema"]


def test_a_commit_that_was_amended_away_was_made(root):
    commit(root, 9, "nine")
    commit(root, 2, "two", "--amend")
    assert violations(root) == ["commit 'nine' changes 9 lines, against no-schema"]


def test_a_file_that_is_moved_counts_with_all_its_lines(root):
    git(root, "mv", "start.txt", "moved.txt")
    git(root, "commit", "-qm", "moved")
    assert commits_of(root)[0].changed_lines == 100


def test_where_there_is_no_repository_there_are_no_commits(tmp_path):
    assert commits_of(tmp_path) == []
    assert violations_of(plan(), tmp_path, [], tmp_path) == []
