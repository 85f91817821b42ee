"""How fast does the executor try a hundred candidate queries?

A hundred small queries over one SQLite database, as the planner would write them, are probed
through the executor's own code: in query processes, as the service has them, and in this process.
Beside that plain DuckDB runs them over the same tables in this process, one after the other, with
nothing checked and nothing told of the rows. What the guard takes of it is told apart.

    python -m bench.probing [--json FILE]
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import psutil

from bench.measure import arguments, keep, milliseconds, print_table, repeated
from examples.retailer import write_retailer
from mesh.policy import Policy
from services.executor.databases.session import Sessions
from services.executor.domain.source import DataSource
from services.executor.engines.binding import bound
from services.executor.engines.duckdb.engine import DuckDBEngine
from services.executor.engines.duckdb.query_processes import QueryProcesses
from services.executor.engines.guard import guard
from services.executor.engines.postgres.engine import PostgresEngine
from services.executor.engines.quick_guard import quickly_guarded
from services.executor.engines.workspace import WorkspacePool, flat_tables
from services.executor.probing.outcome import Candidate, Limits, State
from services.executor.probing.prober import Prober
from services.executor.sources.library import SourceLibrary
from services.executor.sources.prepared import PreparedSource

NORTHWIND = Path(__file__).resolve().parents[2] / "shared" / "data" / "databases"
TARGET_MS, ROUNDS = 150.0, 9
_OPEN = Policy()
_LIMITS = Limits(seconds=10.0, each=5.0)


class Shape:
    """Names of a database by which readings of one question differ."""

    def __init__(
        self, facts: str, measures: str, groups: str, when: str, to: str, key: str
    ) -> None:
        self.facts, self.when, self.to, self.key = facts, when, to, key
        self.measures, self.groups = measures.split(), groups.split()

    def candidates(self) -> list[Candidate]:
        """A hundred: a fifth listed, a fifth joined, the others grouped and filtered."""
        found = [
            Candidate(
                f'SELECT "f"."{group}" AS "{group}", {function}("f"."{measure}") AS "value" '
                f'FROM "{self.facts}" AS "f" WHERE "f"."{self.when}" {sign} ? '
                f'GROUP BY "f"."{group}" ORDER BY "value" DESC NULLS LAST LIMIT 10',
                ("1997-06-01",),
            )
            for function, measure, group, sign in product(
                ("SUM", "AVG", "MAX", "COUNT"), self.measures, self.groups, (">=", "<", "<>")
            )
        ][:60]
        found += [
            Candidate(
                f'SELECT "t"."{self.key}", COUNT(*) AS "n" FROM "{self.facts}" AS "f" '
                f'JOIN "{self.to}" AS "t" ON "f"."{self.key}" = "t"."{self.key}" '
                f'WHERE "f"."{self.measures[0]}" > ? GROUP BY "t"."{self.key}"',
                (limit,),
            )
            for limit in range(20)
        ]
        found += [
            Candidate(
                f'SELECT DISTINCT "{group}" FROM "{self.facts}" WHERE "{measure}" BETWEEN ? AND ?',
                (low, low + 50),
            )
            for group, measure, low in product(self.groups, self.measures, range(0, 400, 10))
        ][:20]
        return found


SHAPES = {
    "northwind": Shape(
        "Orders",
        "Freight OrderID",
        "ShipCountry ShipCity EmployeeID ShipVia CustomerID",
        "OrderDate",
        "Customers",
        "CustomerID",
    ),
    "shop": Shape(
        "orders",
        "shipping_fee order_id",
        "region channel customer_id",
        "order_date",
        "customers",
        "customer_id",
    ),
}


def measured(path: Path, shape: Shape, home: Path) -> dict[str, Any]:
    """Milliseconds of each way for one database."""
    source = SourceLibrary(home).open(DataSource(file_path=str(path)))
    candidates = shape.candidates()
    tables = [table.known for table in flat_tables([source], _OPEN)]
    statements = [(one.sql, one.parameters) for one in candidates]
    plain = [bound(one.sql, one.parameters) for one in candidates]
    one, two = (DuckDBEngine(processes=QueryProcesses(most=most)) for most in (1, 2))
    here = DuckDBEngine()
    ways: dict[str, Callable[[], object]] = {
        "plain DuckDB": lambda: _plain(source, plain),
        "probed, one process": lambda: _probed(one, source, candidates),
        "probed, two processes": lambda: _probed(two, source, candidates),
        "probed in this process": lambda: _probed(here, source, candidates),
        "of it the guard": lambda: quickly_guarded(statements, tables, _OPEN, _LIMITS.rows),
        "the guard of sql.run": lambda: [guard(sql, tables, _LIMITS.rows) for sql, _ in statements],
    }
    _both_started(two, source)
    taken: dict[str, list[float]] = {name: [] for name in ways}
    used = dict.fromkeys(ways, 0.0)
    try:
        for number in range(ROUNDS + 1):  # in turns, so that all see the same machine
            for name, way in ways.items():
                if not number:
                    way()
                    continue
                before = _cpu_seconds()
                taken[name] += repeated(way, 1)
                used[name] += _cpu_seconds() - before
    finally:
        one.close()
        two.close()
    return {
        name: {**milliseconds(times), "cpu_ms": round(used[name] / ROUNDS * 1e3, 1)}
        for name, times in taken.items()
    }


def _cpu_seconds() -> float:
    """Of this process and those it started: what a busy machine stretches least."""
    family = [psutil.Process(), *psutil.Process().children(recursive=True)]
    return sum(sum(process.cpu_times()[:2]) for process in family)


def _both_started(engine: DuckDBEngine, source: PreparedSource) -> None:
    """Have two processes, as an executor has that was once asked two things at a time."""
    together = threading.Barrier(2)

    def ask() -> None:
        together.wait()
        engine.query(
            [source],
            "SELECT 1 AS one",
            row_limit=1,
            seconds=60.0,
            cancelled=threading.Event(),
            policy=_OPEN,
        )

    asking = [threading.Thread(target=ask) for _ in range(2)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()


_POOL = WorkspacePool()


def _plain(source: PreparedSource, statements: Sequence[str]) -> None:
    with _POOL.get([source], _OPEN).cursor() as cursor:
        for statement in statements:
            cursor.execute(statement).fetchall()


def _probed(engine: DuckDBEngine, source: PreparedSource, candidates: list[Candidate]) -> None:
    prober = Prober(engine, {"postgres": PostgresEngine(Sessions())})
    found = prober.probe([source], candidates, _LIMITS, _OPEN, threading.Event())
    missed = [outcome for outcome in found if outcome.state is not State.OK]
    if missed:
        raise RuntimeError(f"a candidate was not probed: {missed[0]}")


def main() -> None:
    """Measure and print."""
    options = arguments("probing", __doc__).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "home").mkdir()
        path, name = NORTHWIND / "northwind.sqlite", "northwind"
        if not path.exists():
            write_retailer(home)
            path, name = home / "shop.sqlite", "shop"
        figures = measured(path, SHAPES[name], home / "home")
    base = figures["plain DuckDB"]
    rows = [
        (
            way,
            value["median_ms"],
            value["fastest_ms"],
            value["slowest_ms"],
            value["median_ms"] / base["median_ms"],
            value["cpu_ms"],
            value["cpu_ms"] / base["cpu_ms"],
        )
        for way, value in figures.items()
    ]
    head = ("100 candidates", "median ms", "fastest", "slowest", "ratio", "CPU ms", "ratio")
    print_table(f"{name}: target {TARGET_MS:g} ms", head, rows)
    keep(figures, options.json)


if __name__ == "__main__":
    main()
