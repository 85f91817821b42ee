"""A trend goes along the days that rows are told by, though the question names none."""

from __future__ import annotations

import datetime

import pytest

from services.planner.domain.query.intent import ChartType, Understood
from tests.unit.reader.files import Tables

_DAY = datetime.timedelta(days=1)
_STATES = ("Arizona", "Texas", "New Mexico")


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    made = Tables(tmp_path_factory.mktemp("trends"))
    first = datetime.date(2020, 1, 1)
    made.write(
        "sales",
        "sale_id,sold_on,state,product,amount",
        [
            (n + 1, first + n * 3 * _DAY, _STATES[n % 3], ("chair", "desk")[n % 2], 10 + n * 7 % 90)
            for n in range(300)
        ],
    )
    return made


async def test_sales_trends_are_their_amount_month_by_month(tables: Tables) -> None:
    question = "Analyze Q1 2021 Arizona sales; trends + charts"
    found = await tables.understood(question, "sales")
    assert isinstance(found, Understood), found
    assert found.intent.chart is ChartType.LINE
    assert "total amount by month · sold on in Q1 2021 · state is Arizona" in found.summary
    assert "date_trunc" in (await tables.sql(question, "sales")).lower()
    assert not any("where the data ends" in note for note in found.assumptions)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("sales trend", "total amount by month"),
        ("trend of the average amount in Texas", "average amount by month"),
        ("number of sales, trend", "number of sales by month"),
    ],
)
async def test_a_trend_is_of_what_is_named(tables: Tables, question: str, told: str) -> None:
    found = await tables.understood(question, "sales")
    assert isinstance(found, Understood), found
    assert told in found.summary
