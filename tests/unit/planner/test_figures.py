"""Figures of a question: exact where a fraction would round them, and codes are names."""

from __future__ import annotations

import pytest

from services.planner.domain.figures import number_in
from services.planner.domain.lexicon import tokens
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.lexicon.normalise import readable, tokenise

LARGE = 1610521604143693812


def test_whole_numbers_beyond_what_a_double_holds_stay_exact() -> None:
    assert number_in(str(LARGE)) == LARGE
    assert number_in("9,007,199,254,740,993") == 9_007_199_254_740_993
    assert isinstance(number_in("12"), float) and number_in("1,200.5") == 1200.5


@pytest.mark.parametrize("text", ["00003", "01067", "007"])
def test_what_begins_with_noughts_is_a_name(text: str) -> None:
    assert number_in(text) is None


def test_both_ways_to_take_a_question_apart_keep_them() -> None:
    said = f"likes of user {LARGE} and order 00003 and 0.5 and 05"
    for taken in (tokenise(said), tokens.tokenise(said)):
        numbers = {token.text: token.number for token in taken}
        assert (numbers[str(LARGE)], numbers["00003"]) == (LARGE, None)
        assert (numbers["0.5"], numbers["05"]) == (0.5, 5.0)


@pytest.mark.parametrize(
    ("name", "words", "shown"),
    [
        ("NO2_GT", ("no2", "gt"), "NO2 gt"),
        ("C6H6(GT)", ("c6h6", "gt"), "C6H6 gt"),
        ("PM10", ("pm10",), "PM10"),
        ("address1", ("address", "1"), "address 1"),
        ("Q1", ("q", "1"), "q1"),
        ("no_show", ("no", "show"), "no show"),
    ],
)
def test_a_formula_is_one_word_of_a_name(name: str, words: tuple[str, ...], shown: str) -> None:
    assert (words_of(name), readable(name)) == (words, shown)
