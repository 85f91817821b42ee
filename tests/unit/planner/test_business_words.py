"""Words of business: what they are taken for, what goes before, and what is told or refused."""

from __future__ import annotations

from datetime import date

import pytest

from services.planner.domain.business.adding import with_business_words
from services.planner.domain.business.lexicon import LEXICON, Entry
from services.planner.domain.business.moments import find_moments, written
from services.planner.domain.business.telling import plainly
from services.planner.domain.catalogue import Catalogue, Column, ColumnRole, DataType, Table

TODAY = date(2026, 11, 28)
_TYPES = {
    "text": (DataType.STRING, ColumnRole.DIMENSION),
    "date": (DataType.DATE, ColumnRole.TIMESTAMP),
    "number": (DataType.FLOAT, ColumnRole.MEASURE),
}
EXAMPLES = [(entry, *example) for entry in LEXICON for example in entry.examples]
STAFF = "employee:text hired:date left:date"


def catalogue(columns: str, *, name: str = "rows") -> Catalogue:
    made = []
    for one in columns.split():
        called, _, kind = one.partition(":")
        data_type, role = _TYPES[kind]
        made.append(Column(name=called, data_type=data_type, role=role, distinct=90))
    return Catalogue(tables=(Table(name=name, source_name="f", rows=90, columns=tuple(made)),))


def guessed(found: Catalogue) -> dict[str, Column]:
    return {c.name: c for table in found.tables for c in table.columns if c.guess}


@pytest.mark.parametrize(
    ("entry", "columns", "told"), EXAMPLES, ids=[f"{e.name}: {c}" for e, c, _ in EXAMPLES]
)
def test_each_example_is_told_as_it_says(entry: Entry, columns: str, told: str) -> None:
    found = with_business_words(catalogue(columns), (f"the {entry.name} of all",), TODAY)
    assert guessed(found)[entry.name].guess == told


def test_every_word_has_an_example() -> None:
    assert {entry.name for entry, *_ in EXAMPLES} == {entry.name for entry in LEXICON}


@pytest.mark.parametrize("entry", LEXICON, ids=lambda entry: entry.name)
def test_a_word_says_nothing_where_its_columns_are_not(entry: Entry) -> None:
    data = catalogue("colour:text size:number painted:date")
    assert with_business_words(data, (f"{entry.name} by colour",), TODAY) is data


def test_what_nobody_asks_for_is_not_there() -> None:
    data = catalogue(STAFF)
    assert with_business_words(data, ("how many rows are there?",), TODAY) is data


@pytest.mark.parametrize("columns", [f"{STAFF} tenure:number", f"{STAFF} tenure_months:number"])
def test_a_column_of_that_name_goes_before(columns: str) -> None:
    data = catalogue(columns)
    assert with_business_words(data, ("average tenure",), TODAY) is data


def test_a_metric_of_a_semantic_model_goes_before_and_so_does_its_other_name() -> None:
    (table,) = catalogue(STAFF).tables
    for name, synonyms in (("headcount", ()), ("people there", ("head count",))):
        own = Column(
            name=name,
            data_type=DataType.FLOAT,
            role=ColumnRole.MEASURE,
            synonyms=synonyms,
            formula="COUNT(*)",
        )
        data = Catalogue(tables=(table.model_copy(update={"columns": (*table.columns, own)}),))
        assert with_business_words(data, ("headcount",), TODAY) is data


def test_what_a_model_names_and_this_request_may_not_use_is_not_made_up() -> None:
    data = catalogue(STAFF).model_copy(update={"lacking": ("tenure",)})
    assert with_business_words(data, ("average tenure",), TODAY) is data


def test_what_belongs_to_the_day_is_found_by_no_recipe_of_another() -> None:
    data, said = catalogue(STAFF), ("average tenure",)
    one = with_business_words(data, said, TODAY)
    assert one.fingerprint not in ("", data.fingerprint)
    assert one.fingerprint == with_business_words(data, said, TODAY).fingerprint
    assert one.fingerprint != with_business_words(data, said, date(2026, 11, 29)).fingerprint


@pytest.mark.parametrize(
    ("question", "day", "plain"),
    [
        ("headcount at the end of 2023 by team", "31 December 2023", "headcount by team"),
        ("head count on 31 March 2024", "31 March 2024", "headcount"),
        ("headcount as of 2024-03-31 by team", "31 March 2024", "headcount by team"),
        ("headcount at the start of last year", "1 January 2025", "headcount"),
        ("Headcount today", "28 November 2026", "headcount"),
    ],
)
def test_the_day_is_in_the_number_and_not_in_the_question(
    question: str, day: str, plain: str
) -> None:
    found = with_business_words(catalogue(STAFF), (question,), TODAY)
    assert f"on or before {day} and" in guessed(found)["headcount"].guess
    assert plainly(question, found, TODAY) == plain
    assert written(find_moments(question, TODAY)[0].day) == day


def test_a_tenure_keeps_the_time_of_its_question() -> None:
    """Which people are meant is no part of how long they have been there."""
    question = "average tenure of those hired in 2020"
    found = with_business_words(catalogue(STAFF), (question,), TODAY)
    assert plainly(question, found, TODAY) == question


def test_a_price_for_each_is_no_cost_of_all() -> None:
    data = catalogue("product:text revenue:number unit_cost:number")
    assert with_business_words(data, ("margin",), TODAY) is data
