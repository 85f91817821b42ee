"""Plain words over tables that call things otherwise: countries, running totals, units, signs."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from services.planner.domain.confidence import thresholds
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.query.intent import Understood
from tests.unit.reader.files import Tables

_PLACES = [
    ("Norway", "Europe"),
    ("Spain", "Europe"),
    ("Kenya", "Africa"),
    ("Japan", "Asia"),
    ("Italy", "Europe"),
    ("Ghana", "Africa"),
]
_CODES = ("PRT", "ESP", "FRA", "ITA")


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    found = Tables(Path(tmp_path_factory.mktemp("plain")))
    found.write(
        "outbreak",
        "spot,landmass,day,new_cases,total_cases,inhabitants",
        [
            (
                place,
                land,
                f"2021-03-{day:02}",
                10 * at + day,
                10 * at * day + day * (day + 1) // 2,
                1_000_000 * (at + 1),
            )
            for (at, (place, land)), day in product(enumerate(_PLACES), range(1, 29))
        ],
    )
    found.write(
        "songs",
        "song_title,singer,style,length_ms,listens",
        [
            (
                f"{('Love', 'Rain', 'Road')[at % 3]} {at}",
                f"S{at % 7}",
                ("pop", "rock")[at % 2],
                150_000 + 1_000 * at,
                at * 37 % 500,
            )
            for at in range(80)
        ],
    )
    found.write(
        "accounts",
        "account_no,owner_type,balance",
        [(9_000 + at * 3, ("private", "firm")[at % 2], at * 91 % 700 - 200) for at in range(60)],
    )
    found.write(
        "stays",
        "hotel,guest_country,kids,bedrooms,rate,cancelled",
        [
            (
                ("Sea", "Hill")[at % 2],
                _CODES[at % 4],
                at % 3,
                1 + at % 4,
                50 + at * 7 % 90,
                int(at % 5 == 0),
            )
            for at in range(120)
        ],
    )
    found.write(
        "plants",
        "plant_name,fuel,capacity_mw",
        [(f"P{at}", ("Gas", "Wind", "Hydro")[at % 3], 10 + at * 13 % 400) for at in range(60)],
    )
    found.write(
        "pay",
        "role,salary_in_usd",
        [(("Analyst", "Engineer")[at % 2], 40_000 + at * 997 % 50_000) for at in range(60)],
    )
    found.write(
        "strikers",
        "season,club,striker,goals",
        [
            (2010 + at % 5, ("Hawks", "Owls", "Gulls")[at % 3], f"S{at % 20}", at * 7 % 23)
            for at in range(90)
        ],
    )
    return found


async def _sql(tables: Tables, question: str, name: str) -> str:
    return await tables.sql(question, name)


async def test_a_column_of_countries_answers_for_countries(tables: Tables) -> None:
    assert "GROUP BY outbreak.spot" in await _sql(tables, "new cases per country", "outbreak")


async def test_few_with_the_most_bounds_no_column(tables: Tables) -> None:
    sql = await _sql(tables, "the 3 European countries with the most inhabitants", "outbreak")
    assert "LIMIT 3" in sql and sql.count("?") == 1 and "landmass" in sql


async def test_a_running_total_is_never_added_up(tables: Tables) -> None:
    for sql, _ in await tables.readings("total cases by country", "outbreak"):
        assert "SUM(outbreak.total_cases)" not in sql
    found = await _sql(tables, "total cases by country", "outbreak")
    assert "SUM(outbreak.total_cases)" not in found and "AVG" not in found


@pytest.mark.parametrize("country", ["Portugal", "Portuguese"])
async def test_a_country_is_found_by_its_code(tables: Tables, country: str) -> None:
    found = await tables.understood(f"how many stays of {country} guests", "stays")
    assert isinstance(found, Understood) and "PRT" in found.summary


async def test_what_is_asked_in_minutes_is_not_told_in_milliseconds(tables: Tables) -> None:
    found = await tables.understood("average song length in minutes", "songs")
    assert isinstance(found, Understood) and "in min" in found.summary


@pytest.mark.parametrize(
    ("question", "table", "condition"),
    [
        ("how many accounts have a negative balance", "accounts", "accounts.balance < ?"),
        ("how many stays with kids were cancelled", "stays", "stays.kids > ?"),
        ("songs with rain in the title", "songs", "song_title ILIKE ?"),
    ],
)
async def test_a_condition_is_heard(
    tables: Tables, question: str, table: str, condition: str
) -> None:
    assert condition in await _sql(tables, question, table)


async def test_by_number_of_is_told_for_each_number(tables: Tables) -> None:
    sql = await _sql(tables, "average rate by number of bedrooms", "stays")
    assert "GROUP BY stays.bedrooms" in sql and "AVG(stays.rate)" in sql


async def test_two_counts_are_told_apart(tables: Tables) -> None:
    sql = await _sql(tables, "how many pop songs and how many rock songs", "songs")
    assert "GROUP BY songs.style" in sql


async def test_a_verb_that_a_ranking_says_is_no_word_left_out(tables: Tables) -> None:
    found = await tables.understood("which owner type made the most accounts", "accounts")
    assert isinstance(found, Understood)
    assert "made" not in " ".join(found.assumptions) and found.confidence > thresholds.DOUBTED


@pytest.mark.parametrize(
    ("question", "table", "number"),
    [
        ("average salary by role", "pay", "AVG(pay.salary_in_usd)"),
        ("total capacity by fuel", "plants", "SUM(plants.capacity_mw)"),
        ("which club scored the most goals", "strikers", "SUM(strikers.goals)"),
    ],
)
async def test_a_number_is_named_without_its_unit_and_totalled_over_rows(
    tables: Tables, question: str, table: str, number: str
) -> None:
    assert number in await _sql(tables, question, table)


def test_capacity_is_no_city() -> None:
    assert words_of("capacity_mw") == ("capacity", "mw")
