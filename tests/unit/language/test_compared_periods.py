"""Two periods set against each other, and units of time that the data covers only in part."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from services.planner.domain.query.intent import ChartType
from tests.unit.language.truth_help import Shop, alike, opened

LINES = (
    'Orders o join "Order Details" d using (OrderID) join Products p using (ProductID) '
    "join Categories using (CategoryID)"
)
MONEY = "sum(d.UnitPrice * d.Quantity * (1 - d.Discount))"


def both(before: str, after: str) -> str:
    """One row: two numbers, their difference, and it as a part of the first."""
    pair = f"select ({before}) * 1.0 a, ({after}) * 1.0 b"
    return f"select a, b, b - a, (b - a) / a from ({pair})"


def money(span: str) -> str:
    return f"select {MONEY} from {LINES} where o.OrderDate like '{span}%'"


@pytest.fixture(scope="module")
def northwind(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return opened("northwind", tmp_path_factory.mktemp("home"))


@pytest.mark.parametrize(
    ("question", "columns", "sql"),
    [
        ("how much did sales grow from 1996 to 1997", (), both(money("1996"), money("1997"))),
        (
            "difference in revenue between May and June 1997",
            (),
            both(money("1997-05"), money("1997-06")),
        ),
        (
            "percentage change in number of orders from Q1 1997 to Q1 1998",
            (),
            both(
                "select count(*) from Orders where OrderDate between '1997-01-01' and '1997-03-32'",
                "select count(*) from Orders where OrderDate between '1998-01-01' and '1998-03-32'",
            ),
        ),
        ("compare revenue in May 1997 and May 1996", (), both(money("1996-05"), money("1997-05"))),
        (
            "revenue by category in 1997 vs 1996",
            (),
            f"select CategoryName, substr(OrderDate, 1, 4), {MONEY} from {LINES} "
            "where OrderDate < '1998-01-01' group by 1, 2",
        ),
        (
            "how much did revenue grow by category from May to June 1997",
            (),
            f"select CategoryName, case substr(OrderDate, 6, 2) when '05' then 'May 1997' else "
            f"'June 1997' end, {MONEY} from {LINES} where OrderDate like '1997-05%' "
            "or OrderDate like '1997-06%' group by 1, 2",
        ),
        (
            "compare revenue by month in 1996 and 1997",
            (),
            f"select cast(substr(OrderDate, 6, 2) as int), substr(OrderDate, 1, 4), {MONEY} "
            f"from {LINES} where OrderDate < '1998-01-01' group by 1, 2",
        ),
        (
            "orders in May and June 1997 by employee",
            (-1,),
            "select count(*) from Orders where OrderDate like '1997-05%' "
            "or OrderDate like '1997-06%' group by EmployeeID",
        ),
        (
            "monthly growth of revenue in 1997",
            (0, 1),
            "select * from (select m, r / lag(r) over (order by m) - 1 from (select "
            f"substr(OrderDate, 1, 7) || '-01' m, {MONEY} r from {LINES} group by 1)) "
            "where m like '1997%'",
        ),
        (
            "number of orders shipped by year",
            (0, 1),
            "select cast(substr(ShippedDate, 1, 4) as int), count(*) from Orders "
            "where ShippedDate is not null group by 1",
        ),
        (
            "number of employees by hire year",
            (),
            "select cast(substr(HireDate, 1, 4) as int), count(*) from Employees group by 1",
        ),
        (
            "freight by year",
            (),
            "select cast(substr(OrderDate, 1, 4) as int), sum(Freight) from Orders group by 1",
        ),
        (
            "orders by employee over time",
            (0, 2),
            "select substr(OrderDate, 1, 7) || '-01', count(*) from Orders group by 1, EmployeeID",
        ),
    ],
)
async def test_times_against_each_other(
    northwind: Shop, question: str, columns: tuple[int, ...], sql: str
) -> None:
    alike(await northwind.rows(question, *columns), northwind.truth(sql))


@pytest.mark.parametrize(
    ("question", "notes"),
    [
        ("revenue by month", ("the last month ends on 6 May 1998, where the data ends",)),
        ("revenue by month in 1997", ()),
        ("average freight by month", ()),
        (
            "how much did sales grow from 1996 to 1998",
            (
                "1996 begins on 4 July 1996, where the data begins",
                "1998 ends on 6 May 1998, where the data ends",
            ),
        ),
    ],
)
async def test_what_the_data_covers_in_part_is_said(
    northwind: Shop, question: str, notes: tuple[str, ...]
) -> None:
    found = await northwind.understood(question)
    assert found.assumptions == notes


async def test_a_day_of_grace_is_no_gap(tmp_path: Path) -> None:
    (tmp_path / "sold.csv").write_text(
        "sold_on,pieces\n" + "".join(f"2024-0{m}-01,{m}\n" for m in range(1, 7))
    )
    monthly = Shop(tmp_path / "sold.csv", tmp_path / "home")
    assert (await monthly.understood("total pieces by month")).assumptions == ()


@pytest.fixture(scope="module")
def lives(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """Two countries on each of two continents, every fifth year."""
    path = tmp_path_factory.mktemp("lives") / "lives.csv"
    rows = [
        ("Mali", "Africa", 40),
        ("Chad", "Africa", 44),
        ("Laos", "Asia", 50),
        ("Iran", "Asia", 60),
    ]
    text = "country,continent,year,life_expectancy\n"
    for step, year in enumerate((1997, 2002, 2007)):
        text += "".join(
            f"{name},{where},{year},{first + 2 * step}\n" for name, where, first in rows
        )
    path.write_text(text)
    return Shop(path, tmp_path_factory.mktemp("lives-home"))


@pytest.mark.parametrize(
    ("question", "chart", "rows"),
    [
        (
            "life expectancy over time by continent",
            ChartType.MULTI_LINE,
            [
                (1997, "Africa", 42),
                (1997, "Asia", 55),
                (2002, "Africa", 44),
                (2002, "Asia", 57),
                (2007, "Africa", 46),
                (2007, "Asia", 59),
            ],
        ),
        (
            "how much did life expectancy grow from 1997 to 2007",
            None,
            [(48.5, 52.5, 4.0, 4 / 48.5)],
        ),
        (
            "compare life expectancy in 1997 and 2007 by continent",
            ChartType.GROUPED_BAR,
            [
                ("Africa", "1997", 42),
                ("Africa", "2007", 46),
                ("Asia", "1997", 55),
                ("Asia", "2007", 59),
            ],
        ),
        (
            "box plot of life expectancy by continent",
            ChartType.BOX,
            [
                (where, first + 2 * step)
                for where, first in (("Africa", 40), ("Africa", 44), ("Asia", 50), ("Asia", 60))
                for step in range(3)
            ],
        ),
    ],
)
async def test_years_that_are_numbers(
    lives: Shop, question: str, chart: ChartType | None, rows: list[tuple[Any, ...]]
) -> None:
    assert (await lives.understood(question)).intent.chart is chart
    alike(await lives.rows(question), rows)


async def test_the_date_that_was_taken_is_named_where_there_are_several(northwind: Shop) -> None:
    assert "by month of order date" in (await northwind.understood("orders by month")).summary
    assert (
        "by year of hire date" in (await northwind.understood("employees hired per year")).summary
    )
