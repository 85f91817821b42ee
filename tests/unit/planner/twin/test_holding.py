"""Statements held against their twins: equal, or both numbers and the clause that differs."""

from __future__ import annotations

from typing import Any

import pytest

from services.planner.domain.meaning import Meaning
from services.planner.domain.twin.finding import found_of_twin
from services.planner.domain.twin.holding import NOT_DECLARED, hold
from tests.unit.checks.small_data import SmallData
from tests.unit.planner.twin.world import DATA, asked, asking

FREIGHT = {"metric": "sum(freight)"}


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("select sum(freight) as f from orders", FREIGHT),
        (
            "select strftime(ordered, '%Y-%m') as m, sum(freight) as f from orders group by 1 "
            "order by 1",
            {**FREIGHT, "time": "ordered", "grain": "month"},
        ),
        (
            "select city, sum(freight) f from orders left join customers using (customer_id) "
            "group by 1",
            {**FREIGHT, "by": ("city",)},
        ),
        (
            "select city, sum(freight) f from orders join customers using (customer_id) group by 1",
            {**FREIGHT, "by": ("city",)},
        ),
        (
            "with one as (select distinct order_id, freight from orders join lines using "
            "(order_id)) select sum(freight) from one",
            FREIGHT,
        ),
        (
            "select round(sum(quantity * unit_price), 1) from lines",
            {"metric": "sum(quantity * unit_price)"},
        ),
    ],
)
async def test_however_it_is_written(text: str, means: dict[str, Any]) -> None:
    held = await hold(text, Meaning(**means), DATA.catalogue, asked)

    assert held.beside is not None and held.beside.agrees, held
    assert not held.differs and not held.not_checked and found_of_twin(held) is None


@pytest.mark.parametrize(
    ("text", "means", "told", "clause"),
    [
        (
            "select sum(freight) from orders join lines using (order_id)",
            FREIGHT,
            "51 instead of 98",
            "it joins lines, by which a row of orders comes several times",
        ),
        (
            "select sum(freight) from orders",
            {**FREIGHT, "filter": ("region = 'North'",)},
            "18.50 instead of 51",
            "it lacks orders.region = 'North'",
        ),
        (
            "select sum(freight) from orders where region <> 'South'",
            FREIGHT,
            "51 instead of 18.50",
            "only it has orders.region <> 'South'",
        ),
        (
            "select avg(freight) from orders",
            FREIGHT,
            "51 instead of 10.20",
            "it gives avg(orders.freight), declared is sum(orders.freight)",
        ),
        (
            "select sum(freight) from orders where sent >= '2024-03-01'",
            {**FREIGHT, "time": "ordered", "period": "2024-03"},
            "15.50 instead of 8.50",
            "it goes by orders.sent, declared is orders.ordered",
        ),
        (
            "select sum(quantity * unit_price * 0.9) from lines",
            {"metric": "sum(quantity * unit_price)"},
            "74 instead of 66.60",
            "it gives sum(lines.quantity * lines.unit_price * 0.9), declared is "
            "sum(lines.quantity * lines.unit_price)",
        ),
        (
            "select sum(quantity * unit_price) from lines",
            {"metric": "sum(quantity * (unit_price - 0.5))"},
            "63.50 instead of 74",
            "sum(lines.quantity * (lines.unit_price - 0.5))",
        ),
        (
            "select region, city, sum(freight) as f from orders join customers using (customer_id) "
            "group by 1, 2",
            {**FREIGHT, "by": ("region",)},
            "",
            "only it is split by customers.city",
        ),
    ],
)
async def test_both_numbers_and_the_clause(
    text: str, means: dict[str, Any], told: str, clause: str
) -> None:
    held = await hold(text, Meaning(**means), DATA.catalogue, asked)

    assert held.differs and held.beside is not None
    assert told in held.beside.told
    assert clause in held.beside.clause
    found = found_of_twin(held)
    assert found is not None and found.code == "M01" and found.fix == held.beside.statement


async def test_where_no_form_is_known_declaring_otherwise_is_tried() -> None:
    text = (
        "with ranked as (select *, row_number() over (order by order_id) as place from orders) "
        "select sum(freight) from ranked where sent >= '2024-03-01' and place > 0"
    )
    means = Meaning(metric="sum(freight)", time="ordered", period="2024-03")

    held = await hold(text, means, DATA.catalogue, asked)

    assert held.beside is not None and held.beside.clause == "it gives what time orders.sent would"


async def test_columns_whose_names_are_no_words_are_tried_too() -> None:
    days = SmallData(
        {"days": 'day_id,day,"Max Temp (F)",rain\n1,2024-01-01,50,3\n2,2024-02-01,60,4\n'}
    )
    text = "with wet as (select * from days) select sum(rain) from wet"
    means = Meaning(metric="sum(rain)", time="day", period="2024-01")

    held = await hold(text, means, days.catalogue, asking(days))

    assert held.beside is not None and held.beside.clause == "it gives what no period would"


async def test_equal_by_chance_is_told_with_the_other_date() -> None:
    text = "select sum(freight) from orders where sent >= '2024-01-01' and sent < '2024-02-01'"
    means = Meaning(metric="sum(freight)", time="ordered", period="2024-01")

    held = await hold(text, means, DATA.catalogue, asked)

    assert held.beside is not None and held.beside.compared == "same"
    assert held.beside.clause == "it goes by orders.sent, declared is orders.ordered"


async def test_equal_by_chance_is_told_with_the_other_column() -> None:
    other = "select freight, count(*) from orders where order_id = 10 group by freight"
    joined = "select lines.order_id, count(*) from lines join orders using (order_id) group by 1"
    means = Meaning(
        metric="count(orders)", by=("orders.order_id",), filter=("orders.order_id = 10",)
    )
    lines = Meaning(metric="count(lines)", by=("orders.order_id",))

    by_chance = await hold(other, means, DATA.catalogue, asked)
    tied = await hold(joined, lines, DATA.catalogue, asked)

    assert by_chance.beside is not None and by_chance.beside.agrees
    assert by_chance.beside.clause == ("it is split by orders.freight, declared is orders.order_id")
    assert tied.beside is not None and tied.beside.agrees and not tied.beside.clause


async def test_what_is_not_declared_is_not_checked() -> None:
    ranked = "select region, sum(freight) as f, count(*) as n from orders group by 1 order by 2"
    means = Meaning(metric="sum(freight)", by=("region",))

    nothing = await hold(ranked, Meaning(), DATA.catalogue, asked)
    more = await hold(f"{ranked} limit 1", means, DATA.catalogue, asked)
    away = await hold(ranked, means, DATA.catalogue, None)

    assert nothing.not_checked == (NOT_DECLARED,) and nothing.beside is None
    assert more.beside is not None and more.beside.agrees
    assert more.not_checked == (
        "LIMIT: not declared; the rows were compared without it",
        "column n: not declared",
    )
    assert away.not_checked == ("meaning: the data did not answer in time",)
    assert away.beside is not None and away.beside.compared == "not_compared"


async def test_a_result_that_lacks_what_is_declared_is_not_the_same() -> None:
    means = Meaning(metric="sum(freight)", by=("region",))

    held = await hold("select distinct region from orders", means, DATA.catalogue, asked)

    assert held.differs
