"""What a question why takes from a statement that has no reading of the rules."""

from __future__ import annotations

from datetime import date

import pytest

from services.planner.domain.catalogue import Catalogue, Column, ColumnRole, DataType
from services.planner.domain.conversation.in_sight import TimeSplit
from services.planner.domain.conversation.of_statement import of_statement
from services.planner.domain.investigation.period import DateRange
from services.planner.domain.query.intent import Grain
from tests.unit.planner.llm_world import SHOP

YEARS = (
    DateRange(start=date(2023, 1, 1), end=date(2023, 12, 31)),
    DateRange(start=date(2024, 1, 1), end=date(2024, 12, 31)),
)
MAY = (
    DateRange(start=date(2024, 4, 1), end=date(2024, 4, 30)),
    DateRange(start=date(2024, 5, 1), end=date(2024, 5, 31)),
)


@pytest.mark.parametrize(
    ("statement", "metric"),
    [
        ("SELECT sum(amount) FROM orders", 'SUM("orders"."amount")'),
        (
            "SELECT avg(o.amount) AS mean FROM orders o WHERE region = 'North' AND o.amount > 5",
            'AVG("orders"."amount") FILTER(WHERE "orders"."region" = \'North\' AND '
            '"orders"."amount" > 5)',
        ),
        (
            "SELECT sum(amount) / count(DISTINCT customer_id) FROM orders",
            'SUM("orders"."amount") / COUNT(DISTINCT "orders"."customer_id")',
        ),
        (
            "SELECT city, sum(amount) FROM orders JOIN customers ON customer_id = id GROUP BY 1",
            'SUM("orders"."amount")',
        ),
        ("SELECT count(*) FROM orders", 'COUNT("orders"."order_id")'),
    ],
)
def test_the_number_is_a_metric_with_its_conditions(statement: str, metric: str) -> None:
    key = Column(
        name="order_id", data_type=DataType.INTEGER, role=ColumnRole.ID, nullable=False, nulls=0
    )
    orders = SHOP.tables[0]
    kept = orders.model_copy(
        update={"columns": (key, *orders.columns[1:]), "primary_key": ("order_id",)}
    )
    catalogue = SHOP.model_copy(update={"tables": (kept, SHOP.tables[1])})
    assert of_statement(statement, catalogue).metric == metric


@pytest.mark.parametrize(
    ("condition", "periods"),
    [
        ("year(sold_on) = 2024", YEARS),
        ("sold_on >= '2024-01-01' AND sold_on < '2025-01-01'", YEARS),
        ("sold_on BETWEEN DATE '2024-05-01' AND DATE '2024-05-31'", MAY),
        ("sold_on > '2024-04-30' AND sold_on <= '2024-05-31'", MAY),
        ("sold_on >= '2024-01-01'", None),
        ("month(sold_on) = 5", None),
    ],
)
def test_conditions_on_time_are_periods(
    condition: str, periods: tuple[DateRange, DateRange] | None
) -> None:
    found = of_statement(f"SELECT sum(amount) FROM orders WHERE {condition}", SHOP)
    assert (found.metric, found.time) == ('SUM("orders"."amount")', "sold_on")
    assert found.periods == periods


@pytest.mark.parametrize(
    ("split", "grain"),
    [
        ("date_trunc('month', sold_on)", Grain.MONTH),
        ("year(sold_on)", Grain.YEAR),
        ("sold_on", Grain.DAY),
    ],
)
def test_periods_may_be_those_of_rows(split: str, grain: Grain) -> None:
    found = of_statement(f"SELECT {split} AS t, sum(amount) AS s FROM orders GROUP BY 1", SHOP)
    assert found.split == TimeSplit(grain, "t", "s")
    assert found.column == ("orders", "amount")


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("", "answered by something other than one statement"),
        ("SELECT avg(m) FROM (SELECT sum(amount) m FROM orders GROUP BY region)", "query over"),
        ("SELECT sum(amount), count(*) FROM orders", "shows several numbers"),
        ("SELECT region FROM orders", "shows no single number"),
        (
            "SELECT sum(amount) FROM orders JOIN customers ON order_id = id",
            "joins tables in a way of its own",
        ),
        (
            "SELECT count(*) FROM orders JOIN customers ON customer_id = id",
            "counts rows of 2 tables joined",
        ),
    ],
)
def test_what_is_missing_is_said(statement: str, why: str) -> None:
    found = of_statement(statement, SHOP)
    assert (found.metric, found.column) == ("", None) or found.metric == ""
    assert why in found.no_metric


def test_nothing_is_in_sight_of_data_that_is_gone() -> None:
    assert not of_statement("SELECT sum(amount) FROM orders", Catalogue(tables=())).metric
