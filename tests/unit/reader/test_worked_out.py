"""Numbers worked out over groups, tests and ranges, over a table made for it."""

from __future__ import annotations

import datetime

import pytest

from services.planner.domain.confidence import thresholds
from services.planner.domain.query.intent import NotUnderstood, Understood
from services.planner.domain.query.kinds import Calculation
from tests.unit.reader.files import Tables


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    found = Tables(tmp_path_factory.mktemp("parcels"))
    found.write(
        "parcels",
        "parcel,sent,depot,weight_kg,price",
        [
            (
                f"P{at}",
                datetime.date(2023, 1, 1) + datetime.timedelta(days=at * 3),
                ("Bergen", "Cork", "Delft")[at % 3],
                1 + at % 17,
                20 + at * 7 % 50,
            )
            for at in range(1, 201)
        ],
    )
    return found


@pytest.mark.parametrize(
    ("question", "worked_out"),
    [
        ("growth of total price by month", Calculation.GROWTH),
        ("running total of price by month", Calculation.RUNNING_TOTAL),
        ("3 month moving average of total price by month", Calculation.MOVING_AVERAGE),
        ("share of parcels by depot", Calculation.SHARE),
    ],
)
async def test_what_is_worked_out_is_told(
    tables: Tables, question: str, worked_out: Calculation
) -> None:
    found = await tables.understood(question, "parcels")
    assert isinstance(found, Understood), found
    assert [one.calculation for one in found.intent.derived] == [worked_out]
    assert not found.intent.filters, "the 3 of 3 months is no condition"


async def test_numbers_are_put_into_ranges(tables: Tables) -> None:
    found = await tables.understood("number of parcels by weight in bins of 5", "parcels")
    assert isinstance(found, Understood), found
    assert [d.bins.width for d in found.intent.dimensions if d.bins] == [5.0]


async def test_a_named_test_takes_its_groups(tables: Tables) -> None:
    found = await tables.understood("t-test of price between Bergen and Cork", "parcels")
    assert isinstance(found, Understood), found
    assert found.intent.statistic is not None and found.intent.statistic.test == "t_test"
    assert set(found.intent.filters[0].values) == {"Bergen", "Cork"}  # type: ignore[union-attr]


async def test_a_test_of_unknown_words_is_refused(tables: Tables) -> None:
    found = await tables.understood("t-test of zeal between wombats and numbats", "parcels")
    assert isinstance(found, NotUnderstood) or found.confidence <= thresholds.DOUBTFUL
