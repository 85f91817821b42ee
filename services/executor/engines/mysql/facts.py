"""Statistics of columns from a sample of rows: these databases keep few of their own.

The first and the last day of a table alone are asked of all its rows, as long as there is time:
whoever says that a period lies outside the data has to know.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from functools import partial

from services.executor.databases.digits import ROWS, SECONDS, judged
from services.executor.databases.found import Catalogue
from services.executor.databases.live import Relation
from services.executor.databases.statistics import unknown
from services.executor.engines.mysql.errors import DRIVER_ERRORS, is_lost
from services.executor.engines.mysql.relation import quoted, relation_sql, target_of
from services.executor.engines.mysql.session import MysqlSession
from services.executor.sources.digits import VALUES, alike
from services.executor.sources.manifest import ColumnStatistics, StoredTable

_SAMPLE_ROWS = 10_000
_SAMPLE_SECONDS = 2.0
_MOST_SAMPLED = 40
_SECONDS_FOR_DAYS = 4.0
_SAMPLES = 5
_LONGEST = 80
_DAYS = frozenset(("DATE", "TIMESTAMP"))


def add_statistics(found: Catalogue, session: MysqlSession) -> None:
    """Put statistics into the tables of a catalogue. Raises pymysql.MySQLError."""
    tables: list[StoredTable] = []
    until = time.monotonic() + _SECONDS_FOR_DAYS
    for number, known in enumerate(found.tables):
        table, relation = _with_truths(session, known, found.relations[known.name])
        found.relations[known.name] = relation
        rows, statistics = table.rows, {name: unknown(table.rows) for name in relation.columns}
        if number < _MOST_SAMPLED:
            rows, statistics = _sampled(session, relation, table.rows)
        if time.monotonic() < until:
            statistics |= _days(session, relation, statistics)
        value = table.model_copy(update={"rows": rows, "statistics": statistics})
        digits = partial(_digits, session, relation)
        tables.append(judged(value, digits, until + _SECONDS_FOR_DAYS))
    found.tables = list(alike(tables))


def _asked(session: MysqlSession, sql: str, seconds: float) -> list[tuple[object, ...]] | None:
    """The rows, or None where they cannot be had in time."""
    session.limit(seconds)
    try:
        return session.rows(sql)
    except DRIVER_ERRORS as error:
        if is_lost(error):
            raise
        return None
    finally:
        session.limit(_SAMPLE_SECONDS * 15)


def _with_truths(
    session: MysqlSession, table: StoredTable, relation: Relation
) -> tuple[StoredTable, Relation]:
    """With columns of `tinyint(1)` that hold 0 and 1 alone as truths; it is asked of all rows."""
    named = [name for name, c in relation.columns.items() if c.native.startswith("tinyint(1)")]
    if not named:
        return table, relation
    own = [quoted(relation.columns[name].name) for name in named]
    terms = ", ".join(f"COALESCE(MIN({c}) >= 0 AND MAX({c}) <= 1, 0)" for c in own)
    values = _asked(session, f"SELECT {terms} FROM {target_of(relation)}", _SAMPLE_SECONDS)
    truths = (
        {name for name, yes in zip(named, values[0], strict=True) if str(yes) == "1"}
        if values
        else set()
    )
    columns = {
        name: column.model_copy(update={"stored": "BOOLEAN"}) if name in truths else column
        for name, column in relation.columns.items()
    }
    described = tuple(
        column.model_copy(update={"type": "BOOLEAN"}) if column.name in truths else column
        for column in table.columns
    )
    return (
        table.model_copy(update={"columns": described}),
        relation.model_copy(update={"columns": columns}),
    )


def _sampled(
    session: MysqlSession, relation: Relation, rows: int
) -> tuple[int, dict[str, ColumnStatistics]]:
    """Of the first rows, within two seconds."""
    names = list(relation.columns)
    sample = (
        f"(SELECT * FROM {relation_sql(relation, names, session.collation)} AS r "
        f"LIMIT {_SAMPLE_ROWS}) AS s"
    )
    terms = ["COUNT(*)"]
    for name in map(quoted, names):
        terms += [f"COUNT({name})", f"COUNT(DISTINCT {name})", f"MIN({name})", f"MAX({name})"]
    values = _asked(session, f"SELECT {', '.join(terms)} FROM {sample}", _SAMPLE_SECONDS)
    if values is None:
        return rows, {name: unknown(rows) for name in names}
    examples = _examples(session, sample, names)
    seen = int(str(values[0][0]))
    whole = seen < _SAMPLE_ROWS
    total = seen if whole else max(rows, seen)
    result = {}
    for position, name in enumerate(names):
        filled, distinct, low, high = values[0][1 + 4 * position : 5 + 4 * position]
        stored = relation.columns[name].stored
        nulls = seen - int(str(filled))
        unique = int(str(distinct)) == int(str(filled)) and not whole
        result[name] = ColumnStatistics(
            nulls=nulls if whole else round(nulls * total / max(seen, 1)),
            distinct=total if unique else int(str(distinct)),
            minimum=_shown(low, stored),
            maximum=_shown(high, stored),
            samples=tuple(
                text for value in examples.get(name, ()) if (text := _shown(value, stored))
            ),
            exact=whole,
        )
    return total, result


def _examples(
    session: MysqlSession, sample: str, names: Sequence[str], most: int = _SAMPLES
) -> dict[str, list[str]]:
    """Different values of each column as text, at most so many."""
    parts = " UNION ALL ".join(
        f"(SELECT {place} AS place, CAST({quoted(name)} AS CHAR) AS value FROM {sample} "
        f"WHERE {quoted(name)} IS NOT NULL GROUP BY {quoted(name)} LIMIT {most})"
        for place, name in enumerate(names)
    )
    found: dict[str, list[str]] = {}
    for place, value in _asked(session, parts, _SAMPLE_SECONDS) or ():
        if str(value).strip():
            found.setdefault(names[int(str(place))], []).append(str(value))
    return found


def _digits(session: MysqlSession, relation: Relation, names: list[str]) -> dict[str, list[str]]:
    """Different values of columns of digits as text; nothing where they cannot be had in time."""
    sample = (
        f"(SELECT * FROM {relation_sql(relation, names, session.collation, digits=names)} AS r "
        f"LIMIT {ROWS}) AS s"
    )
    found = _examples(session, sample, names, VALUES)
    return {name: [text.strip() for text in found.get(name, ())] for name in names} if found else {}


def _days(
    session: MysqlSession, relation: Relation, statistics: dict[str, ColumnStatistics]
) -> dict[str, ColumnStatistics]:
    """With the first and last day of all rows, where they are had in two seconds."""
    names = [
        name
        for name, column in relation.columns.items()
        if column.stored in _DAYS and not statistics[name].exact
    ]
    if not names:
        return {}
    terms = ", ".join(f"MIN({quoted(name)}), MAX({quoted(name)})" for name in names)
    rows = relation_sql(relation, names, session.collation)
    values = _asked(session, f"SELECT {terms} FROM {rows} AS r", SECONDS)
    if values is None:
        return {}
    result = {}
    for position, name in enumerate(names):
        low, high = values[0][2 * position : 2 * position + 2]
        stored = relation.columns[name].stored
        result[name] = statistics[name].model_copy(
            update={"minimum": _shown(low, stored), "maximum": _shown(high, stored)}
        )
    return result


def _shown(value: object, stored: str) -> str | None:
    if value is None:
        return None
    text = str(value)
    if stored == "BOOLEAN":
        return {"1": "true", "0": "false"}.get(text, text)
    if stored == "TIMESTAMP":
        return re.sub(r"\.0+$", "", text.replace(" ", "T", 1))
    return text[:_LONGEST]
