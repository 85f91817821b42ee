"""Phrases that come to something plainer in the data at hand, and words that name nothing in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mesh.remarks import changes_reading
from services.planner.domain.confidence import thresholds
from services.planner.domain.lexicon.common_words import are_common
from services.planner.domain.query.intent import Understood
from services.planner.domain.reader.rewording import reword_question
from tests.unit.reader.files import Tables

SHOP = ("albums", "tracks", "invoice_lines", "shippers")
TITLES = ("Five Years Gone", "Time", "Three Minutes", "Run!", "Whole Lotta Love", "Iron Maiden")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    found = Tables(tmp_path_factory.mktemp("shop"))
    found.write(
        "albums",
        "album_id,title,artist",
        [
            (at, TITLES[5] if at == 1 else f"Album {at}", ("Iron Maiden", "AC/DC")[at % 2])
            for at in range(1, 21)
        ],
    )
    found.write(
        "tracks",
        "track_id,name,album_id,genre,seconds,discontinued",
        [
            (
                at,
                TITLES[at] if at < 5 else f"Track No {at}",
                1 + at % 20,
                ("Rock", "Jazz")[at % 2],
                100 + at * 7 % 300,
                at % 2,
            )
            for at in range(200)
        ],
    )
    found.write(
        "invoice_lines",
        "line_id,track_id,quantity,incidents_85_99",
        [(at, at * 3 % 200, 1 + at % 4, at % 5) for at in range(400)],
    )
    found.write("shippers", "shipper_id,company", [(1, "Speedy"), (2, "United")])
    return found


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("top 7 genres by number of tracks sold", "top 7 genres by total quantity"),
        ("how many tracks were sold in each genre", "total quantity in each genre"),
        ("tracks that were never sold", "tracks that were never sold"),
        ("tracks by genre, discontinued ones included?", "tracks by genre?"),
        ("tracks by genre, postage included", "tracks by genre, postage included"),
        ("tracks per genre (Rock etc), by name", "tracks per genre, by name"),
        ("incidents between 1985 and 1999", "incidents 85 99"),
        ("incidents between 1990 and 1999", "incidents between 1990 and 1999"),
        ("orders per shipping company", "orders per shippers"),
        ("how many tracks does she look after", "how many tracks does she have"),
        ('tracks called "look after"', 'tracks called "look after"'),
    ],
)
def test_a_phrase_is_said_as_the_data_says_it(shop: Tables, said: str, left: str) -> None:
    catalogue, _, _ = shop.opened(*SHOP)
    assert " ".join(reword_question(said, catalogue).split()) == left


@pytest.mark.parametrize(
    ("words", "everyday"),
    [("the first five", True), ("time", True), ("Time", False), ("zeppelin", False), ("", False)],
)
def test_everyday_words_are_known(words: str, everyday: bool) -> None:
    assert are_common(words) is everyday


@pytest.mark.parametrize(
    "question",
    [
        "how many seconds do the first five tracks run",
        "time of each track",
        "number of whole tracks",
    ],
)
async def test_everyday_words_are_no_titles(shop: Tables, question: str) -> None:
    found = await shop.understood(question, *SHOP)
    told = found.summary if isinstance(found, Understood) else ""
    assert not any(title in told for title in TITLES), told


@pytest.mark.parametrize("question", ["seconds of the track Time", 'seconds of the track "run!"'])
async def test_a_title_that_is_written_as_one_is_found(shop: Tables, question: str) -> None:
    found = await shop.understood(question, *SHOP)
    assert isinstance(found, Understood)
    assert "Time" in found.summary or "Run!" in found.summary


async def test_so_many_or_more_are_not_just_so_many(shop: Tables) -> None:
    assert ">= " in await shop.sql("albums with five tracks or more", *SHOP)


async def test_one_number_of_all_is_not_told_for_sure_where_that_of_each_is_asked_for(
    shop: Tables,
) -> None:
    found = await shop.understood("how many tracks does each Iron Maiden album have?", *SHOP)
    if isinstance(found, Understood) and not found.intent.dimensions:
        assert found.confidence <= thresholds.DOUBTFUL, found.summary


async def test_what_may_only_number_a_few_rows_is_added_up_with_a_doubt(tmp_path: Path) -> None:
    """Ten loans, numbered 1 to 10: "loans per month" was told as 55 in total, and as sure."""
    lent = Tables(tmp_path)
    lent.write(
        "lent",
        "loan,branch,borrowed,fee",
        [
            (at, ("Harbour", "Old Town")[at % 2], f"2026-{1 + at // 3:02}-1{at % 9}", at * 7 % 4)
            for at in range(1, 11)
        ],
    )
    added = await lent.understood("loans per month", "lent")
    assert isinstance(added, Understood)
    assert added.confidence <= thresholds.DOUBTFUL
    doubt = "total loan is added up, though loan may only number the rows"
    assert doubt in added.assumptions
    assert changes_reading(doubt)  # so that it stands before the number
    asked = await lent.understood("total fee by branch", "lent")
    assert isinstance(asked, Understood)
    assert not any("number the rows" in each for each in asked.assumptions)
