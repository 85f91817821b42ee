"""Which columns of digits hold personal data: measured once, when a source is read.

Looked at are columns of whole numbers, of numbers of which the cells with no fraction are, and of
text with plain digits in it. Two questions are asked of a column, and only if its smallest and
largest values leave them open: up to 2,000 of its different values, whatever they are, and up to
20,000 of those with 12 to 19 digits. Which ones is decided by a hash of the value, over all rows.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING

from mesh.recognising.columns import LEAST_CARD, kinds, words_of
from services.executor.sources.manifest import ColumnStatistics, StoredColumn, StoredTable
from services.executor.sources.sql import quoted

if TYPE_CHECKING:
    import duckdb

VALUES, LONG_VALUES = 2_000, 20_000
_FEW, _TOGETHER, _MOST_COPIED, _COPY = 16, 32, 50_000, "_assay_digits"
_LEAST, _BEYOND = 10**6, 10**19
_GENERAL = frozenset("id key code number no nr num ref reference value name".split())
_DIGITS = re.compile(r"\d{7,19}")


def is_number(stored_type: str) -> bool:
    """Whether a column of this stored type holds numbers."""
    return stored_type in ("BIGINT", "DOUBLE") or stored_type.startswith("DECIMAL")


def judged(connection: duckdb.DuckDBPyConnection, table: StoredTable, relation: str) -> StoredTable:
    """The table, which SQL calls `relation`, with what its columns of digits hold, by their
    statistics and some values."""
    known = table.statistics
    asked = [column for column in table.columns if may_be_digits(column, known[column.name])[0]]
    found: dict[str, tuple[str, ...]] = {}
    for start in range(0, len(asked), _TOGETHER):
        part = asked[start : start + _TOGETHER]
        # Every query of a wide file costs as much as all of its columns; a copy of a few does not.
        rejected = len(asked) > _FEW and table.rows <= _MOST_COPIED
        if rejected:
            names = ", ".join(quoted(column.name) for column in part)
            connection.execute(f"CREATE TEMP TABLE {_COPY} AS SELECT {names} FROM {relation}")
        place = f"temp.{_COPY}" if rejected else relation
        found |= {c.name: _kinds(connection, place, c, known[c.name]) for c in part}
        if rejected:
            connection.execute(f"DROP TABLE temp.{_COPY}")
    return table.model_copy(
        update={
            "columns": tuple(
                column.model_copy(update={"digits": found.get(column.name, ())})
                for column in table.columns
            )
        }
    )


def alike(tables: Sequence[StoredTable]) -> tuple[StoredTable, ...]:
    """The tables with columns that are one another's by a key or their name holding the same.

    Two rows say too little of a column that refers to another of two thousand; and what is joined
    has to stay comparable. Names as general as "id" tie nothing.
    """
    tied: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for table in tables:
        for column in table.columns:
            for place in _places(table, column):
                tied[place].update(dict.fromkeys(column.digits))
    return tuple(
        table.model_copy(
            update={"columns": tuple(_tied(table, column, tied) for column in table.columns)}
        )
        for table in tables
    )


def _tied(
    table: StoredTable, column: StoredColumn, tied: Mapping[tuple[str, str], Mapping[str, None]]
) -> StoredColumn:
    found = {kind: None for place in _places(table, column) for kind in tied[place]}
    if not found or not any(may_be_digits(column, table.statistics[column.name])):
        return column
    return column.model_copy(update={"digits": tuple(sorted({*found, *column.digits}))})


def _places(table: StoredTable, column: StoredColumn) -> Iterator[tuple[str, str]]:
    """What a column shares with those that hold the same: its name, and the end of a key."""
    name = column.name.casefold()
    if words_of(column.name) not in _GENERAL:
        yield "", name
    yield table.name.casefold(), name
    for key in table.foreign_keys:
        if key.column.casefold() == name:
            yield key.to_table.casefold(), key.to_column.casefold()


def may_be_digits(column: StoredColumn, known: ColumnStatistics) -> tuple[bool, bool]:
    """Whether its values have to be looked at, and whether those of 12 digits and more, too."""
    if is_number(column.type):
        high = _number(known.maximum)
        if high is None or not isfinite(high):  # not known, or hidden by an infinite one
            return known.distinct > 0, known.distinct > 0
        return high >= _LEAST, high >= LEAST_CARD
    if column.type != "VARCHAR":
        return False, False
    seen = (known.minimum, known.maximum, *known.samples)
    return any(_DIGITS.fullmatch((text or "").strip()) for text in seen), False


def _kinds(
    connection: duckdb.DuckDBPyConnection,
    relation: str,
    column: StoredColumn,
    known: ColumnStatistics,
) -> tuple[str, ...]:
    name = quoted(column.name)
    value, kept = f"trim({name})", "true"
    if is_number(column.type):
        value = number_as_text(name, column.type)
        kept = f"{name} BETWEEN -1e18 AND 1e19"  # not the infinite ones
    values = _some(connection, relation, (name, value, kept), known.distinct, VALUES)
    longer: list[str] = []
    if may_be_digits(column, known)[1] and known.distinct > VALUES:
        kept = f"{name} >= {LEAST_CARD} AND {name} < {_BEYOND} AND {name} = trunc({name})"
        longer = _some(connection, relation, (name, value, kept), known.distinct, LONG_VALUES)
    return kinds(column.name, values, known.distinct, long=longer)


def number_as_text(name: str, stored_type: str) -> str:
    """A number as SQL text, a whole one as its digits alone; `name` is quoted."""
    if stored_type == "BIGINT" or stored_type.endswith(",0)"):
        return f"{name}::VARCHAR"
    whole = f"CASE WHEN {name} = trunc({name}) THEN TRY_CAST({name} AS HUGEINT)::VARCHAR END"
    return f"coalesce({whole}, {name}::VARCHAR)"


def _some(
    connection: duckdb.DuckDBPyConnection,
    relation: str,
    column: tuple[str, str, str],
    distinct: int,
    most: int,
) -> list[str]:
    """Different values as texts: all if there are so few, else those that a hash picks.

    `column` is SQL for the column, for its text, and for which cells are kept.
    """
    name, value, kept = column
    share = max(1, distinct // (2 * most))
    kept = f"{name} IS NOT NULL AND {kept}"
    if share > 1:
        kept += f" AND hash({name}) % {share} = 0"
    rows = connection.execute(
        f"SELECT {value} AS v FROM (SELECT DISTINCT {name} FROM {relation} WHERE {kept}) "
        f"ORDER BY hash({name}) LIMIT {most}"
    ).fetchall()
    return list({text: None for (text,) in rows if text})


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None
