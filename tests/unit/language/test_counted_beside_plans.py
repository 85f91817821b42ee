"""Queries that stand beside the answer's own: ties, rows used, rows lost; run over real rows."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from bench.support_catalogue import RunSql, Sources
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.drafting.ties import ties_task
from services.planner.domain.plan import Subtask
from services.planner.domain.query.defining.terms import Computed, Definition, Reference
from services.planner.domain.query.intent import (
    Aggregate,
    Dimension,
    Field,
    Intent,
    Measure,
    Membership,
    Order,
    Relation,
)
from services.planner.domain.query.planning.rows_used import used_task
from services.planner.domain.query.planning.sql import Query, render

CITY = Dimension(expression=Field(table="customers", column="city"), label="city")
NUMBER = Measure(aggregate=Aggregate.COUNT, table="orders", label="number of orders")
MOST_FIRST = (Order(target="measure", descending=True), Order(target="dimension"))
TO_CUSTOMERS = Relation(
    left=Field(table="orders", column="customer_id"),
    right=Field(table="customers", column="customer_id"),
)
BY_CITY = Intent(base="orders", measures=(NUMBER,), dimensions=(CITY,), joins=(TO_CUSTOMERS,))


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> tuple[Catalogue, RunSql]:
    """Ten orders: four of Rome, two of Oslo, two of Bonn, one of nobody, one of an unknown."""
    folder: Path = tmp_path_factory.mktemp("shop")
    path = folder / "shop.sqlite"
    with sqlite3.connect(path) as file:
        file.execute("CREATE TABLE customers (customer_id integer PRIMARY KEY, city text)")
        file.execute(
            "CREATE TABLE orders (order_id integer PRIMARY KEY, customer_id integer"
            " REFERENCES customers(customer_id), placed date, amount real)"
        )
        file.execute("INSERT INTO customers VALUES (1, 'Rome'), (2, 'Oslo'), (3, 'Bonn')")
        of = [1, 1, 1, 1, 2, 2, 3, 3, None, 77]
        rows = [(i, of[i], f"2024-0{1 + i % 9}-01", 5.0 * i) for i in range(10)]
        file.executemany("INSERT INTO orders VALUES (?, ?, ?, ?)", rows)
    catalogue, _, run = Sources(folder / "home").open(path)
    return catalogue, run


def answer(task: Subtask | None, run: RunSql) -> dict[str, Any]:
    assert task is not None
    names, (row,) = run(task.arguments["query"], tuple(task.arguments["params"]))
    return dict(zip(names, row, strict=True))


def test_rows_without_a_partner_are_counted(shop: tuple[Catalogue, RunSql]) -> None:
    catalogue, run = shop
    found = answer(used_task(BY_CITY, catalogue, 10), run)
    assert (found["of orders"], found["without customers"]) == (10, 2)
    assert str(found["first time"])[:10] == "2024-01-01", "of the rows that remain"
    assert str(found["last time"])[:10] == "2024-08-01"


def test_it_does_not_matter_from_which_table_a_join_begins(
    shop: tuple[Catalogue, RunSql],
) -> None:
    catalogue, run = shop
    back = Relation(left=TO_CUSTOMERS.right, right=TO_CUSTOMERS.left, fans_out=True)
    turned = BY_CITY.model_copy(update={"base": "customers", "joins": (back,)})
    found = answer(used_task(turned, catalogue, 10), run)
    assert (found["of orders"], found["without customers"]) == (10, 2)


def test_what_is_neither_picked_nor_joined_is_not_counted(
    shop: tuple[Catalogue, RunSql],
) -> None:
    catalogue, _ = shop
    assert used_task(Intent(base="orders", measures=(NUMBER,)), catalogue, 10) is None


@pytest.mark.parametrize(
    ("limit", "offset", "place", "rows"), [(1, 0, 1, 1), (2, 0, 2, 2), (3, 0, 2, 2), (1, 1, 2, 2)]
)
def test_those_that_share_the_last_place_are_counted(
    limit: int, offset: int, place: int, rows: int, shop: tuple[Catalogue, RunSql]
) -> None:
    catalogue, run = shop
    top = BY_CITY.model_copy(update={"order": MOST_FIRST, "limit": limit, "offset": offset})
    found = answer(ties_task(top, render(top, catalogue), 10), run)
    assert (found["tied place"], found["tied rows"]) == (place, rows)


def test_without_a_limit_there_is_nothing_to_cut(shop: tuple[Catalogue, RunSql]) -> None:
    catalogue, _ = shop
    everything = BY_CITY.model_copy(update={"order": MOST_FIRST})
    assert ties_task(everything, render(everything, catalogue), 10) is None


def test_sums_that_rounding_alone_tells_apart_are_ties(
    shop: tuple[Catalogue, RunSql],
) -> None:
    _, run = shop
    added = "SELECT 'a' AS city, 0.1::DOUBLE + 0.2::DOUBLE + 0.3::DOUBLE AS \"total amount\""
    turned = "SELECT 'b', 0.3::DOUBLE + 0.2::DOUBLE + 0.1::DOUBLE"
    amounts = f"SELECT * FROM ({added} UNION ALL {turned} UNION ALL SELECT 'c', 9.0)"
    total = Measure(
        aggregate=Aggregate.SUM,
        table="orders",
        label="total amount",
        expression=Field(table="orders", column="amount"),
    )
    top = BY_CITY.model_copy(update={"measures": (total,), "order": MOST_FIRST, "limit": 2})
    query = Query(f'{amounts} ORDER BY "total amount" DESC LIMIT 2', (), ("city", "total amount"))
    found = answer(ties_task(top, query, 10), run)
    assert (found["tied place"], found["tied rows"]) == (2, 2)


def test_rows_lost_are_counted_where_groups_are_of_a_column_worked_out(
    shop: tuple[Catalogue, RunSql],
) -> None:
    catalogue, run = shop
    city = Reference(table="customers", column="city")
    folded = Definition(
        table="customers",
        column="city",
        text="spellings taken for one",
        term=Computed(function="one spelling", operands=(city,)),
    )
    found = answer(used_task(BY_CITY.model_copy(update={"defined": (folded,)}), catalogue, 10), run)
    assert (found["of orders"], found["without customers"]) == (10, 2)


def test_what_refers_to_nothing_is_without_what_it_would_refer_to(
    shop: tuple[Catalogue, RunSql],
) -> None:
    catalogue, run = shop
    alone = Membership(table="orders", related="customers", absent=True, path=(TO_CUSTOMERS,))
    query = render(Intent(base="orders", measures=(NUMBER,), filters=(alone,)), catalogue)
    assert run(query.text, query.params)[1] == [(2,)], "one of nobody, one of an unknown"
