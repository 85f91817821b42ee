"""BigQuery for tests: bqemulator, which reads its SQL and computes by a DuckDB of its own. What is
asked of it shows that statements are BigQuery's; what BigQuery makes of them it cannot."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from services.executor.databases.address import address_of
from services.executor.engines.bigquery.connect import BigQuerySessions
from services.executor.engines.bigquery.target import TARGET
from tests.engines.pushdown.emulators import emulator
from tests.engines.pushdown.world import inserts, write_shop

_TYPES = {
    "INTEGER": "INT64",
    "BIGINT": "INT64",
    "VARCHAR": "STRING",
    "DOUBLE": "FLOAT64",
    "BOOLEAN": "BOOL",
    "DATE": "DATE",
    "TIMESTAMP": "DATETIME",
    "DECIMAL": "NUMERIC(10, 2)",
}
CHANGES = ()


@dataclass
class FakeBigQuery:
    """An emulator that runs."""

    port: int

    @property
    def url(self) -> str:
        return f"bigquery://shop/d?endpoint=http://127.0.0.1:{self.port}"

    def run(self, *statements: str) -> None:
        """Statements of the tests' own."""
        with BigQuerySessions().open(address_of(self.url, {}, own=True), 60) as one:
            for statement in statements:
                one.rows(statement)


@contextmanager
def bigquery_emulator(folder: Path) -> Iterator[FakeBigQuery]:
    """An emulator with the shop in it."""
    with emulator("bigquery", "run_bigquery.py") as port:
        running = FakeBigQuery(port)
        write_shop(folder / "shop.duckdb", *CHANGES)
        statements = inserts(folder / "shop.duckdb", TARGET, "d.`{}`".format, _TYPES, "")
        running.run("CREATE SCHEMA d", *statements)
        yield running
