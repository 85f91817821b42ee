"""What is asked for outright is given: months, people, the number of things, the right end."""

from __future__ import annotations

import pytest

from services.planner.domain.confidence import thresholds
from services.planner.domain.query.intent import Understood
from tests.unit.reader.files import Tables

_CATCHES = [
    ("Skipper Ann", "Ullapool", "2024-01-09", 120, "line"),
    ("Skipper Ann", "Oban", "2024-02-11", 80, "net"),
    ("Skipper Bo", "Ullapool", "2024-02-14", 200, "net"),
    ("Skipper Bo", "Oban", "2024-03-02", 50, "pot"),
    ("Skipper Cy", "Oban", "2024-03-20", 70, "line"),
    ("Skipper Cy", "Ullapool", "2024-03-29", 90, "net"),
]
_CREW = [
    ("Ann", "Fisk", "2019-04-01", "Ullapool", 3.5),
    ("Bo", "Garde", "2021-09-15", "Oban", 12.0),
    ("Cy", "Holm", "2015-01-20", "Oban", 7.0),
    ("Di", "Iversen", None, "Ullapool", 9.0),
]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    found = Tables(tmp_path_factory.mktemp("outright"))
    found.write("trips", "skipper,harbour,landed,catch_kg,gear", list(_CATCHES))
    found.write("crew", "first_name,last_name,joined,home_port,mean_delay_minutes", list(_CREW))
    return found


async def test_monthly_is_by_month(tables: Tables) -> None:
    assert "DATE_TRUNC('month'" in await tables.sql("monthly catch by harbour", "trips")


async def test_an_unknown_word_for_the_rows_of_the_only_table_is_taken_so_and_told(
    tables: Tables,
) -> None:
    found = await tables.understood("how many outings with a catch over 100", "trips")

    assert isinstance(found, Understood)
    assert "catch kg > 100" in found.summary
    assert '"outings" is taken for rows of trips' in found.assumptions
    assert found.confidence <= thresholds.DOUBTFUL


@pytest.mark.parametrize("question", ["zorkify the outings", "the outings", "frobnicate outings"])
async def test_no_word_is_guessed_where_more_is_unknown_or_all_is(
    tables: Tables, question: str
) -> None:
    assert not isinstance(await tables.understood(question, "trips"), Understood)


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("who joined first, the oldest member", "ASC"),
        ("which home port has the worst average delay", "DESC"),
    ],
)
async def test_the_end_that_is_meant_comes_first(
    tables: Tables, question: str, wanted: str
) -> None:
    assert wanted in await tables.sql(question, "crew")


async def test_people_are_told_by_both_names(tables: Tables) -> None:
    sql = await tables.sql("who has the longest mean delay", "crew")

    assert "first_name" in sql
    assert "last_name" in sql


async def test_what_is_not_sure_says_why(tables: Tables) -> None:
    for question in ("catch by gear", "monthly catch by harbour", "how many trips", "gear"):
        found = await tables.understood(question, "trips")
        if isinstance(found, Understood) and found.measured:
            assert found.confidence >= thresholds.SURE or found.assumptions, question


async def test_at_least_two_bounds_groups_and_top_two_bounds_nothing(tables: Tables) -> None:
    assert "HAVING" in await tables.sql("list the harbours with at least 3 trips", "trips")
    assert "LIMIT 2" in await tables.sql("top 2 skippers by catch", "trips")
