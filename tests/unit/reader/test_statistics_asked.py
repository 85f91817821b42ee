"""Statistics in short questions: what was meant is among the readings, and is called what it is."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from mesh.errors import AssayError
from services.planner.domain.query.intent import Aggregate, Field, Intent, Measure
from services.planner.domain.query.planning.sql import render
from services.planner.domain.reader import read
from services.planner.domain.reader.choice.candidate import Candidate
from services.planner.domain.reader.choice.model import learnt
from tests.unit.language.truth_help import TODAY, Shop
from tests.unit.reader.ferries import ferries

_RANKS = (
    "rank() over (order by wind_knots) + (count(*) over (partition by wind_knots) - 1) / 2.0 as a,"
    " rank() over (order by passengers) + (count(*) over (partition by passengers) - 1) / 2.0 as b"
)


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    folder: Path = tmp_path_factory.mktemp("ferries")
    return ferries(folder)


def readings(company: Shop, question: str) -> list[Candidate]:
    scene = asyncio.run(read.scene_of(question, company.catalogue, company.lookup, today=TODAY))
    return read.composed(read.weighed_of(read.local_of(scene), learnt()), learnt())


def told(company: Shop, question: str) -> list[list[tuple[object, ...]]]:
    found: list[list[tuple[object, ...]]] = []
    for one in readings(company, question):
        assert one.query is not None
        found.append(_plain(company.run(one.query.text, one.query.params)[1]))
    return found


def _plain(rows: object) -> list[tuple[object, ...]]:
    assert isinstance(rows, list)
    plain = [
        tuple(round(float(v), 6) if isinstance(v, int | float) else v for v in row) for row in rows
    ]
    return sorted(plain, key=repr)


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("the middle fare", "select median(fare) from crossings"),
        ("90th percentile of diesel litres",
         "select quantile_cont(diesel_litres, 0.9) from crossings"),
        ("p95 of the fare per route",
         "select route, quantile_cont(fare, 0.95) from crossings group by 1"),
        ("5th and 95th percentile of the wind",
         "select quantile_cont(wind_knots, 0.05), quantile_cont(wind_knots, 0.95) from crossings"),
        ("quartiles of the fares",
         "select quantile_cont(fare, 0.25), median(fare), quantile_cont(fare, 0.75)"
         " from crossings"),
        ("how spread out are the fares", "select stddev_samp(fare) from crossings"),
        ("mean, median and sd of passengers",
         "select avg(passengers), median(passengers), stddev_samp(passengers) from crossings"),
        ("iqr of the wind",
         "select quantile_cont(wind_knots, 0.75) - quantile_cont(wind_knots, 0.25) from crossings"),
        ("fare range by route", "select route, max(fare) - min(fare) from crossings group by 1"),
        ("95th percentile of the crossing time in minutes",
         "select quantile_cont(date_diff('second', left_at, arrived_at), 0.95) / 60"
         " from crossings"),
        ("correlation between wind and diesel",
         "select corr(wind_knots, diesel_litres) from crossings"),
        ("do crossings with more passengers burn more diesel?",
         "select corr(passengers, diesel_litres) from crossings"),
        ("correlation of passengers with diesel on the Eider",
         "select corr(passengers, diesel_litres) from crossings join vessels using (vessel_id)"
         " where vessel_name = 'Eider'"),
        ("spearman correlation of wind and passengers",
         f"select corr(a, b) from (select {_RANKS} from crossings)"),
        ("the most common sea state",
         "select sea_state from crossings group by 1 order by count(*) desc limit 1"),
    ],
)  # fmt: skip
def test_the_statistic_that_was_meant_is_among_the_readings(
    company: Shop, question: str, sql: str
) -> None:
    assert _plain(company.run(sql, ())[1]) in told(company, question)


def test_ranks_are_taken_within_each_group(company: Shop) -> None:
    whole = [r for r in told(company, "spearman of wind and passengers by route") if len(r) == 3]
    one = [
        rows[0][0]
        for rows in told(company, "spearman of wind and passengers on the route Oban")
        if len(rows) == 1 and len(rows[0]) == 1
    ]
    of_oban = [row[1] for rows in whole for row in rows if row[0] == "Oban" and len(row) == 2]
    assert set(one) & set(of_oban)


def test_a_percentile_is_called_by_its_place(company: Shop) -> None:
    names = {c.query.columns for c in readings(company, "22nd percentile of the fare") if c.query}
    assert ("22nd percentile of fare",) in names


def test_a_rank_correlation_beside_another_number_is_refused_rather_than_half_told(
    company: Shop,
) -> None:
    wind, fare = (Field(table="crossings", column=name) for name in ("wind_knots", "fare"))
    ranks = Measure(
        aggregate=Aggregate.RANK_CORRELATION, table="crossings", expression=wind, other=fare,
        label="rank correlation",
    )  # fmt: skip
    more = Measure(aggregate=Aggregate.COUNT, table="crossings", label="crossings")
    with pytest.raises(AssayError, match="apart"):
        render(Intent(base="crossings", measures=(ranks, more)), company.catalogue)
