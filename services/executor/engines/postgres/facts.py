"""Statistics of columns from what the database keeps, or from a sample.

The first and the last day of a table alone are asked of all its rows, as long as there is time:
whoever says that a period lies outside the data has to know.
"""

from __future__ import annotations

import json
import re
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial

from adbc_driver_manager import Error as DriverError

from services.executor.databases.digits import judged
from services.executor.databases.found import Catalogue
from services.executor.databases.live import Relation
from services.executor.databases.statistics import unknown
from services.executor.engines.postgres.connect import PostgresSession
from services.executor.engines.postgres.digits import digit_values
from services.executor.engines.postgres.relation import relation_sql
from services.executor.sources.digits import alike
from services.executor.sources.manifest import ColumnStatistics
from services.executor.sources.sql import literal, quoted

_SAMPLE_ROWS = 10_000
_SAMPLE_SECONDS = 2
_MOST_SAMPLED = 40
_SECONDS_FOR_DAYS = 4.0
_SECONDS_FOR_DIGITS = 4.0
_SAMPLES = 5
_LONGEST = 80
_DAYS = frozenset(("DATE", "TIMESTAMP"))
_KEPT = """
SELECT schemaname::text, tablename::text, attname::text, null_frac::float8, n_distinct::float8,
       pg_catalog.array_to_json(most_common_vals::text::text[])::text,
       pg_catalog.array_to_json(histogram_bounds::text::text[])::text
FROM pg_catalog.pg_stats WHERE schemaname IN ({schemas})
ORDER BY inherited
"""


def add_statistics(found: Catalogue, session: PostgresSession) -> None:
    """Put row estimates and statistics into the tables of a catalogue. Raises adbc.Error."""
    if not found.tables:
        return
    schemas = {relation.schema_name for relation in found.relations.values()}
    kept: dict[tuple[str, str], dict[str, tuple[object, ...]]] = defaultdict(dict)
    wanted = ", ".join(literal(schema) for schema in sorted(schemas))
    for schema, table, column, *rest in session.rows(_KEPT.format(schemas=wanted)):
        kept[str(schema), str(table)][str(column)] = tuple(rest)
    tables, sampled = [], 0
    until = time.monotonic() + _SECONDS_FOR_DAYS
    for table in found.tables:
        relation = found.relations[table.name]
        rows = table.rows if relation.rows_known else _estimated(session, relation)
        known = kept.get((relation.schema_name, relation.name), {})
        if known and rows:
            statistics = {
                shown: _from_kept(known.get(column.name), rows, column.stored)
                for shown, column in relation.columns.items()
            }
        elif sampled < _MOST_SAMPLED:
            sampled += 1
            rows, statistics = _sampled(session, relation, rows)
        else:
            statistics = {shown: unknown(rows) for shown in relation.columns}
        if time.monotonic() < until:
            statistics = _with_days(session, relation, statistics)
        value = table.model_copy(update={"rows": rows, "statistics": statistics})
        tables.append(
            judged(value, partial(digit_values, session, relation), until + _SECONDS_FOR_DIGITS)
        )
    found.tables = list(alike(tables))


def _estimated(session: PostgresSession, relation: Relation) -> int:
    """The planner's estimate of the rows of a view, or of a table that was never analysed."""
    target = f"{quoted(relation.schema_name)}.{quoted(relation.name)}"
    try:
        session.rows("SAVEPOINT estimate")
        value = session.plan(f"SELECT FROM {target}")
    except DriverError:
        session.rows("ROLLBACK TO SAVEPOINT estimate")
        return 0
    parsed = json.loads(value) if isinstance(value, str) else value
    return int(parsed[0]["Plan"]["Plan Rows"]) if isinstance(parsed, list) else 0


def _from_kept(kept: tuple[object, ...] | None, rows: int, stored: str) -> ColumnStatistics:
    if kept is None:
        return unknown(rows)
    null_share, distinct, common, bounds = kept
    filled = max(0, rows - round(rows * float(str(null_share))))
    share = float(str(distinct))
    count = round(share) if share >= 0 else round(-share * rows)
    frequent = _texts(common)
    seen = sorted({*frequent, *_texts(bounds)}, key=lambda text: _sort_key(text, stored))
    return ColumnStatistics(
        nulls=rows - filled,
        distinct=min(max(count, 1 if seen else 0), filled),
        minimum=_shown(seen[0], stored) if seen else None,
        maximum=_shown(seen[-1], stored) if seen else None,
        samples=tuple(
            _shown(text, stored)
            for text in (frequent or seen[:: max(1, len(seen) // _SAMPLES)])[:_SAMPLES]
            if text.strip()
        ),
        exact=False,
    )


def _sampled(
    session: PostgresSession, relation: Relation, rows: int
) -> tuple[int, dict[str, ColumnStatistics]]:
    """Of a view, or of a table without statistics: the first rows, within two seconds."""
    names = list(relation.columns)
    terms = ["count(*)"]
    for name in names:
        column = quoted(name)
        terms += [
            f"count({column})",
            f"count(DISTINCT {column})",
            f"min({column}::text)"
            if relation.columns[name].stored == "BOOLEAN"
            else f"min({column})::text",
            f"max({column}::text)"
            if relation.columns[name].stored == "BOOLEAN"
            else f"max({column})::text",
            "pg_catalog.array_to_json((pg_catalog.array_agg("
            f"DISTINCT {column}::text))[1:{_SAMPLES}])::text",
        ]
    sample = f"(SELECT * FROM {relation_sql(relation, names)} AS r LIMIT {_SAMPLE_ROWS}) AS s"
    try:
        session.rows("SAVEPOINT sample")
        session.rows(
            f"SELECT pg_catalog.set_config('statement_timeout', '{_SAMPLE_SECONDS}s', true)"
        )
        values = session.rows(f"SELECT {', '.join(terms)} FROM {sample}")[0]
        session.rows("RELEASE SAVEPOINT sample")
    except DriverError:
        session.rows("ROLLBACK TO SAVEPOINT sample")
        return rows, {name: unknown(rows) for name in names}
    seen = int(str(values[0]))
    whole = seen < _SAMPLE_ROWS
    total = seen if whole else max(rows, seen)
    result = {}
    for position, name in enumerate(names):
        filled, distinct, low, high, some = values[1 + 5 * position : 6 + 5 * position]
        stored = relation.columns[name].stored
        nulls = seen - int(str(filled))
        unique = int(str(distinct)) == int(str(filled)) and not whole
        result[name] = ColumnStatistics(
            nulls=nulls if whole else round(nulls * total / max(seen, 1)),
            distinct=total if unique else int(str(distinct)),
            minimum=_shown(str(low), stored) if low is not None else None,
            maximum=_shown(str(high), stored) if high is not None else None,
            samples=tuple(_shown(text, stored) for text in _texts(some) if text.strip()),
            exact=whole,
        )
    return total, result


def _with_days(
    session: PostgresSession, relation: Relation, statistics: Mapping[str, ColumnStatistics]
) -> dict[str, ColumnStatistics]:
    """The statistics with the first and last day of all rows, where they are had in two seconds."""
    names = [
        name
        for name, column in relation.columns.items()
        if column.stored in _DAYS and not statistics[name].exact
    ]
    if not names:
        return dict(statistics)
    terms = ", ".join(f"min({quoted(n)})::text, max({quoted(n)})::text" for n in names)
    try:
        session.rows("SAVEPOINT days")
        session.rows(
            f"SELECT pg_catalog.set_config('statement_timeout', '{_SAMPLE_SECONDS}s', true)"
        )
        values = session.rows(f"SELECT {terms} FROM {relation_sql(relation, names)} AS r")[0]
        session.rows("RELEASE SAVEPOINT days")
    except DriverError:
        session.rows("ROLLBACK TO SAVEPOINT days")
        return dict(statistics)
    result = dict(statistics)
    for position, name in enumerate(names):
        low, high = (
            None if text is None else _shown(str(text), relation.columns[name].stored)
            for text in values[2 * position : 2 * position + 2]
        )
        result[name] = statistics[name].model_copy(update={"minimum": low, "maximum": high})
    return result


def _texts(array: object) -> list[str]:
    values: Sequence[str | None] = json.loads(str(array)) if array else ()
    return [value for value in values if value is not None]


def _sort_key(text: str, stored: str) -> tuple[float, str]:
    if stored in ("BIGINT", "DOUBLE") or stored.startswith("DECIMAL"):
        try:
            return (float(re.sub(r"[^\d.eE+-]", "", text)), "")
        except ValueError:
            return (float("inf"), text)
    return (0.0, text)


def _shown(text: str, stored: str) -> str:
    if stored == "BOOLEAN":
        return {"t": "true", "f": "false"}.get(text, text)
    if stored == "TIMESTAMP":
        return text.replace(" ", "T", 1).removesuffix("+00")
    return text[:_LONGEST]
