"""ClickHouse for tests: chDB in a process of its own, since its library is one database a process
and takes signals for itself."""

from __future__ import annotations

import json
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from services.executor.engines.clickhouse.target import TARGET
from tests.engines.pushdown import chdb_server
from tests.engines.pushdown.emulators import python_of
from tests.engines.pushdown.world import inserts
from tests.engines.spark_world import write_shop_file

_TYPES = {
    "INTEGER": "Nullable(Int32)",
    "BIGINT": "Nullable(Int64)",
    "VARCHAR": "Nullable(String)",
    "DOUBLE": "Nullable(Float64)",
    "BOOLEAN": "Nullable(Bool)",
    "DATE": "Nullable(Date32)",
    "TIMESTAMP": "Nullable(DateTime64(6, 'UTC'))",
    "DECIMAL": "Nullable(Decimal(10, 2))",
}


@dataclass
class ClickHouse:
    """A server that runs."""

    port: int

    @property
    def url(self) -> str:
        return f"clickhouse://127.0.0.1:{self.port}/shop?sslmode=disable"

    def run(self, sql: str) -> str:
        """A statement of the tests' own. Raises urllib.error.HTTPError."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/", sql.encode()) as answer:
            return str(answer.read().decode())

    def told(self) -> dict[str, Any]:
        """What the server was sent, and which queries it was told to end."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/") as answer:
            found: dict[str, Any] = json.loads(answer.read())
            return found


_ENDING_SECONDS = 20.0


@contextmanager
def clickhouse_server(folder: Path) -> Iterator[ClickHouse]:
    """A server with the shop in it."""
    process = subprocess.Popen(
        [python_of("clickhouse"), chdb_server.__file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        running = ClickHouse(int(process.stdout.readline()))
        running.run("CREATE DATABASE shop")
        write_shop_file(folder / "shop.duckdb")
        create = "ENGINE = MergeTree ORDER BY tuple()"
        named = "shop.{}".format
        for statement in inserts(folder / "shop.duckdb", TARGET, named, _TYPES, create):
            running.run(statement)
        yield running
    finally:
        process.stdin.close()
        try:
            process.wait(_ENDING_SECONDS)
        except subprocess.TimeoutExpired:  # it still computes what a test had stopped
            process.kill()
            process.wait()
