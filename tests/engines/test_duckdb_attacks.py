"""Attacks on the embedded engine where it runs: in a query process, with its files looked at."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest

from mesh.digest import file_digest
from mesh.policy import Policy
from mesh.tool import ErrorCategory, ToolError
from services.executor.engines.duckdb.engine import DuckDBEngine
from services.executor.engines.duckdb.query_processes import QueryProcesses
from tests.engines.spark_world import opened
from tests.engines.world import Place
from tests.unit.executor.source_help import shared, write_shop
from tests.unit.executor.sql_attacks import BOTH_WALLS, GUARD_ALONE

REFUSALS = {
    ErrorCategory.POLICY_DENIED,
    ErrorCategory.MISSING_COLUMN,
    ErrorCategory.SQL_SYNTAX,
}
# Some read what the process knows of itself; no attack may change it for those who come after.
STATE = (
    "SELECT name, value FROM duckdb_settings() ORDER BY name",
    "SELECT database_name, schema_name, view_name FROM duckdb_views() WHERE NOT internal",
    "SELECT database_name, table_name, estimated_size FROM duckdb_tables()",
    "SELECT function_name FROM duckdb_functions() WHERE NOT internal",
    "SELECT database_name, readonly FROM duckdb_databases()",
    "SELECT name FROM duckdb_variables()",
)


@dataclass(frozen=True)
class Fortress:
    """A shop, the process that answers for it, and the folder all of it lies in."""

    place: Place
    processes: QueryProcesses
    folder: Path

    def spelled(self, attack: str) -> str:
        source, out = self.folder / "shop.sqlite", self.folder / "loot"
        return attack.replace("{out}", str(out)).replace("{source}", str(source))

    def unguarded(self, statement: str) -> pa.Table:
        """What the process makes of a statement that no guard has seen."""
        return self.processes.run(
            self.place.sources,
            Policy(),
            False,
            statement,
            [],
            row_limit=100_000,
            byte_limit=1 << 30,
            seconds=5.0,
            cancelled=threading.Event(),
        )

    def snapshot(self) -> dict[str, str]:
        """Every file with its digest, and what the process says of itself."""
        files = (path for path in sorted(self.folder.rglob("*")) if path.is_file())
        return {
            **{str(path): file_digest(path) for path in files},
            **{question: str(self.unguarded(question).to_pylist()) for question in STATE},
        }


@pytest.fixture(scope="module")
def fortress(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fortress]:
    folder = tmp_path_factory.mktemp("fortress")
    processes = QueryProcesses("512MB", 1)
    engine = DuckDBEngine(processes=processes)
    place = Place(engine, [opened(write_shop(folder), folder / "home")])
    yield Fortress(place, processes, folder)
    engine.close()


def test_every_attack_is_refused_before_the_process(fortress: Fortress) -> None:
    before = fortress.snapshot()
    for attack in BOTH_WALLS + GUARD_ALONE:
        with pytest.raises(ToolError) as refusal:
            fortress.place.ask(fortress.spelled(attack))
        assert refusal.value.category in REFUSALS, attack
    assert fortress.snapshot() == before


def test_the_process_refuses_too_and_nothing_changes(fortress: Fortress) -> None:
    before = fortress.snapshot()
    assert "enable_external_access" in before[STATE[0]]
    for attack in BOTH_WALLS:
        with pytest.raises(ToolError):
            fortress.unguarded(fortress.spelled(attack))
        assert not (fortress.folder / "loot").exists(), attack
    assert fortress.snapshot() == before


def test_published_payloads_change_nothing_even_without_the_guard(fortress: Fortress) -> None:
    before = fortress.snapshot()
    for file in sorted(shared("sql_attacks").glob("*.txt")):
        for payload in file.read_text(errors="replace").splitlines():
            for statement in (payload, f"SELECT * FROM orders WHERE note = '{payload}"):
                try:
                    fortress.unguarded(statement)
                except ToolError as refusal:
                    assert refusal.category is not ErrorCategory.INTERNAL, statement
    assert fortress.snapshot() == before
    rows = fortress.place.ask("SELECT sum(amount) AS s FROM orders").to_pylist()
    assert rows == [{"s": 90.75}]
