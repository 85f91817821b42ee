"""What does recognising cost, against plain expressions evaluated by the database?

200,000 rows with four columns of text: sentences of which one in a hundred holds an address,
codes, telephone numbers, and names of a few. The expressions are those that find plain forms of
the same six kinds and nothing else; they miss what `bench.masking_forms` tells of.

    python -m bench.masking
"""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path
from time import perf_counter

import duckdb

from mesh.policy import NAMED_PATTERNS, Policy
from services.executor.domain.source import DataSource
from services.executor.engines.duckdb.engine import DuckDBEngine
from services.executor.engines.workspace import WorkspacePool
from services.executor.sources.library import SourceLibrary
from services.executor.sources.processes import reader_processes

ROWS = 200_000
COLUMNS = {
    "note": "CASE WHEN i % 100 = 0 THEN 'write to user' || (i % 5000) || '@example.org' "
    "ELSE 'order ' || (i % 9000) || ' was sent, paid and signed for' END",
    "code": "'ORD-2021-' || lpad((i % 40000)::VARCHAR, 6, '0')",
    "reached": "'+49 30 ' || (1000000 + i % 2000)",
    "city": "'city number ' || (i % 50)",
}
PLAIN = (
    r"[a-z0-9._%+-]+@[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}",
    r"\+\d{1,3}([ ./-]?\(?\d{1,5}\)?){2,5}|\(\d{2,5}\) ?\d{3,4}[ .-]?\d{3,4}"
    r"|\b\d{3}[ .-]\d{3}[ .-]\d{4}\b|\b0\d{2,4}[ /-]\d{3,4}[ -]?\d{3,4}\b|\b0\d([ .-]\d{2}){4}\b",
    r"\b\d{3}-\d{2}-\d{4}\b",
    r"\b\d{4}[ -]?\d{4}[ -]?\d{4}[ -]?\d{1,7}\b",
    r"\b[a-z]{2}\d{2} ?([a-z0-9]{4} ?){2,7}[a-z0-9]{1,4}\b",
    r"\b((25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(25[0-5]|2[0-4]\d|1?\d?\d)\b",
)
QUESTION = "SELECT {column}, count(*) AS n FROM t GROUP BY ALL"


def main() -> None:
    """Print seconds and their ratio for each column: the best of three, after one to warm up."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.parquet"
        cells = ", ".join(f"{sql} AS {name}" for name, sql in COLUMNS.items())
        duckdb.sql(f"COPY (SELECT {cells} FROM range({ROWS}) r(i)) TO '{path}' (FORMAT parquet)")
        library = SourceLibrary(Path(folder) / "home", processes=reader_processes())
        source = library.open(DataSource(file_path=str(path)))
        library.close()
        policy = Policy(blocked_patterns=NAMED_PATTERNS)
        rows = f"read_parquet('{source.file(source.tables[0])}')"
        plain = duckdb.connect(config={"threads": "1"})
        for name in COLUMNS:
            tests = " OR ".join(f"regexp_matches({name}, '{one}', 'i')" for one in PLAIN)
            masked = f"CASE WHEN {tests} THEN '[blocked:' || md5({name})[:16] ELSE {name} END"
            before = _best(
                plain, QUESTION.format(column=f"{masked} AS c").replace(" t ", f" {rows} ")
            )
            first, after = _engine(source, policy, QUESTION.format(column=name))
            print(
                f"{name:8} expressions {before:.3f} s   recognisers {after:.3f} s "
                f"(x {after / before:.2f}), the first time {first:.3f} s (x {first / before:.2f})"
            )


def _best(connection: duckdb.DuckDBPyConnection, sql: str) -> float:
    connection.execute(sql).to_arrow_table()
    return min(_timed(lambda: connection.execute(sql).to_arrow_table()) for _ in range(3))


def _engine(source: object, policy: Policy, sql: str) -> tuple[float, float]:
    engine = DuckDBEngine(WorkspacePool())

    def ask() -> None:
        engine.query(
            [source],  # type: ignore[list-item]
            sql,
            row_limit=ROWS,
            seconds=600,
            cancelled=threading.Event(),
            policy=policy,
        )

    first = _timed(ask)
    return first, min(_timed(ask) for _ in range(3))


def _timed(work: object) -> float:
    begun = perf_counter()
    work()  # type: ignore[operator]
    return perf_counter() - begun


if __name__ == "__main__":
    main()
