"""What is counted over all rows beside an answer is the same wherever the rows lie."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from services.executor.domain.source import DataSource
from services.executor.engines.duckdb.engine import DuckDBEngine
from services.executor.sources.library import SourceLibrary
from services.planner.domain.catalogue import Catalogue, Column, ColumnRole, DataType, Table
from services.planner.domain.drafting.counted_ranges import counted_ranges, counted_spread
from services.planner.domain.drafting.ties import ties_task
from services.planner.domain.plan import Subtask
from services.planner.domain.query.intent import (
    Aggregate,
    ChartType,
    Dimension,
    Field,
    Intent,
    Measure,
    Order,
    Relation,
)
from services.planner.domain.query.planning.rows_used import used_task
from services.planner.domain.query.planning.samples import counted, sampled
from services.planner.domain.query.planning.sql import Query, render
from tests.engines.test_same_frames import assert_same
from tests.engines.world import Place
from tests.reading import READERS

SHOP = Catalogue(
    tables=(
        Table(
            name="customers",
            source_name="shop",
            rows=6,
            primary_key=("customer_id",),
            columns=(
                Column(name="customer_id", data_type=DataType.INTEGER, role=ColumnRole.ID),
                Column(name="name", data_type=DataType.STRING, role=ColumnRole.DIMENSION),
                Column(name="city", data_type=DataType.STRING, role=ColumnRole.DIMENSION),
            ),
        ),
        Table(
            name="orders",
            source_name="shop",
            rows=120,
            primary_key=("order_id",),
            columns=(
                Column(name="order_id", data_type=DataType.INTEGER, role=ColumnRole.ID),
                Column(name="customer_id", data_type=DataType.INTEGER, role=ColumnRole.ID),
                Column(name="ordered_at", data_type=DataType.DATETIME, role=ColumnRole.TIMESTAMP),
                Column(name="amount", data_type=DataType.FLOAT, role=ColumnRole.MEASURE),
                Column(name="price", data_type=DataType.FLOAT, role=ColumnRole.MEASURE),
                Column(name="quantity", data_type=DataType.INTEGER, role=ColumnRole.MEASURE),
            ),
        ),
    ),
)
TO_CUSTOMERS = Relation(
    left=Field(table="orders", column="customer_id"),
    right=Field(table="customers", column="customer_id"),
)
CITY = Dimension(expression=Field(table="customers", column="city"), label="city")
NUMBER = Measure(aggregate=Aggregate.COUNT, table="orders", label="number of orders")
TOP = Intent(
    base="orders",
    measures=(NUMBER,),
    dimensions=(CITY,),
    joins=(TO_CUSTOMERS,),
    limit=2,
    order=(Order(target="measure", descending=True), Order(target="dimension")),
)


def spread_of(column: str) -> Query:
    raw = Measure(
        aggregate=None,
        table="orders",
        expression=Field(table="orders", column=column),
        label=column,
        additive=False,
    )
    intent = Intent(base="orders", measures=(raw,), chart=ChartType.HISTOGRAM)
    return render(intent, SHOP)


def of_task(task: Subtask | None) -> Query:
    assert task is not None
    return Query(task.arguments["query"], tuple(task.arguments["params"]), ())


ASKED = {
    **{f"ranges of {c}": counted_ranges(spread_of(c), c) for c in ("amount", "price", "quantity")},
    **{
        f"quartiles of {c}": of_task(counted_spread(spread_of(c), c, 10))
        for c in ("amount", "price", "quantity")
    },
    "values there are": counted(spread_of("amount")),
    "ties": of_task(ties_task(TOP, render(TOP, SHOP), 10)),
    "rows used": of_task(used_task(TOP, SHOP, 10)),
}


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("engine", ["postgres", "chosen", "copies"])
def test_postgresql_counts_as_files_do(asked: str, engine: str, places: dict[str, Place]) -> None:
    query = ASKED[asked]
    expected = places["duckdb"].ask(query.text, query.params)
    assert expected.num_rows
    assert_same(expected, places[engine].ask(query.text, query.params))


@pytest.mark.parametrize("engine", ["duckdb", "postgres", "copies"])
def test_a_sample_is_even_and_says_of_how_many(engine: str, places: dict[str, Place]) -> None:
    query = sampled(spread_of("price"), 30)
    found = places[engine].ask(query.text, query.params)
    assert 24 <= found.num_rows <= 30
    assert set(found.column("rows in all").to_pylist()) == {120}


@pytest.fixture(scope="module")
def small_file(
    places: dict[str, Place], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    """The same orders in a file of SQLite, as its engine reads them."""
    folder = tmp_path_factory.mktemp("sqlite")
    path: Path = folder / "shop.sqlite"
    with sqlite3.connect(path) as shop:
        for table in ("customers", "orders"):
            names = [column.name for column in SHOP.tables[table == "orders"].columns]
            rows = places["duckdb"].ask(f"SELECT {', '.join(names)} FROM {table}").to_pylist()
            shop.execute(f"CREATE TABLE {table} ({', '.join(map(_declared, names))})")
            marks = ", ".join("?" * len(names))
            shop.executemany(
                f"INSERT INTO {table} VALUES ({marks})",
                [[_stored(row[name]) for name in names] for row in rows],
            )
    library = SourceLibrary(folder / "home", processes=READERS)
    source = library.open(DataSource(file_path=str(path)))
    duck = DuckDBEngine()
    yield Place(duck, [source])
    duck.close()


def _declared(name: str) -> str:
    kinds = {"ordered_at": "timestamp", "amount": "real", "price": "real"}
    texts = {"name": "text", "city": "text"}
    return f"{name} {(kinds | texts).get(name, 'integer')}"


def _stored(value: Any) -> Any:
    plain = value is None or isinstance(value, int | float | str)
    return value if plain else float(value) if hasattr(value, "as_tuple") else str(value)


@pytest.mark.parametrize("asked", ASKED)
def test_sqlite_counts_as_files_do(asked: str, small_file: Place, places: dict[str, Place]) -> None:
    query = ASKED[asked]
    expected = places["duckdb"].ask(query.text, query.params)
    assert_same(expected, small_file.ask(query.text, query.params))
