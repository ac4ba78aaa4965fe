"""The drawing of a team, and `%oc team show`."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell

from opencollab_nb.team.file import read_team
from opencollab_nb.team.roster import Role, TeamSpec, Topology
from opencollab_nb.team.shipped import shipped
from opencollab_nb.views.team_drawing import allowance_words, drawing
from opencollab_nb.views.team_layout import TALL, WIDE, Box, Layout, Point, laid_out
from opencollab_nb.views.team_view import TeamView
from tests.views.cells import run
from tests.views.test_magics_completion import offered

HOSTILE = "</svg><script>alert(1)</script>\u202e\x1b[31m"


def team(names: str, message: str = "", spawn: str = "", **facts: object) -> TeamSpec:
    edges = [tuple(tuple(pair.split(">")) for pair in text.split()) for text in (spawn, message)]
    roles = tuple(Role(name, f"You are {name}.") for name in names)
    return TeamSpec(names[0], roles, Topology(*edges), **facts)  # type: ignore[arg-type]


def touches(box: Box, point: Point) -> bool:
    return box.x < point.x < box.x + WIDE and box.y < point.y < box.y + TALL


def along(path: tuple[Point, ...]) -> list[Point]:
    """Points on an edge, its ends left out."""
    if len(path) == 4:
        a, b, c, d = path
        shares = [n / 40 for n in range(1, 40)]
        return [
            Point(
                *(
                    (1 - t) ** 3 * p + 3 * (1 - t) ** 2 * t * q + 3 * (1 - t) * t**2 * r + t**3 * s
                    for p, q, r, s in zip(a, b, c, d, strict=True)
                )
            )
            for t in shares
        ]
    return [
        Point(*(p + (q - p) * n / 20 for p, q in zip(one, two, strict=True)))
        for one, two in pairwise(path)
        for n in range(1, 20)
    ]


def overlapping(layout: Layout) -> list[tuple[str, str]]:
    return [
        (a.name, b.name)
        for n, a in enumerate(layout.boxes)
        for b in layout.boxes[n + 1 :]
        if abs(a.x - b.x) < WIDE and abs(a.y - b.y) < TALL
    ]


LOOPS = team("abcdef", "a>b b>c c>d d>a d>b e>a a>e b>e c>a", "a>b a>c b>d")


@pytest.mark.parametrize("spec", [*map(read_team, sorted(shipped())), LOOPS, team("a"), team("abc")])
def test_no_box_covers_another_and_no_edge_runs_through_one(spec: TeamSpec) -> None:
    layout = laid_out(spec)
    assert {box.name for box in layout.boxes} == set(spec.names)
    assert overlapping(layout) == []
    for link in layout.links:
        for point in along(link.path):
            assert not [box.name for box in layout.boxes if touches(box, point)], (link.names, point)
            assert 0 <= point.x <= layout.wide
            assert 0 <= point.y <= layout.tall


def test_each_edge_is_drawn_once_with_a_head_at_each_end_that_it_leads_to() -> None:
    drawn = laid_out(team("abc", "a>b b>a c>a b>c", "a>b"))
    heads = {
        (link.kind, *(pair if forth else pair[::-1]))
        for link in drawn.links
        for pair, forth, there in ((link.names, True, link.at_end), (link.names, False, link.at_start))
        if there
    }
    wanted = {("message", *edge) for edge in ("ab", "ba", "ca", "bc")} | {("spawn", "a", "b")}
    assert heads == wanted
    assert len(drawn.links) == 4


def test_edges_around_other_columns_run_side_by_side() -> None:
    spec = team("abcd", "a>b b>c c>a d>a c>d", "c>a")
    around = [link.path for link in laid_out(spec).links if len(link.path) > 4]
    assert len(around) == 3
    assert len({path[2].y for path in around}) == len({path[1].x for path in around}) == 3


def test_columns_follow_the_way_from_the_entry_and_who_cannot_be_reached_stands_last() -> None:
    columns = {box.name: box.column for box in laid_out(team("abcd", "a>b b>c c>a")).boxes}
    assert columns == {"a": 0, "b": 1, "c": 2, "d": 3}


class Tags(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        assert not any(name.startswith("on") or name == "id" for name, _ in attrs)
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_hostile_words_are_shown_and_act_nowhere() -> None:
    spec = TeamSpec(
        "a", (Role(HOSTILE, HOSTILE, model=HOSTILE), Role("a", HOSTILE)), name=HOSTILE, model=HOSTILE
    )
    page = TeamView(spec)._repr_html_()
    tags = Tags(page)
    assert tags.open == []
    assert "script" not in tags.seen
    assert "&lt;script&gt;" in page
    for text in (page, repr(TeamView(spec))):
        assert "\u202e" not in text
        assert "\x1b" not in text


def test_colours_come_from_the_page() -> None:
    picture = drawing(read_team("example"))
    fixed = set(re.findall(r"#[0-9a-f]{3,6}\b", picture)) - {"#2b86d1"}
    assert fixed == set()
    assert "var(--jp-ui-font-color1" in picture
    assert "var(--jp-layout-color1" in picture


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (team("ab", "a>b", budget_tokens=5_000), ["5,000 tokens", "5,000 tokens"]),
        (team("ab", spawn="a>b", shared_tokens=80_000), ["keeps 20,000 tokens", "up to 20,000 tokens"]),
        (team("ab", "a>b", shared_tokens=80_000), ["shares 80,000 tokens"] * 2),
        (team("ab", "a>b"), ["no limit of its own"] * 2),
    ],
)
def test_allowances_are_told_as_the_rule_in_force_gives_them(spec: TeamSpec, words: list[str]) -> None:
    assert [allowance_words(spec, name) for name in spec.names] == words
    assert all(word in repr(TeamView(spec)) and word in drawing(spec) for word in words)


def test_as_text_it_says_all_that_the_picture_shows() -> None:
    text = repr(TeamView(read_team("analyst_coder_tester")))
    assert "3 seats, each with an allowance of its own; the pool is their sum, 360,000 tokens" in text
    (row,) = [line for line in text.splitlines() if line.startswith("coder")]
    assert ["nobody" in row, "analyst, tester" in row, "120,000 tokens" in row] == [True] * 3
    assert "only you can set it to work, with say(text, to='b')" in repr(TeamView(team("ab")))


def test_the_verb_shows_shipped_teams_files_and_python_names(shell: InteractiveShell, tmp_path: Path) -> None:
    assert run(shell, "%oc team show example").value.spec == read_team("example")
    path = tmp_path / "my team.yaml"
    path.write_text("entry: a\nroles: {a: {prompt: x}}\n")
    assert run(shell, f'%oc team show "{path}"').value.spec.names == ("a",)
    shell.user_ns["ours"] = read_team("analyst_coder_tester")
    assert run(shell, "%oc team show ours").value.spec.name == "analyst_coder_tester"
    shell.user_ns["raw"] = {"entry": "b", "roles": {"b": {"prompt": "x"}}}
    assert run(shell, "%oc team show raw").value.spec.names == ("b",)


def test_the_verb_tells_all_faults_with_their_lines_and_no_traceback(
    shell: InteractiveShell, tmp_path: Path
) -> None:
    path = tmp_path / "team.yaml"
    path.write_text("entry: a\nroels: {a: {prompt: x}}\nbudget: 5\n")
    ran = run(shell, f"%oc team show {path}")
    assert "team.yaml: 3 faults" in ran.err
    assert "line 2: unknown key 'roels'; did you mean 'roles'?" in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("%oc team", "what of a team?"),
        ("%oc team show", "%oc team show FILE"),
        ("%oc team shwo example", "did you mean 'show'?"),
        ("%oc team show nothere", "Teams that come with the house: analyst_coder_tester, example"),
    ],
)
def test_what_is_missing_is_named(shell: InteractiveShell, line: str, says: str) -> None:
    assert says in run(shell, line).err


def test_help_and_completion_come_from_the_table(shell: InteractiveShell) -> None:
    assert "who may spawn and message whom" in repr(run(shell, "%oc team --help").value)
    assert offered(shell, "%oc tea") == ["team"]
    assert offered(shell, "%oc team sh") == ["show"]
    assert offered(shell, "%oc team show ana") == ["analyst_coder_tester"]
    shell.user_ns["our_team"] = read_team("example")
    assert offered(shell, "%oc team show our") == ["our_team"]
