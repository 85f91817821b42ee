"""A question's words: numbers, quotes, names written together, and where each stands."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as some

from services.planner.domain.lexicon.names import likeness, words_of
from services.planner.domain.lexicon.tokens import tokenise


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("5", 5),
        ("1,234.5", 1234.5),
        ("five", 5),
        ("5k", 5000),
        ("2.5m", 2.5e6),
        ("3rd", 3),
        (".5", 0.5),
    ],
)
def test_numbers(said: str, number: float) -> None:
    assert [t.number for t in tokenise(f"over {said} of them")][1] == number


def test_a_unit_stands_apart_from_its_number() -> None:
    assert [t.text for t in tokenise("Gentoo over 5kg")] == ["Gentoo", "over", "5", "kg"]


@pytest.mark.parametrize(
    "question", ["films with 'love'", 'films with "love"', "films with ‘love’"]
)
def test_quoted_texts_are_one_token_each(question: str) -> None:
    last = tokenise(question)[-1]
    assert (last.text, last.quoted) == ("love", True)


def test_possessives_and_short_forms() -> None:
    assert [t.lower for t in tokenise("Ann's pets don't eat")] == [
        "ann",
        "pets",
        "do",
        "not",
        "eat",
    ]


def test_axes_are_one_word() -> None:
    assert [t.lower for t in tokenise("sort the X axis and y-axis")][2::2] == ["x-axis", "y-axis"]


@given(some.text(max_size=80))
def test_every_token_lies_where_it_says(question: str) -> None:
    tokens = tokenise(question)
    assert [t.index for t in tokens] == list(range(len(tokens)))
    for token in tokens:
        assert 0 <= token.start < token.end <= len(question)
    assert all(a.end <= b.start for a, b in pairwise(tokens))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("EMP_FNAME", ("employee", "first", "name")),
        ("UnitPrice", ("unit", "price")),
        ("custname", ("customer", "name")),
        ("paid", ("paid",)),
        ("lifeExp", ("life", "expectancy")),
        ("dep_delay", ("departure", "delay")),
    ],
)
def test_names_are_words(name: str, words: tuple[str, ...]) -> None:
    assert words_of(name) == words


@pytest.mark.parametrize(
    ("said", "named", "least"),
    [
        ("countries", "country", 0.9),
        ("film", "movie", 0.6),
        ("catergory", "category", 0.6),
        ("department", "dept", 0.4),
        ("and", "android", 0.0),
    ],
)
def test_words_may_stand_for_words_of_names(said: str, named: str, least: float) -> None:
    assert likeness(said, named) >= least
    assert likeness(said, said) == 1


def test_a_common_word_names_nothing() -> None:
    assert likeness("how", "hours") == 0


def test_a_number_and_its_multiple_are_one() -> None:
    tokens = tokenise("over 100 million people, two thousand euros or a million")
    numbers = [(t.text, t.number) for t in tokens if t.number is not None]
    assert numbers == [("100 million", 1e8), ("two thousand", 2_000.0), ("a million", 1e6)]
    assert [t.index for t in tokens] == list(range(len(tokens)))
