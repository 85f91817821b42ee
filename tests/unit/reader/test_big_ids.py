"""Ids that no double holds are asked for exactly, above or below too."""

from __future__ import annotations

import pytest

from services.planner.domain.query.intent import Understood
from tests.unit.reader.files import Tables

AUTHOR = 7205759403792793601


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    found = Tables(tmp_path_factory.mktemp("tables"))
    found.write(
        "tweets",
        "tweet_id,author_id,retweets",
        [(9107199254740993 + at, AUTHOR + at % 3 - 1, 5 * at + 1) for at in range(12)],
    )
    found.write("parts", "part,qty", [(9007199254740991 + at, 10 + at) for at in range(6)])
    return found


@pytest.mark.parametrize(
    ("question", "table", "number"),
    [
        (f"total retweets of author {AUTHOR}", "tweets", AUTHOR),
        (f"total retweets where author id is {AUTHOR}", "tweets", AUTHOR),
        ("total qty of part 9007199254740993", "parts", 9007199254740993),
        ("qty of part 9,007,199,254,740,993", "parts", 9007199254740993),
    ],
)
async def test_an_id_beyond_doubles_is_itself(
    tables: Tables, question: str, table: str, number: int
) -> None:
    found = await tables.understood(question, table)
    assert isinstance(found, Understood), found
    assert f"is {number}" in found.summary
