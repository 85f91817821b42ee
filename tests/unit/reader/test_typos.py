"""Misspelt words of the grammar are mended; words of the data and plain English are not."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.planner.domain.lexicon.real_words import REAL_WORDS
from services.planner.domain.lexicon.stop_words import STOP_WORDS
from services.planner.domain.lexicon.typos import CORRECTED, USUAL, nearest
from services.planner.domain.reader.links.respelt import respelt
from services.planner.domain.reader.links.schema import schema_of
from tests.unit.language.truth_help import Shop
from tests.unit.reader.ferries import ferries


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    folder: Path = tmp_path_factory.mktemp("ferries")
    return ferries(folder)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("avrage", "average"),
        ("hwo", "how"),
        ("meny", "many"),
        ("biggst", "biggest"),
        ("wich", "which"),
        ("higest", "highest"),
        ("betwen", "between"),
        ("totl", "total"),
        ("maxmum", "maximum"),
        ("standart", "standard"),
        ("curent", "current"),
        ("corelation", "correlation"),
        ("janaury", "january"),
        ("percntage", "percentage"),
    ],
)
def test_a_slip_in_a_word_of_grammar_is_mended(said: str, meant: str) -> None:
    assert nearest(said) == meant


@pytest.mark.parametrize("word", ["moist", "court", "beverage", "coast", "match", "witch", "tea"])
def test_plain_english_is_left_alone(word: str) -> None:
    assert nearest(word) == ""


@given(st.sampled_from(sorted({*CORRECTED, *STOP_WORDS, *REAL_WORDS})))
def test_no_word_that_is_known_is_mended(word: str) -> None:
    assert nearest(word) in ("", USUAL.get(word, ""))


@given(st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=12))
def test_mending_twice_is_mending_once(word: str) -> None:
    meant = nearest(word)
    assert not meant or nearest(meant) in ("", meant)


@given(st.sampled_from([w for w in CORRECTED if len(w) > 4]), st.data())
def test_one_slip_is_never_read_as_a_word_that_lies_farther(word: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(1, len(word) - 1))
    slipped = word[:at] + word[at + 1 :]
    assert nearest(slipped) in ("", word) or abs(len(nearest(slipped)) - len(slipped)) <= 1


def test_a_question_is_read_with_its_slips_mended_and_says_so(company: Shop) -> None:
    schema = schema_of(company.catalogue)
    question, slips = asyncio.run(
        respelt("hwo many crossings betwen March and May", schema, company.lookup)
    )
    assert question == "how many crossings between March and May"
    assert [(slip.text, slip.read) for slip in slips] == [("hwo", "how"), ("betwen", "between")]


@pytest.mark.parametrize(
    "question", ["crossings to Skye", "fares of the Eider", "passengers on hull M", "'hwo' routes"]
)
def test_names_values_and_quotes_are_never_mended(company: Shop, question: str) -> None:
    assert asyncio.run(respelt(question, schema_of(company.catalogue), company.lookup)) == (
        question,
        (),
    )
