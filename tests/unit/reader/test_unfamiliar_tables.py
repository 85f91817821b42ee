"""Everyday questions over tables nobody tuned to: which rows come back, and which never do."""

from __future__ import annotations

from itertools import product

import pytest

from services.planner.domain.confidence import thresholds
from services.planner.domain.query.intent import NotUnderstood, Understood
from tests.unit.reader.files import Tables

_PORTS = [
    ("OBN", "Oban", "Mainland"),
    ("STN", "Stornoway", "Lewis"),
    ("ULL", "Ullapool", "Mainland"),
    ("CRA", "Craignure", "Mull"),
    ("ARM", "Armadale", "Skye"),
]
_LEGS = [("OBN", "STN"), ("OBN", "CRA"), ("ULL", "STN"), ("ULL", "OBN"), ("OBN", "STN")]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    found = Tables(tmp_path_factory.mktemp("tables"))
    found.write("ports", "code,port_name,island", list(_PORTS))
    found.write(
        "sailings",
        "sailing,from_port,to_port,month,day,delay_min",
        [(at, *_LEGS[at % 5], 1 + at % 12, 1 + at % 28, at * 7 % 40) for at in range(1, 121)],
    )
    found.write(
        "cars",
        "model,country_of_origin,mpg,price_usd,year",
        [
            (
                f"M{at}",
                ("Japan", "USA", "japan ", "Italy", "Chile")[at % 5],
                20 + at % 9,
                1_000 * (4 + at % 50),
                1995 + at % 25,
            )
            for at in range(150)
        ],
    )
    found.write(
        "wellbeing",
        "nation,region,year,life_expectancy",
        [
            (
                nation,
                "Africa" if nation < "M" else "Asia",
                year,
                50 + 3 * place + (year - 2005) / 10,
            )
            for (place, nation), year in product(
                enumerate(("Egypt", "Ghana", "Kenya", "Nepal", "Oman", "Qatar")), range(2005, 2022)
            )
        ],
    )
    found.write(
        "departures",
        "bus,year,month,day",
        [(at, 2022 + at % 2, 1 + at % 3, 1 + at % 4) for at in range(1, 25)],
    )
    found.write(
        "birds",
        "species,island,body_mass_g",
        [
            (
                ("Gentoo", "Adelie")[at % 2],
                ("Torgersen", "Dream")[at % 3 % 2],
                3_000 + 97 * at % 3_500,
            )
            for at in range(90)
        ],
    )
    found.write(
        "matches", "match_id,home_goals,away_goals", [(at, at % 5, at * 3 % 7) for at in range(60)]
    )
    found.write(
        "poll",
        "respondent,owns_car,has_children,hours_online",
        [
            (at, "Yes" if at % 3 else "No", "Yes" if at % 4 else "No", at * 7 % 50)
            for at in range(1, 61)
        ],
    )
    found.write(
        "clutches",
        "clutch_id,site,eggs,hatched",
        [(at, ("Pond", "Hill")[at % 2], 4 + at % 5, at % 4) for at in range(1, 41)],
    )
    found.write(
        "runners",
        "runner_id,forename,surname",
        [
            (1, "Ann", "Abel"),
            (2, "Bo", "Berg"),
            (3, "Cy", "Cole"),
        ],
    )
    found.write(
        "entries", "entry_id,runner_id,place", [(at, 1 + at % 3, 1 + at % 7) for at in range(60)]
    )
    return found


async def test_no_year_is_left_out_where_each_row_is_a_thing_of_its_own(tables: Tables) -> None:
    assert "year" not in await tables.sql("cars from each country of origin", "cars")


async def test_the_last_year_is_meant_where_a_table_tells_the_same_yearly(tables: Tables) -> None:
    found = await tables.understood(
        "The 3 African nations with the highest life expectancy", "wellbeing"
    )
    assert isinstance(found, Understood)
    assert "year is 2021" in found.summary and found.intent.limit == 3
    assert [one.descending for one in found.intent.order] == [True]


async def test_two_spellings_of_a_value_are_counted_as_one_and_told(tables: Tables) -> None:
    found = await tables.understood("cars from each country of origin", "cars")
    assert isinstance(found, Understood)
    assert "spellings that differ by case and spaces alone taken for one" in found.summary


@pytest.mark.parametrize(
    ("question", "column"),
    [
        ("how many sailings go to each island", "to_port"),
        ("number of sailings per destination port name", "to_port"),
        ("number of sailings by port name of departure", "from_port"),
    ],
)
async def test_which_of_two_references_is_meant_is_told_by_the_way_said(
    tables: Tables, question: str, column: str
) -> None:
    assert f"sailings.{column} = ports.code" in await tables.sql(question, "sailings", "ports")


async def test_where_no_way_is_said_the_other_is_told_and_nothing_is_sure(tables: Tables) -> None:
    found = await tables.understood("number of sailings by island", "sailings", "ports")
    assert isinstance(found, Understood)
    assert found.confidence < thresholds.SURE
    assert 'not of "to port"' in " ".join(found.assumptions)


async def test_what_nothing_refers_to_is_referred_to_by_neither_column(tables: Tables) -> None:
    assert [("Armadale",)] in await tables.rows("which ports have no sailings", "sailings", "ports")


async def test_a_day_and_its_month_are_one_day(tables: Tables) -> None:
    for sql, _ in await tables.readings("sailings on 4 July", "sailings"):
        assert ("sailings.day = ?" in sql) == ("sailings.month = ?" in sql)
        assert "delay_min = ?" not in sql


@pytest.mark.parametrize(
    ("question", "names", "rows"),
    [
        (
            "how many matches had more away goals than home goals",
            ("matches",),
            [(sum(at * 3 % 7 > at % 5 for at in range(60)),)],
        ),
        (
            "matches where the home team scored more than the away team",
            ("matches",),
            [(sum(at % 5 > at * 3 % 7 for at in range(60)),)],
        ),
        (
            "how many have neither car nor children",
            ("poll",),
            [(sum(not at % 3 and not at % 4 for at in range(1, 61)),)],
        ),
        (
            "how many own a car but have no children",
            ("poll",),
            [(sum(bool(at % 3) and not at % 4 for at in range(1, 61)),)],
        ),
    ],
)
async def test_what_was_meant_is_among_the_readings(
    tables: Tables, question: str, names: tuple[str, ...], rows: list[tuple[object, ...]]
) -> None:
    assert rows in await tables.rows(question, *names)


async def test_a_day_is_found_where_it_is_told_by_its_parts(tables: Tables) -> None:
    found = await tables.rows("number of departures on 2023-02-02", "departures")
    assert [(2,)] in found


async def test_kilos_are_never_taken_for_grams(tables: Tables) -> None:
    found = await tables.understood("how many Gentoo weigh over 5 kg", "birds")
    assert isinstance(found, Understood)
    assert "body mass g > 5000" in found.summary


async def test_people_are_told_by_both_names(tables: Tables) -> None:
    found = await tables.rows("who won the most entries", "entries", "runners")
    wins = {
        runner: sum(1 + at % 3 == runner and not at % 7 for at in range(60)) for runner in (1, 2, 3)
    }
    assert max(wins.values()) > 0
    assert any(
        len(rows) == 1 and len(rows[0]) == 2 and rows[0][1] in ("Abel", "Berg", "Cole")
        for rows in found
    )


async def test_part_of_a_total_is_a_ratio_in_each_group(tables: Tables) -> None:
    found = await tables.rows("what share of eggs hatched by site", "clutches")
    shares = {
        site: sum(at % 4 for at in range(1, 41) if at % 2 == odd)
        / sum(4 + at % 5 for at in range(1, 41) if at % 2 == odd)
        for site, odd in (("Pond", 0), ("Hill", 1))
    }
    assert any(
        {row[0]: row[1] for row in rows if len(row) > 1} == pytest.approx(shares)
        for rows in found
        if rows and {r[0] for r in rows} == set(shares) and isinstance(rows[0][1], float)
    )


@pytest.mark.parametrize(
    ("question", "falling"),
    [
        ("average delay by month, worst first", True),
        ("average delay by month, lowest first", False),
    ],
)
async def test_which_end_comes_first_is_heeded_by_all(
    tables: Tables, question: str, falling: bool
) -> None:
    end = "DESC" if falling else "ASC"
    sorted_ = [
        sql
        for sql, _ in await tables.readings(question, "sailings")
        if "ORDER BY AVG(sailings.delay_min)" in sql
    ]
    assert sorted_ and all(f"ORDER BY AVG(sailings.delay_min) {end}" in sql for sql in sorted_)
    assert not any("LIMIT" in sql for sql in sorted_)


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("takings by island", ("birds",)),
        ("turnover per island", ("birds",)),
        ("spending per species", ("birds",)),
        ("the highest earnings of each country of origin", ("cars",)),
        ("weights by site", ("clutches",)),
    ],
)
async def test_a_word_for_an_amount_is_no_word_for_rows(
    tables: Tables, question: str, names: tuple[str, ...]
) -> None:
    assert isinstance(await tables.understood(question, *names), NotUnderstood)


async def test_an_unknown_word_for_things_is_taken_for_rows_and_told(tables: Tables) -> None:
    found = await tables.understood("creatures by island", "birds")
    assert isinstance(found, Understood)
    assert found.confidence <= thresholds.DOUBTFUL and "creatures" in " ".join(found.assumptions)
