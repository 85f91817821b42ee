"""A small shop in a SQLite file, and the few lines that open and ask it."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from mesh.policy import Policy
from services.executor.domain.source import DataSource
from services.executor.engines.duckdb.engine import DuckDBEngine
from services.executor.engines.workspace import WorkspacePool
from services.executor.sources.library import SourceLibrary
from services.executor.sources.prepared import PreparedSource
from tests.reading import READERS

PROCESSES = READERS
ENGINE = DuckDBEngine(WorkspacePool(memory_limit="512MB"))
SHARED_DATA = Path(__file__).resolve().parents[4] / "shared" / "data"

SHOP = """
CREATE TABLE customers (
    customer_id INTEGER PRIMARY KEY, name TEXT, email TEXT, city TEXT, joined DATE
);
CREATE TABLE orders (
    order_id INTEGER PRIMARY KEY,
    customer_id INTEGER REFERENCES customers (customer_id),
    ordered_at DATETIME, amount REAL, note TEXT
);
INSERT INTO customers VALUES
    (1, 'Ada', 'ada@example.org', 'London', '2020-01-05'),
    (2, 'Blaise', 'blaise@example.org', 'Paris', '2020-02-06'),
    (3, 'Carl', 'carl@example.org', 'Braunschweig', '2021-03-07');
INSERT INTO orders VALUES
    (10, 1, '2021-01-01 10:00:00', 10.5, 'call ada@example.org'),
    (11, 1, '2021-01-02 11:00:00', 20.25, NULL),
    (12, 2, '2021-02-03 12:00:00', 30.0, 'gift'),
    (13, 2, '2021-02-04 13:00:00', 30.0, 'gift');
"""


def shared(*parts: str) -> Path:
    """A file beside the checkout; the test is skipped where it is not there."""
    path = SHARED_DATA.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{'/'.join(parts)} is not beside this checkout")
    return path


def write_shop(folder: Path) -> Path:
    path = folder / "shop.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(SHOP)
    connection.close()
    return path


def open_file(home: Path, path: Path, **fields: Any) -> PreparedSource:
    return SourceLibrary(home, processes=PROCESSES).open(DataSource(file_path=str(path), **fields))


def open_text(home: Path, file_name: str, content: str | bytes, **fields: Any) -> PreparedSource:
    path = home / file_name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return open_file(home, path, **fields)


def ask(
    sources: PreparedSource | Sequence[PreparedSource],
    sql: str,
    parameters: Sequence[Any] = (),
    *,
    policy: Policy | None = None,
    row_limit: int = 1_000,
    seconds: float = 20.0,
    cancelled: threading.Event | None = None,
) -> pa.Table:
    listed = [sources] if isinstance(sources, PreparedSource) else list(sources)
    return ENGINE.query(
        listed,
        sql,
        parameters,
        row_limit=row_limit,
        seconds=seconds,
        cancelled=cancelled or threading.Event(),
        policy=policy or Policy(),
    )


def types_of(prepared: PreparedSource) -> dict[str, str]:
    return {column.name: column.type for column in prepared.tables[0].columns}


def rows_of(source: PreparedSource) -> list[dict[str, Any]]:
    """Every row of the first table."""
    rows: list[dict[str, Any]] = ask(source, f'SELECT * FROM "{source.tables[0].name}"').to_pylist()
    return rows


def aside_of(source: PreparedSource) -> list[tuple[Any, ...]]:
    """What was kept aside: line, column and content."""
    with duckdb.connect(str(source.database), read_only=True) as connection:
        return connection.execute(
            "SELECT line, column_name, content FROM _assay_rejected ORDER BY line"
        ).fetchall()


def decided(source: PreparedSource, subject: str, column: str = "") -> str:
    """What was decided about a subject while reading."""
    return next(
        d.value for d in source.decisions if d.subject == subject and d.column in ("", column)
    )
