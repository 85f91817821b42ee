"""Decides what type each column of a SQLite table is stored in, with one scan of the table."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, replace

import pyarrow as pa

from services.executor.sources.sql import quoted

_COLUMNS_PER_SCAN = 150
_DATE_GLOB = "[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]"
_TIME_GLOB = _DATE_GLOB + "[ T][0-2][0-9]:[0-5][0-9]*"
_IS_REAL_DAY = "date({c}, '+0 days') = substr({c}, 1, 10) AND {c} NOT LIKE '0000%'"
_STARTS_WITH_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_KIND_TERMS = (
    "typeof({c}) = 'integer'",
    "typeof({c}) = 'real'",
    "typeof({c}) = 'text'",
    "typeof({c}) = 'blob'",
    "typeof({c}) = 'integer' AND {c} IN (0, 1)",
)
_TEXT_TERMS = tuple(
    "typeof({c}) = 'text' AND " + term
    for term in (
        f"{{c}} GLOB '{_DATE_GLOB}' AND {_IS_REAL_DAY}",
        f"{{c}} GLOB '{_TIME_GLOB}' AND time({{c}}) IS NOT NULL AND {_IS_REAL_DAY}",
        f"{{c}} GLOB '{_DATE_GLOB}[ T]00:00*' AND time({{c}}) = '00:00:00'",
        "trim({c}, ' +-.0123456789') = '' AND {c} GLOB '*[0-9]*' "
        "AND trim({c}) NOT GLOB '?*[-+]*' AND {c} NOT LIKE '%.%.%'",
        "trim({c}) = ''",
    )
)
_REAL = re.compile(r"REAL|FLOA|DOUB|DEC|NUMERIC|MONEY", re.IGNORECASE)
_NUMERIC = re.compile(r"INT|REAL|FLOA|DOUB|DEC|NUM|MONEY|BOOL", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ColumnPlan:
    """How one column travels: what SQLite selects, its Arrow type, what DuckDB stores."""

    name: str
    selected_sql: str
    arrow_type: pa.DataType
    stored_sql: str

    def as_text(self) -> ColumnPlan:
        """The same column with a date kept as the text it was."""
        is_date = self.stored_sql.startswith("CAST(")
        return replace(self, stored_sql=quoted(self.name)) if is_date else self


@dataclass(frozen=True, slots=True)
class _Values:
    """How many non-null values of a column are of each sort; texts are looked at if need be."""

    whole: int
    real: int
    text: int
    blob: int
    bits: int
    dates: int = 0
    times: int = 0
    midnights: int = 0
    numeric_texts: int = 0
    blank: int = 0


def plan_columns(
    database: sqlite3.Connection,
    table: str,
    columns: list[tuple[str, str]],
    note: Callable[[str], None],
) -> list[ColumnPlan]:
    """A plan for every column that can be stored; the others are told to `note`."""
    plans: list[ColumnPlan] = []
    for start in range(0, len(columns), _COLUMNS_PER_SCAN):
        part = columns[start : start + _COLUMNS_PER_SCAN]
        for (name, declared), values in zip(part, _scan(database, table, part), strict=True):
            plan = _plan(table, name, declared or "", values, note)
            if plan is not None:
                plans.append(plan)
    return plans


def _scan(
    database: sqlite3.Connection, table: str, columns: list[tuple[str, str]]
) -> list[_Values]:
    kinds = _sums(database, table, [name for name, _ in columns], _KIND_TERMS)
    found = [_Values(*counts) for counts in kinds]
    texts = [
        position
        for position, (name, declared) in enumerate(columns)
        if found[position].text and _may_be_typed(database, table, name, declared, found[position])
    ]
    details = _sums(database, table, [columns[position][0] for position in texts], _TEXT_TERMS)
    for position, counts in zip(texts, details, strict=True):
        seen = found[position]
        found[position] = _Values(seen.whole, seen.real, seen.text, seen.blob, seen.bits, *counts)
    return found


def _may_be_typed(
    database: sqlite3.Connection, table: str, name: str, declared: str, values: _Values
) -> bool:
    """Whether text may be dates or numbers, told from its first twenty values."""
    column = quoted(name)
    first = database.execute(
        f"SELECT {column} FROM {quoted(table)} WHERE typeof({column}) = 'text' "
        f"AND trim({column}) <> '' LIMIT 20"
    ).fetchall()
    mixed = bool(values.whole or values.real)
    numeric = mixed or bool(_NUMERIC.search(declared or ""))
    return numeric or all(_STARTS_WITH_DATE.match(value) for (value,) in first)


def _sums(
    database: sqlite3.Connection, table: str, columns: list[str], terms: tuple[str, ...]
) -> list[tuple[int, ...]]:
    if not columns:
        return []
    sums = ", ".join(f"sum({term.format(c=quoted(name))})" for name in columns for term in terms)
    row = database.execute(f"SELECT {sums} FROM {quoted(table)}").fetchone()
    counts = [int(value or 0) for value in row]
    width = len(terms)
    return [tuple(counts[i * width : (i + 1) * width]) for i in range(len(columns))]


def _plan(
    table: str, name: str, declared: str, values: _Values, note: Callable[[str], None]
) -> ColumnPlan | None:
    source, target = quoted(name), quoted(name)
    if values.blob and not values.text and not values.whole and not values.real:
        note(f"{table}: binary column {name} is left out")
        return None
    if not values.text and not values.blob:
        return _numbers(name, declared, values)
    only_text = not values.whole and not values.real and not values.blob
    moment = _moment(name, declared, values) if only_text else None
    if moment is not None:
        if values.blank:
            note(f"{table}: blank dates of {name} are read as missing")
        return moment
    numeric_texts = values.numeric_texts + values.blank == values.text and not values.blob
    if numeric_texts and (_NUMERIC.search(declared) or not only_text):
        note(f"{table}: {name} mixes numbers and text that reads as numbers; read as numbers")
        whole = declared.upper().startswith("INT") and not values.real
        kind, sql = (pa.int64(), "INTEGER") if whole else (pa.float64(), "REAL")
        blank_is_null = f"CASE WHEN typeof({source}) = 'text' AND trim({source}) = '' THEN NULL"
        return ColumnPlan(name, f"{blank_is_null} ELSE CAST({source} AS {sql}) END", kind, target)
    if not only_text:
        note(f"{table}: {name} mixes types; kept as text")
    return ColumnPlan(name, f"CAST({source} AS TEXT)", pa.string(), target)


def _numbers(name: str, declared: str, values: _Values) -> ColumnPlan:
    column = quoted(name)
    if not values.whole and not values.real:
        kind = _type_of_nothing(declared)
        return ColumnPlan(name, column, pa.string(), f"{column}::{kind}")
    if declared.upper().startswith("BOOL") and values.bits == values.whole and not values.real:
        return ColumnPlan(name, column, pa.int64(), f"{column}::BOOLEAN")
    if values.real or _REAL.search(declared):
        return ColumnPlan(name, f"CAST({column} AS REAL)", pa.float64(), column)
    return ColumnPlan(name, column, pa.int64(), column)


def _type_of_nothing(declared: str) -> str:
    """The type of a column without values, from its declaration alone (SQLite's affinities)."""
    name = declared.upper()
    if "DATETIME" in name or "TIMESTAMP" in name:
        return "TIMESTAMP"
    if name.startswith("DATE"):
        return "DATE"
    if name.startswith("BOOL"):
        return "BOOLEAN"
    if "INT" in name:
        return "BIGINT"
    return "DOUBLE" if _REAL.search(name) else "VARCHAR"


def _moment(name: str, declared: str, values: _Values) -> ColumnPlan | None:
    """Dates where every text is an ISO date; times of day at midnight alone do not count."""
    filled = values.text - values.blank
    if not filled or values.dates + values.times != filled:
        return None
    wants_time = re.search(r"DATETIME|TIMESTAMP", declared, re.IGNORECASE)
    only_days = values.dates + values.midnights == filled
    kind = "DATE" if only_days and not wants_time else "TIMESTAMP"
    column = quoted(name)
    return ColumnPlan(
        name, f"nullif(trim({column}), '')", pa.string(), f"CAST({column}::TIMESTAMP AS {kind})"
    )
