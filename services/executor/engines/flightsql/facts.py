"""Statistics of columns from the first rows of each table, which are looked at here.

How many rows there are, and the first and the last day, is asked of all rows, as long as there is
time: whoever says that a period lies outside the data has to know.
"""

from __future__ import annotations

import time
from functools import partial

import duckdb
import pyarrow as pa

from services.executor.databases.digits import judged
from services.executor.databases.found import Catalogue
from services.executor.databases.live import Relation
from services.executor.databases.statistics import unknown
from services.executor.engines.flightsql.errors import DRIVER_ERRORS
from services.executor.engines.flightsql.relation import plain_sql, relation_sql, target_of
from services.executor.engines.flightsql.session import FlightSession
from services.executor.engines.flightsql.whole import in_stored_types
from services.executor.sources.digits import VALUES, alike, is_number, number_as_text
from services.executor.sources.manifest import ColumnStatistics, StoredTable
from services.executor.sources.measuring import column_statistics
from services.executor.sources.sql import quoted

_SAMPLE_ROWS = 10_000
_SAMPLE_SECONDS = 2.0
_MOST_SAMPLED = 40
_SECONDS_FOR_ALL_ROWS = 4.0
_DAYS = frozenset(("DATE", "TIMESTAMP"))


def add_statistics(found: Catalogue, session: FlightSession) -> None:
    """Put row counts and statistics into the tables of a catalogue."""
    until = time.monotonic() + _SECONDS_FOR_ALL_ROWS
    tables = []
    for number, table in enumerate(found.tables):
        relation = found.relations[table.name]
        sample = _sample(session, relation) if number < _MOST_SAMPLED else None
        if sample is None:
            statistics = {column.name: unknown(table.rows) for column in table.columns}
            tables.append(table.model_copy(update={"statistics": statistics}))
            continue
        with duckdb.connect(":memory:", config={"threads": "1"}) as here:
            here.register("sample", sample)
            known = _measured(session, here, table, relation, sample.num_rows, until)
            tables.append(judged(known, partial(_digits, here, known), until + _SAMPLE_SECONDS))
    found.tables = list(alike(tables))


def _sample(session: FlightSession, relation: Relation) -> pa.Table | None:
    """The first rows in stored types, None where they cannot be had in time."""
    columns = list(relation.columns)
    sql = relation_sql(relation, columns) if session.is_duckdb else plain_sql(relation)
    rows = session.attempt(f"{sql} LIMIT {_SAMPLE_ROWS}", _SAMPLE_SECONDS)
    try:
        return None if rows is None else in_stored_types(rows.to_reader(), relation).read_all()
    except DRIVER_ERRORS:
        return None


def _measured(
    session: FlightSession,
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
    own = [quoted(relation.columns[name].name) for name in days]
    terms = ", ".join(["count(*)", *(f"min({c}), max({c})" for c in own)])
    value = None
    if time.monotonic() < until:
        value = session.attempt(f"SELECT {terms} FROM {target_of(relation)}", _SAMPLE_SECONDS)
    row = [column[0].as_py() for column in value.columns] if value is not None else []
    rows = max(seen, int(row[0]) if row else table.rows)
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
