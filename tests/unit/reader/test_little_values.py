"""Little words that the data hold as values: books in it, where language is no, sales of x."""

from __future__ import annotations

import pytest

from services.planner.domain.lexicon.tokens import standing_as_names, tokenise
from services.planner.domain.query.intent import Understood
from tests.unit.reader.files import Tables


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    found = Tables(tmp_path_factory.mktemp("tables"))
    found.write(
        "lent",
        "language,books",
        [(("is", "no", "it", "de")[at % 4], 4 + at * 7 % 50) for at in range(40)],
    )
    found.write("verkauf", "produkt,menge", [("xyw"[at % 3], 3 + at) for at in range(30)])
    found.write(
        "books",
        "title,minutes",
        [(f"{('It takes', 'No way', 'In and out of')[at % 3]} {at}", 40 + at) for at in range(90)],
    )
    return found


@pytest.mark.parametrize(
    ("question", "table", "told"),
    [
        ("total books in it", "lent", "language is it"),
        ("total books where language is no", "lent", "language is no"),
        ("total books where language is is", "lent", "language is is"),
        ("total menge of x", "verkauf", "produkt is x"),
        ("total menge of y by produkt", "verkauf", "produkt is y"),
    ],
)
async def test_a_little_word_that_is_a_value_is_used(
    tables: Tables, question: str, table: str, told: str
) -> None:
    found = await tables.understood(question, table)
    assert isinstance(found, Understood), found
    assert told in found.summary


async def test_it_is_no_part_of_a_longer_value(tables: Tables) -> None:
    found = await tables.understood("average minutes of it", "books")
    assert isinstance(found, Understood), found
    assert "title" not in found.summary


@pytest.mark.parametrize(
    ("question", "standing"),
    [
        ("books in it", {"it"}),
        ("sales of x by day", {"x"}),
        ("books in no and is", {"no"}),
        ("which is the best of all?", set[str]()),
        ("list the shops for me", set[str]()),
        ("which counties they are in", set[str]()),
        ("display it in desc", set[str]()),
        ("how many are there by year", set[str]()),
        ("when is it highest", set[str]()),
    ],
)
def test_only_what_closes_a_phrase_stands_for_a_name(question: str, standing: set[str]) -> None:
    tokens = tokenise(question)
    assert {tokens[at].text for at in standing_as_names(tokens)} == standing
