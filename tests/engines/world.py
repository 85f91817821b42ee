"""The same small shop in every place an engine reads from."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import duckdb
import pyarrow as pa
from adbc_driver_postgresql import dbapi as postgres
from sqlalchemy import make_url

from mesh.policy import Policy
from services.executor.databases.library import DatabaseLibrary
from services.executor.domain.source import DataSource
from services.executor.sources.library import SourceLibrary
from services.executor.sources.prepared import PreparedSource
from tests.engines import edges, kinds
from tests.reading import READERS

SHOP = (
    "CREATE TABLE customers (customer_id integer PRIMARY KEY, name varchar(40) NOT NULL,"
    " email text, city text, joined date, vip boolean)",
    "CREATE TABLE orders (order_id integer PRIMARY KEY, customer_id integer REFERENCES customers,"
    " ordered_at timestamp, amount double precision, price numeric(10,2), quantity bigint,"
    " note text)",
    "CREATE TABLE empty_orders (order_id integer, amount double precision)",
    "INSERT INTO customers VALUES"
    " (1, 'Ada', 'ada@example.org', 'London', '2020-01-05', true),"
    " (2, 'Blaise', 'blaise@example.org', 'Paris', '2020-02-06', false),"
    " (3, 'carl', 'carl@example.org', 'Braunschweig', '2021-03-07', NULL),"
    " (4, 'Élodie', NULL, 'Évry', '2021-12-31', true),"
    " (5, 'zoë_%', 'zoe@example.com', 'london', NULL, false),"
    " (6, 'Ödön', 'odon@example.com', NULL, '2024-02-29', false)",
    "INSERT INTO orders SELECT i, 1 + i % 5, timestamp '2021-01-01 10:00:00' + i * interval"
    " '31 hours 7 minutes 3 seconds', CASE WHEN i % 11 = 0 THEN NULL ELSE (i * 37 % 101) / 4.0 END,"
    " (i * 13 % 997) / 100.0, i % 7 - 2, CASE i % 6 WHEN 0 THEN NULL WHEN 1 THEN 'gift'"
    " WHEN 2 THEN 'call ada@example.org' WHEN 3 THEN 'Gift No. ' || i WHEN 4 THEN ''"
    " ELSE 'ÄÖ ' || i END FROM generate_series(1, 120) i",
    *edges.TABLE,
    *kinds.TABLE,
    "ANALYZE",
)


class Asks(Protocol):
    """Whatever answers like an engine."""

    def query(
        self,
        sources: Sequence[PreparedSource],
        sql: str,
        parameters: Sequence[Any] = (),
        *,
        row_limit: int,
        seconds: float,
        cancelled: threading.Event,
        policy: Policy,
    ) -> pa.Table: ...


@dataclass
class Place:
    """An engine with the sources it reads."""

    engine: Asks
    sources: list[PreparedSource]

    def ask(
        self,
        sql: str,
        parameters: Sequence[Any] = (),
        *,
        policy: Policy | None = None,
        row_limit: int = 10_000,
        seconds: float = 60.0,
        cancelled: threading.Event | None = None,
    ) -> pa.Table:
        return self.engine.query(
            self.sources,
            sql,
            parameters,
            row_limit=row_limit,
            seconds=seconds,
            cancelled=cancelled or threading.Event(),
            policy=policy or Policy(),
        )


def uri_of(sqlalchemy_url: str, **changes: str) -> str:
    """The URL that libpq takes, of one that SQLAlchemy takes."""
    url = make_url(sqlalchemy_url)
    folder, _, name = str(url.query["unix_sock"]).rpartition("/")
    user, database = changes.get("user", "postgres"), changes.get("database", url.database)
    port = name.rpartition(".")[2]
    return f"postgresql://{user}@/{database}?host={folder}" + f"&port={port}" * (port != "5432")


def run(uri: str, *statements: str) -> list[tuple[Any, ...]]:
    """Run statements as whoever the URI names; the rows of the last that has any."""
    rows: list[tuple[Any, ...]] = []
    with postgres.connect(uri, autocommit=True) as connection, connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
            if cursor.description:
                rows = cursor.fetchall()
    return rows


def write_shop(uri: str) -> None:
    run(uri, *SHOP)


def shop_as_file(uri: str, folder: Path) -> PreparedSource:
    """The shop as a DuckDB file."""
    place = folder / "shop.duckdb"
    with (
        duckdb.connect(str(place)) as file,
        postgres.connect(uri) as connection,
        connection.cursor() as cursor,
    ):
        for table in ("customers", "orders", "empty_orders", "edges", "kinds"):
            cursor.execute(f"SELECT * FROM {table}")
            rows = _plain(cursor.fetch_arrow_table())
            file.register("rows", rows)
            file.execute(f"CREATE TABLE {table} AS SELECT * FROM rows")
    return SourceLibrary(folder / "home", processes=READERS).open(DataSource(file_path=str(place)))


def open_database(uri: str, home: Path) -> tuple[DatabaseLibrary, PreparedSource]:
    library = DatabaseLibrary(home, own_surroundings=True, kept_seconds=0)
    return library, library.open(DataSource(connection_string=uri))


def _plain(table: pa.Table) -> pa.Table:
    """Without what the driver says of types; decimal numbers, which come as text, as such."""
    columns = [
        pa.chunked_array([chunk.storage for chunk in column.chunks], pa.string()).cast(
            pa.decimal128(10, 2)
        )
        if isinstance(column.type, pa.BaseExtensionType)
        else column
        for column in table.columns
    ]
    return pa.table(columns, names=table.column_names)
