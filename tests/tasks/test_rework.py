from opencollab_nb.tasks.acts import Act, lines_of
from opencollab_nb.tasks.rework import rework_of

PAGE = "\n".join(f"{n:5d}\tline number {n} of the module" for n in range(1, 21))


def act(name, result, step=1, **arguments):
    return Act(name, arguments, result, step, step, "")


def all_shown(a):
    return set(lines_of(a.result))


def rework(*acts, shown=all_shown):
    return rework_of(acts, shown)


def test_reading_the_same_lines_again_is_rework_whatever_the_tool():
    found = "\n".join(f"a.py:{n}:line number {n} of the module" for n in (3, 4))
    again = act("grep", found, pattern="line", path="a.py")
    assert rework(act("file_read", PAGE, path="a.py"), again).total == 1


def test_reading_other_lines_of_a_file_is_no_rework():
    more = PAGE.replace("line number", "another line")
    assert rework(act("file_read", PAGE, path="a.py"), act("file_read", more, path="a.py")).total == 0


def test_a_reading_that_failed_counts_for_nothing():
    missing = act("file_read", "Error: there is no file of that name here", path="b.py")
    assert rework(missing, missing).total == 0


def test_lines_that_a_cap_had_cut_are_counted_apart():
    cut = rework(
        act("file_read", PAGE, path="a.py"), act("file_read", PAGE, path="a.py"), shown=lambda _: set()
    )
    assert (cut.total, cut.narrowed) == (1, 1)


def test_a_write_that_changes_nothing_is_rework():
    write = act("file_write", "wrote 9 characters to a.py (unchanged)", path="a.py", content="x")
    assert rework(write).total == 1


def test_the_same_patch_again_is_rework_even_where_it_fails():
    patch = act("apply_patch", "patched a.py at line 3", path="a.py", search="a", replace="b")
    failed = act("apply_patch", "Error: search does not occur", path="a.py", search="a", replace="b")
    assert rework(patch, failed).total == 1


def test_the_same_run_is_rework_only_on_unchanged_files():
    run = act("run_tests", "1 failed", path="tests")
    write = act("file_write", "wrote 9 characters to a.py", path="a.py", content="x")
    assert rework(run, write, run).total == 0
    assert rework(run, run, write).total == 1


def test_a_commit_with_nothing_in_it_is_rework():
    assert (
        rework(act("bash", "nothing to commit", command="git commit -qm x || echo nothing to commit")).total
        == 1
    )


def test_a_command_that_may_write_makes_the_same_run_new():
    run, build = act("run_tests", "1 failed", path="tests"), act("bash", "ok", command="make")
    look = act("bash", "a.py", command="ls")
    assert rework(run, build, run).total == 0
    assert rework(run, look, run).total == 1


def test_reading_an_offloaded_result_again_is_rework_as_any_reading():
    numbered = "\n".join(f"{n:5d}\t{line}" for n, line in enumerate(PAGE.split("\n")[:5], 1))
    once = act("file_read", PAGE, path="a.py")
    assert rework(once, act("read_result", numbered, id=2, limit=5)).total == 1
    found = act("grep", "a.py:3:line number 3 of the module", pattern="3", path="a.py")
    assert rework(found, act("read_result", f"    1\t{found.result}", id=2)).total == 1


def test_what_is_done_with_the_harness_is_no_work_on_the_task():
    report = act("todo", "t1: done", updates=[{"id": "t1", "status": "done"}])
    run = act("run_tests", "1 failed", path="tests")
    assert rework(report, report).total == 0
    assert rework(run, report, run).total == 1
