"""From a reading to SQL and to the steps of a plan; the SQL is run on small tables."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest

from services.planner.domain.drafting.draft import draft_plan
from services.planner.domain.plan import PlanDraft
from services.planner.domain.query.joining.joins import JoinGraph
from services.planner.domain.query.planning.sql import render
from tests.unit.language.shops import PENGUINS, SHOP, meaning

TOOLS = ("sql.run", "df.transform", "plot.render", "profiler.analyze")


@pytest.fixture
def shop() -> duckdb.DuckDBPyConnection:
    engine = duckdb.connect(":memory:")
    engine.execute("""
        create table "Customers" as select * from (values
            (1, 'Anna', 'France'), (2, 'Ben', 'Germany'),
            (3, 'Cleo', 'France'), (4, 'Cleo', 'Austria')
        ) t("CustomerID", "CompanyName", "Country");
        create table "Orders" as select * from (values
            (10, 1, 7, date '2022-03-01', date '2022-04-01', 5.0),
            (11, 1, 8, date '2023-03-01', date '2023-04-01', 6.0),
            (12, 2, 8, date '2023-05-09', date '2023-06-01', 1.0)
        ) t("OrderID", "CustomerID", "EmployeeID", "OrderDate", "RequiredDate", "Freight");
        create table "OrderDetails" as select * from (values
            (10, 1, 10.0, 2, 0.0), (10, 2, 5.0, 2, 0.5), (11, 1, 10.0, 1, 0.0), (12, 2, 4.0, 1, 0.0)
        ) t("OrderID", "ProductID", "UnitPrice", "Quantity", "Discount");
        create table "Products" as select * from (values
            (1, 'Chai', 100, 10.0, '0'), (2, 'Ikura', 200, 5.0, '1')
        ) t("ProductID", "ProductName", "CategoryID", "UnitPrice", "Discontinued");
        create table "Categories" as select * from (values (100, 'Beverages'), (200, 'Seafood'))
            t("CategoryID", "CategoryName");
        create table "Employees" as select * from (values
            (7, 'Nancy', 'Davolio', 'USA'), (8, 'Nancy', 'Fuller', 'UK')
        ) t("EmployeeID", "FirstName", "LastName", "Country");
    """)
    return engine


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("total revenue", [(39.0,)]),
        ("total revenue in 2023", [(14.0,)]),
        ("revenue by category", [("Beverages", 30.0), ("Seafood", 9.0)]),
        ("revenue by employee", [("Nancy", "Davolio", 25.0), ("Nancy", "Fuller", 14.0)]),
        ("number of orders by customer", [("Anna", 2), ("Ben", 1)]),
        ("customers who never ordered", [("Cleo",), ("Cleo",)]),
        ("customers in Atlantis", []),
        ("average order value", [(13.0,)]),
        ("average order value by year", [(2022, 25.0), (2023, 7.0)]),
        ("compare Beverages and Seafood", [("Beverages", 30.0), ("Seafood", 9.0)]),
        (
            "top 1 customers per category by revenue",
            [("Anna", "Beverages", 30.0), ("Anna", "Seafood", 5.0)],
        ),
        ("which customer has the most orders", [("Anna", 2)]),
        ("number of customers per category", [("Seafood", 2), ("Beverages", 1)]),
        ("how many customers are in France", [(2,)]),
        ("top 1 products by revenue", [("Chai", 30.0)]),
        ("total revenue and number of orders by year", [(2022, 25.0, 1), (2023, 14.0, 2)]),
        ("average freight by year", [(2022, 5.0), (2023, 3.5)]),
        ("products with unit price above average", [("Chai",)]),
        ("customers with more than 1 orders", [("Anna", 2)]),
        ("what is the most expensive product", [("Chai", 10.0)]),
    ],
)
async def test_the_query_gives_the_numbers_that_hand_written_sql_would(
    shop: duckdb.DuckDBPyConnection, question: str, rows: list[tuple[Any, ...]]
) -> None:
    query = render((await meaning(question)).intent, SHOP)
    assert shop.execute(query.text, list(query.params)).fetchall() == rows


async def test_values_are_bound_and_never_written_into_the_query() -> None:
    query = render((await meaning('products whose product name contains "x\'; drop"')).intent, SHOP)
    assert "drop" not in query.text
    assert query.params == ("%x'; drop%",)


async def test_parameters_stand_in_the_order_of_their_places(
    shop: duckdb.DuckDBPyConnection,
) -> None:
    question = "revenue by customer in 2022 in France with unit price above 1"
    query = render((await meaning(question)).intent, SHOP)
    assert query.text.count("?") == len(query.params)
    assert shop.execute(query.text, list(query.params)).fetchall() == [("Anna", 25.0)]


def test_joins_take_the_shortest_declared_way() -> None:
    tree = JoinGraph(SHOP).tree("OrderDetails", ["Customers", "Categories"])
    assert tree.tables == {"Orders", "Customers", "Products", "Categories"}
    assert not tree.fans_out
    assert JoinGraph(SHOP).tree("Customers", ["Orders"]).fans_out


async def plan(question: str, *deliverables: str) -> PlanDraft:
    understood = await meaning(question)
    return draft_plan(
        understood, SHOP, deliverables=deliverables, row_limit=100, timeout_seconds=10
    )


async def test_steps_after_loading_do_not_wait_for_each_other() -> None:
    draft = await plan("revenue by month in 2022, by category", "tables", "charts", "summary")
    assert [t.task_id for t in draft.subtasks] == [
        "load",
        "shape",
        "used",
        "facts",
        "leaders",
        "totals",
        "chart",
    ]
    assert all(t.dependencies == ("load",) for t in draft.subtasks if t.tool_name != "sql.run")
    assert draft.answer_task == "load"
    assert draft.problems(TOOLS, timeout_seconds=1) == []


async def test_a_chart_is_planned_only_when_it_is_to_be_delivered() -> None:
    draft = await plan("revenue by category", "tables")
    assert "chart" not in [t.task_id for t in draft.subtasks]


async def test_what_nobody_will_be_told_is_not_computed() -> None:
    draft = await plan("revenue by category", "tables", "charts")
    assert [t.task_id for t in draft.subtasks] == ["load", "chart"]


async def test_shares_are_planned_only_of_what_adds_up() -> None:
    averages = await plan("average unit price by category", "charts", "reports")
    assert [t.task_id for t in averages.subtasks] == ["load", "used", "facts", "chart"]
    sums = await plan("revenue by category", "charts", "reports")
    assert "leaders" in [t.task_id for t in sums.subtasks]


async def test_the_load_step_says_what_its_rows_must_satisfy() -> None:
    draft = await plan("revenue by category in 2022")
    assert draft.subtasks[0].invariants == (
        "only rows where 2022",
        "the columns category name, total revenue",
        "one row for each category name",
        "filter before aggregate",
    )


async def test_a_profile_is_loaded_and_described() -> None:
    understood = await meaning("describe the data", PENGUINS)
    draft = draft_plan(
        understood, PENGUINS, deliverables=("tables",), row_limit=50, timeout_seconds=5
    )
    assert [t.tool_name for t in draft.subtasks] == [
        "sql.run",
        "profiler.analyze",
        "df.transform",
    ]
    assert draft.answer_task == "profile"
    assert draft.problems(TOOLS, timeout_seconds=5) == []
    load, profile, _ = draft.subtasks
    assert profile.arguments["total"] == "rows in all", "the first 50 rows are no sample"
    assert "LIMIT" not in str(load.arguments["query"])
    whole = draft_plan(
        understood, PENGUINS, deliverables=("tables",), row_limit=1_000, timeout_seconds=5
    )
    assert "total" not in whole.subtasks[1].arguments


async def test_groups_that_a_condition_picked_have_no_shares_of_their_own_sum() -> None:
    picked = await plan("revenue by category with revenue above 1000", "charts", "reports")
    assert "HAVING" in str(picked.subtasks[0].arguments["query"])
    assert "leaders" not in [t.task_id for t in picked.subtasks]


async def test_a_chart_of_counts_knows_that_no_row_is_nought() -> None:
    counts = await plan("number of orders by month and country", "charts")
    assert counts.subtasks[-1].arguments["absent_is_zero"] is True
    sums = await plan("revenue by month and category", "charts")
    assert "absent_is_zero" not in sums.subtasks[-1].arguments


async def test_a_distribution_is_planned_with_its_median_and_quartiles() -> None:
    draft = await plan("histogram of freight", "charts", "summary")
    assert [t.task_id for t in draft.subtasks] == ["load", "facts", "chart"]
    assert "lower quartile of freight" in str(draft.subtasks[1].arguments)
