"""Statistics of columns from the first rows of each table, which are looked at here.

How many rows there are, and the first and the last day, is asked of all rows, as long as there is
time: whoever says that a period lies outside the data has to know.
"""

from __future__ import annotations

import threading
import time
from functools import partial

import duckdb
import pyarrow as pa

from services.executor.databases.digits import judged
from services.executor.databases.found import Catalogue
from services.executor.databases.live import Relation
from services.executor.databases.statistics import unknown
from services.executor.pushdown.received import in_types, of_relation
from services.executor.pushdown.relation import whole_sql
from services.executor.pushdown.session import PushedSession
from services.executor.pushdown.target import Target
from services.executor.sources.digits import VALUES, alike, is_number, number_as_text
from services.executor.sources.manifest import ColumnStatistics, StoredTable
from services.executor.sources.measuring import column_statistics
from services.executor.sources.sql import quoted

Errors = tuple[type[Exception], ...]
_SAMPLE_ROWS = 10_000
_SAMPLE_SECONDS = 2.0
_MOST_SAMPLED = 40
_SECONDS_FOR_ALL_ROWS = 4.0
_DAYS = frozenset(("DATE", "TIMESTAMP"))


def add_statistics(
    target: Target, found: Catalogue, session: PushedSession, errors: Errors
) -> None:
    """Put row counts and statistics into the tables of a catalogue."""
    until = time.monotonic() + _SECONDS_FOR_ALL_ROWS
    asking = _Asking(target, session, errors)
    tables = []
    for number, table in enumerate(found.tables):
        relation = found.relations[table.name]
        sample = asking.sample(relation) if number < _MOST_SAMPLED else None
        if sample is None:
            statistics = {column.name: unknown(table.rows) for column in table.columns}
            tables.append(table.model_copy(update={"statistics": statistics}))
            continue
        with duckdb.connect(":memory:", config={"threads": "1"}) as here:
            here.register("sample", sample)
            known = _measured(asking, here, table, relation, sample.num_rows, until)
            tables.append(judged(known, partial(_digits, here, known), until + _SAMPLE_SECONDS))
    found.tables = list(alike(tables))


class _Asking:
    """What is asked of a database for its statistics, each for a short time."""

    def __init__(self, target: Target, session: PushedSession, errors: Errors) -> None:
        self._target, self._session, self._errors = target, session, errors

    def sample(self, relation: Relation) -> pa.Table | None:
        """The first rows in stored types, None where they cannot be had in time."""
        if hasattr(self._session, "first"):
            return self._first(relation)
        sql = whole_sql(self._target, relation)
        return self._attempt(self._target.limited(sql, _SAMPLE_ROWS), of_relation(relation))

    def _first(self, relation: Relation) -> pa.Table | None:
        """Of a database that bills what queries read, and gives first rows for nothing."""
        if relation.is_view:
            return None
        try:
            rows = self._session.first(relation, _SAMPLE_ROWS)  # type: ignore[attr-defined]
            named = rows.to_arrow()
            schema = of_relation(relation)
            own = named.select([column.name for column in relation.columns.values()])
            return in_types(own.to_batches(), schema).read_all()
        except (*self._errors, pa.ArrowException, NotImplementedError):
            return None

    def all_rows(self, relation: Relation, days: list[str]) -> list[object]:
        """How many there are, and the first and last of each column of days; nothing if late."""
        own = [self._target.copied(relation.columns[name]) for name in days]
        terms = ["COUNT(*)", *(f"{end}({column})" for column in own for end in ("MIN", "MAX"))]
        named = ", ".join(f"{term} AS c{place}" for place, term in enumerate(terms))
        kinds = [of_relation(relation).field(name).type for name in days for _ in range(2)]
        schema = pa.schema(
            [("c0", pa.int64()), *((f"c{n}", kind) for n, kind in enumerate(kinds, start=1))]
        )
        value = self._attempt(f"SELECT {named} FROM {self._target.place(relation)}", schema)
        return [column[0].as_py() for column in value.columns] if value is not None else []

    def _attempt(self, sql: str, schema: pa.Schema) -> pa.Table | None:
        late = threading.Timer(_SAMPLE_SECONDS, self._session.cancel)
        late.daemon = True
        late.start()
        try:
            return self._session.stream(sql, schema).read_all()
        except (*self._errors, pa.ArrowException):
            return None
        finally:
            late.cancel()


def _measured(
    asking: _Asking,
    here: duckdb.DuckDBPyConnection,
    table: StoredTable,
    relation: Relation,
    seen: int,
    until: float,
) -> StoredTable:
    found = column_statistics(here, "sample", table.columns, seen)
    if seen < _SAMPLE_ROWS:
        return table.model_copy(update={"rows": seen, "statistics": found})
    days = [column.name for column in table.columns if column.type in _DAYS]
    row = asking.all_rows(relation, days) if time.monotonic() < until else []
    rows = max(seen, int(str(row[0])) if row else table.rows)
    statistics = {
        name: known.model_copy(
            update={
                "nulls": round(known.nulls * rows / seen),
                "distinct": rows if known.distinct == seen else known.distinct,
                "exact": False,
            }
        )
        for name, known in found.items()
    }
    for position, name in enumerate(days if row else []):
        low, high = row[1 + 2 * position : 3 + 2 * position]
        statistics[name] = _between(statistics[name], low, high)
    return table.model_copy(update={"rows": rows, "statistics": statistics})


def _between(known: ColumnStatistics, low: object, high: object) -> ColumnStatistics:
    shown = [None if v is None else str(getattr(v, "isoformat", v.__str__)()) for v in (low, high)]
    return known.model_copy(update={"minimum": shown[0], "maximum": shown[1]})


def _digits(
    here: duckdb.DuckDBPyConnection, table: StoredTable, names: list[str]
) -> dict[str, list[str]]:
    """Different values of columns of digits as text, of the rows that are here."""
    kinds = {column.name: column.type for column in table.columns}
    found = {}
    for name in names:
        value = quoted(name)
        text = number_as_text(value, kinds[name]) if is_number(kinds[name]) else f"trim({value})"
        rows = here.execute(
            f"SELECT DISTINCT {text} AS v FROM sample WHERE {value} IS NOT NULL LIMIT {VALUES}"
        ).fetchall()
        found[name] = [str(row[0]) for row in rows if row[0]]
    return found
