"""The shop in a server that a `Target` speaks to, and as the executor has it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path

import duckdb

from services.executor.databases.copying import Copies
from services.executor.databases.library import DatabaseLibrary
from services.executor.domain.source import DataSource
from services.executor.engines.duckdb.engine import DuckDBEngine
from services.executor.engines.engines import Engines
from services.executor.engines.pushed_down import PushedDown
from services.executor.pushdown.target import Target
from tests.engines.spark_world import TABLES, opened, write_shop_file
from tests.engines.world import Place


@contextmanager
def places(kind: str, url: str, folder: Path, *changes: str) -> Iterator[dict[str, Place]]:
    """The shop as the server and as DuckDB read it, and as whoever chooses between them does.

    `changes` are statements that make the file hold what the server could take.
    """
    write_shop(folder / "shop.duckdb", *changes)
    file = opened(folder / "shop.duckdb", folder / "home")
    library = DatabaseLibrary(
        folder / "databases", own_surroundings=True, kept_seconds=0, connections={"shop": url}
    )
    database = library.open(DataSource(connection_string="connection://shop"))
    duck, copies = DuckDBEngine(), Copies(library.sessions)
    engines = PushedDown(library.sessions, 1 << 30)
    yield {
        "duckdb": Place(duck, [file]),
        "there": Place(engines[kind], [database]),
        "chosen": Place(Engines(duck, engines, copies), [database]),
        "copies": Place(Engines(duck, engines, copies, forced="duckdb"), [database]),
    }
    duck.close()
    library.close()


def write_shop(place: Path, *changes: str) -> None:
    """The shop as a DuckDB file, changed by these statements."""
    write_shop_file(place)
    with duckdb.connect(str(place)) as shop:
        for change in changes:
            shop.execute(change)


def inserts(
    shop: Path, target: Target, named: Callable[[str], str], types: dict[str, str], create: str
) -> Iterator[str]:
    """Statements that make the tables of a shop, in another database's words. `create` ends a
    CREATE TABLE, `named` gives a table's place."""
    with duckdb.connect(str(shop), read_only=True) as file:
        for table in TABLES:
            columns = file.execute(f"DESCRIBE {table}").fetchall()
            cells = ", ".join(
                f"{target.quoted(row[0])} {types.get(row[1].partition('(')[0], row[1])}"
                for row in columns
            )
            yield f"CREATE TABLE {named(table)} ({cells}) {create}"
            rows = file.execute(f"SELECT * FROM {table}").fetchall()
            values = ", ".join(
                f"({', '.join(written(cell, target) for cell in row)})" for row in rows
            )
            if rows:
                yield f"INSERT INTO {named(table)} VALUES {values}"


def written(cell: object, target: Target) -> str:
    """A value as a literal that every database reads."""
    if cell is None:
        return "NULL"
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if (isinstance(cell, float) and cell in (float("inf"), float("-inf"))) or cell != cell:
        return f"'{str(cell).lower()}'"
    if isinstance(cell, (int, float, Decimal)):
        return str(cell)
    if isinstance(cell, dt.datetime):
        return f"'{cell.strftime('%Y-%m-%d %H:%M:%S.%f')}'"
    return target.literal(str(cell))
