"""Snowflake for tests: fakesnow, which reads its SQL and computes by a DuckDB of its own. What is
asked of it shows that statements are Snowflake's; what Snowflake makes of them it cannot."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from services.executor.databases.address import address_of
from services.executor.engines.snowflake.connect import SnowflakeSessions
from services.executor.engines.snowflake.target import TARGET
from tests.engines.pushdown.emulators import emulator
from tests.engines.pushdown.world import inserts, write_shop

_TYPES = {
    "INTEGER": "INT",
    "BIGINT": "BIGINT",
    "VARCHAR": "VARCHAR",
    "DOUBLE": "DOUBLE",
    "BOOLEAN": "BOOLEAN",
    "DATE": "DATE",
    "TIMESTAMP": "TIMESTAMP_NTZ",
    "DECIMAL": "NUMBER(10, 2)",
}
# The emulator's driver gives the first of January 1970 for a time that is not there.
CHANGES = (
    "UPDATE edges SET moment = '2000-01-01' WHERE moment IS NULL",
    "UPDATE kinds SET moment = '2000-01-01' WHERE moment IS NULL",
)


@dataclass
class FakeSnowflake:
    """An emulator that runs."""

    port: int

    @property
    def url(self) -> str:
        return f"snowflake://ann:secret@127.0.0.1:{self.port}/SHOP?sslmode=disable&account=fake"

    def run(self, *statements: str) -> None:
        """Statements of the tests' own."""
        with SnowflakeSessions().open(
            address_of(self.url, {"password": "secret"}, own=True), 60
        ) as one:
            for statement in statements:
                one.rows(statement)


@contextmanager
def snowflake_emulator(folder: Path) -> Iterator[FakeSnowflake]:
    """An emulator with the shop in it."""
    with emulator("snowflake", "run_snowflake.py") as port:
        running = FakeSnowflake(port)
        write_shop(folder / "shop.duckdb", *CHANGES)
        named = 'SHOP.PUBLIC."{}"'.format
        statements = inserts(folder / "shop.duckdb", TARGET, named, _TYPES, "")
        running.run("CREATE SCHEMA IF NOT EXISTS SHOP.PUBLIC", *statements)
        yield running
