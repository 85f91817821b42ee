"""One SQLite database as the question bench sees it: a catalogue, value look-up and SQL."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from dateutil import parser as dates
from rapidfuzz import fuzz

from services.planner.domain.catalogue import (
    Catalogue,
    Column,
    ColumnRole,
    DataType,
    Relationship,
    Table,
    ValueHit,
)

Rows = tuple[list[str], list[tuple[Any, ...]]]
RunSql = Callable[[str, Sequence[Any]], Rows]
_ISO = re.compile(r"\d{4}-\d{1,2}-\d{1,2}([ T]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?)?Z?$")
_KEY = re.compile(r"(id|code|num|no|key)$", re.IGNORECASE)
_MOST_VALUES = 20_000


class Lookup:
    """Finds phrases among the distinct values of text columns, ignoring case and endings."""

    def __init__(self, values: dict[tuple[str, str], list[str]]) -> None:
        self._exact: dict[str, list[tuple[str, str, str]]] = {}
        self._stems: dict[str, list[tuple[str, str, str]]] = {}
        for (table, column), found in values.items():
            for value in found:
                place = (table, column, value)
                self._exact.setdefault(value.strip().lower(), []).append(place)
                self._stems.setdefault(_loose(value), []).append(place)

    async def __call__(self, phrases: Sequence[str]) -> Sequence[ValueHit]:
        """Hits for all phrases, best first."""
        hits: list[ValueHit] = []
        for phrase in phrases:
            exact = self._exact.get(phrase.strip().lower(), [])
            loose = self._stems.get(_loose(phrase), [])
            hits += [_hit(phrase, place, 1.0) for place in exact]
            hits += [_hit(phrase, place, 0.9) for place in loose if place not in exact]
        return sorted(hits, key=lambda hit: -hit.score)


def _hit(phrase: str, place: tuple[str, str, str], score: float) -> ValueHit:
    return ValueHit(phrase=phrase, table=place[0], column=place[1], value=place[2], score=score)


def _loose(text: str) -> str:
    return re.sub(r"(ies|es|s|y|ed|led)$", "", text.strip().lower())


def open_source(path: Path) -> tuple[Catalogue, Lookup, RunSql]:
    """The database at `path`: what a reasoner may know of it, and a way to run its SQL."""
    engine = duckdb.connect(":memory:")
    tables: list[Table] = []
    values: dict[tuple[str, str], list[str]] = {}
    declared: list[Relationship] = []
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as source:
        source.text_factory = lambda raw: raw.decode("utf-8", "replace")
        names = [
            row[0]
            for row in source.execute(
                "select name from sqlite_master where type = 'table'"
                " and name not like 'sqlite_%' order by rowid"
            )
        ]
        for name in names:
            table, frame = _read(source, name)
            tables.append(table)
            engine.register("incoming", frame)
            engine.execute(f'create table "{name}" as select * from incoming')
            engine.unregister("incoming")
            for column in table.columns:
                if column.data_type is DataType.STRING and column.distinct <= _MOST_VALUES:
                    found = {v for v in frame.column(column.name).to_pylist() if v}
                    values[name, column.name] = sorted(found)
            declared += _foreign_keys(source, name, names)
    relationships = declared + _inferred(engine, tables, declared)
    catalogue = Catalogue(tables=tuple(tables), relationships=tuple(relationships))

    def run_sql(query: str, params: Sequence[Any]) -> Rows:
        result = engine.execute(query, list(params))
        return [c[0] for c in result.description or ()], result.fetchall()

    return catalogue, Lookup(values), run_sql


def _read(source: sqlite3.Connection, name: str) -> tuple[Table, pa.Table]:
    info = source.execute(f'pragma table_info("{name}")').fetchall()
    rows = source.execute(f'select * from "{name}"').fetchall()
    columns: list[Column] = []
    arrays: dict[str, pa.Array] = {}
    for position, (_, column, declared, *_rest) in enumerate(info):
        raw = [row[position] for row in rows]
        data_type, cells = _typed(raw, str(declared).upper())
        arrays[column] = cells
        columns.append(_describe(column, data_type, cells, len(rows)))
    key = tuple(row[1] for row in sorted(info, key=lambda row: row[5]) if row[5])
    table = Table(
        name=name, source_name=name, rows=len(rows), columns=tuple(columns), primary_key=key
    )
    return table, pa.table(arrays)


def _typed(raw: list[Any], declared: str) -> tuple[DataType, pa.Array]:
    cells = [None if isinstance(v, bytes) else v for v in raw]
    present = [v for v in cells if v is not None and v != ""]
    if present and all(isinstance(v, int) for v in present):
        return DataType.INTEGER, pa.array([_or_none(v) for v in cells], pa.int64())
    if present and all(isinstance(v, int | float) for v in present):
        return DataType.FLOAT, pa.array(
            [None if v in (None, "") else float(v) for v in cells], pa.float64()
        )
    texts = [None if v is None else str(v) for v in cells]
    filled = [t for t in texts if t]
    if filled and all(_ISO.match(t) for t in filled):
        moments = [dates.parse(t, ignoretz=True) if t else None for t in texts]
        if any(m is not None and (m.hour or m.minute or m.second) for m in moments):
            return DataType.DATETIME, pa.array(moments, pa.timestamp("us"))
        return DataType.DATE, pa.array([m.date() if m else None for m in moments], pa.date32())
    return DataType.STRING, pa.array(texts, pa.string())


def _or_none(value: Any) -> Any:
    return None if value == "" else value


def _describe(name: str, data_type: DataType, cells: pa.Array, rows: int) -> Column:
    present = [v for v in cells.to_pylist() if v is not None]
    counts: dict[Any, int] = {}
    for value in present:
        counts[value] = counts.get(value, 0) + 1
    samples = sorted(counts, key=lambda v: (-counts[v], str(v)))[:12]
    if data_type in (DataType.DATE, DataType.DATETIME):
        role = ColumnRole.TIMESTAMP
    elif _KEY.search(name):
        role = ColumnRole.ID
    elif data_type in (DataType.INTEGER, DataType.FLOAT):
        role = ColumnRole.MEASURE
    else:
        role = ColumnRole.DIMENSION
    return Column(
        name=name,
        data_type=data_type,
        role=role,
        nullable=len(present) < rows,
        distinct=len(counts),
        nulls=rows - len(present),
        minimum=str(min(present)) if present else None,
        maximum=str(max(present)) if present else None,
        samples=tuple(str(v) for v in samples),
    )


def _foreign_keys(
    source: sqlite3.Connection, table: str, names: Sequence[str]
) -> list[Relationship]:
    by_lower = {name.lower(): name for name in names}
    found: list[Relationship] = []
    for row in source.execute(f'pragma foreign_key_list("{table}")').fetchall():
        target = by_lower.get(str(row[2]).lower())
        if target and row[4]:
            found.append(
                Relationship(
                    from_table=table, from_column=row[3], to_table=target, to_column=row[4]
                )
            )
    return found


def _inferred(
    engine: duckdb.DuckDBPyConnection, tables: Sequence[Table], declared: Sequence[Relationship]
) -> list[Relationship]:
    known = {(r.from_table, r.from_column) for r in declared}
    if declared:
        return []
    found: list[Relationship] = []
    for parent in tables:
        for key in parent.columns:
            if key.distinct < parent.rows or key.nulls or parent.rows < 2:
                continue
            if key.data_type not in (DataType.INTEGER, DataType.STRING):
                continue
            for child in tables:
                for column in child.columns:
                    if child is parent or (child.name, column.name) in known:
                        continue
                    likeness = _likeness(child, column, parent, key)
                    if likeness < 0.55 or not column.distinct:
                        continue
                    share = _inclusion(engine, child, column, parent, key)
                    if share >= 0.6:
                        found.append(
                            Relationship(
                                from_table=child.name,
                                from_column=column.name,
                                to_table=parent.name,
                                to_column=key.name,
                                confidence=round(likeness * share, 3),
                                declared=False,
                            )
                        )
    return found


def _likeness(child: Table, column: Column, parent: Table, key: Column) -> float:
    left, right, owner = (_plain(column.name), _plain(key.name), _plain(parent.name))
    if left == right:
        return 0.4 if right in ("id", "name", "code") else 1.0
    if left.endswith(right) and len(right) > 3:
        return 0.85
    if left in (owner, owner + right) or (right.endswith("id") and left.rstrip("id") == owner):
        return 0.9
    if _KEY.search(right) and len(left) > 3 and (owner.endswith(left) or left.startswith(owner)):
        return 0.75
    if _KEY.search(left) and _KEY.search(right) and fuzz.ratio(left, right) > 70:
        return 0.6
    tails = (left.split("_")[-1], right.split("_")[-1])
    return 0.6 if tails[0] == tails[1] and tails[0].endswith("num") else 0.0


def _plain(name: str) -> str:
    text = name.lower().replace("_", "")
    return text[:-3] + "y" if text.endswith("ies") else text.removesuffix("s")


def _inclusion(
    engine: duckdb.DuckDBPyConnection, child: Table, column: Column, parent: Table, key: Column
) -> float:
    row = engine.execute(
        f'select avg((cast(c."{column.name}" as varchar) in '
        f'(select cast("{key.name}" as varchar) from "{parent.name}"))::int)'
        f' from "{child.name}" c where c."{column.name}" is not null'
    ).fetchone()
    return float(row[0]) if row and row[0] is not None else 0.0
