"""Magic lines: words, quotes, comments, flags."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opencollab_nb.errors import UnknownName, UsageProblem
from opencollab_nb.views.lines import COUNT, SWITCH, TEXT, WINDOW, Flag, asks_for_help, read_flags, split

FLAGS = [
    Flag("--window", "TOKENS", "window", WINDOW),
    Flag("--name", "NAME", "name", TEXT),
    Flag("--background", "", "switch", SWITCH),
]


def texts(line: str) -> list[str]:
    return [word.text for word in split(line)]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", []),
        ("   ", []),
        ("run 5", ["run", "5"]),
        ('--name "two words"', ["--name", "two words"]),
        ('--name="two words"', ["--name=two words"]),
        ("--name 'a  b'", ["--name", "a  b"]),
        ("--name 'héllo 日本 🙂'", ["--name", "héllo 日本 🙂"]),
        (r'--name "say \"hi\""', ["--name", 'say "hi"']),
        (r"--workspace my\ files", ["--workspace", "my files"]),
        (r"--workspace C:\x", ["--workspace", r"C:\x"]),
        ("step 3 # and then '", ["step", "3"]),
        ("resume runs/a#1", ["resume", "runs/a#1"]),
        ('--name "#1"', ["--name", "#1"]),
        ("say ' ' and \"a  b\"", ["say", " ", "and", "a  b"]),
        ("--name {x} $x {{y}}", ["--name", "{x}", "$x", "{{y}}"]),
        ("use A(stub='a # b (c') B([1, 2])", ["use", "A(stub='a # b (c')", "B([1, 2])"]),
    ],
)
def test_fault_04_words_are_what_was_meant_with_blanks_quotes_and_unicode_kept(
    line: str, words: list[str]
) -> None:
    assert texts(line) == words


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\\\n\r"), max_size=30))
def test_any_value_in_quotes_comes_through_unchanged(value: str) -> None:
    quoted = '"' + value.replace('"', '\\"') + '"'
    assert texts(f"--name {quoted}") == ["--name", value]


@given(st.text(max_size=60))
def test_no_line_ends_in_anything_but_words_or_a_usage_problem(line: str) -> None:
    try:
        words = split(line)
    except UsageProblem:
        return
    assert all(word.raw in line for word in words)


@pytest.mark.parametrize("line", ['--name "two', "it's", "use A(", "use A(x='b)"])
def test_what_is_not_closed_is_named(line: str) -> None:
    with pytest.raises(UsageProblem, match="is not closed"):
        split(line)


def test_flags_are_read_wherever_they_stand() -> None:
    free, values = read_flags(split("--window 16_000 alice --background --name=x"), FLAGS)
    assert [word.text for word in free] == ["alice"]
    assert values == {"window": 16_000, "background": True, "name": "x"}


def test_an_unknown_flag_is_answered_with_the_nearest_one() -> None:
    with pytest.raises(UnknownName, match="'--widow'; did you mean '--window'"):
        read_flags(split("--widow 5"), FLAGS)


@pytest.mark.parametrize("line", ["--window", "--window --name x"])
def test_a_missing_value_is_named(line: str) -> None:
    with pytest.raises(UsageProblem, match="--window needs a value: --window TOKENS"):
        read_flags(split(line), FLAGS)


@pytest.mark.parametrize("value", ["16k", "0.75", "True", "-5", "1023", "'16000'", "__import__('os')"])
def test_a_value_of_the_wrong_type_is_named(value: str) -> None:
    with pytest.raises(UsageProblem, match=r"--window takes a whole number of tokens .*, not"):
        read_flags(split(f'--window "{value}"'), FLAGS)


def test_a_flag_given_twice_is_refused() -> None:
    with pytest.raises(UsageProblem, match="--name is given twice"):
        read_flags(split("--name a --name b"), FLAGS)


def test_a_quoted_word_is_no_flag() -> None:
    assert read_flags(split("--name '--window'"), FLAGS)[1] == {"name": "--window"}
    assert not asks_for_help(split("'--help'"))
    assert asks_for_help(split("alice -h"))


def test_counts_begin_at_one() -> None:
    assert COUNT.value("step", "3") == 3
    with pytest.raises(UsageProblem, match="step takes a whole number from 1 up such as 5, not '0'"):
        COUNT.value("step", "0")
