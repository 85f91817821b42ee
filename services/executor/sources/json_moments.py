"""Moments with offsets in JSON: kept as moments, and whose days are counted is said.

The engine's own reader takes some spellings for moments in UTC and others for texts, and says
nothing of their offsets.
"""

from __future__ import annotations

import re
from pathlib import Path

import duckdb

from services.executor.domain.source import ReaderOptions
from services.executor.doubts.zones import zone_doubt
from services.executor.sources.building import Building
from services.executor.sources.delimited.dates import zoned
from services.executor.sources.offsets import as_written, some_end_with_offsets, written
from services.executor.sources.sql import quoted

_TEXT = re.compile(rb'"(\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}[^"]{0,30})"')
_LOOKED_AT = 4 << 20


def may_have_offsets(path: Path) -> bool:
    """Whether the beginning of a file has a text that is a moment with an offset."""
    with path.open("rb") as file:
        head = file.read(_LOOKED_AT)
    return some_end_with_offsets(found.decode("ascii", "replace") for found in _TEXT.findall(head))


def read_moments(
    connection: duckdb.DuckDBPyConnection,
    staging: str,
    were_moments: frozenset[str],
    table: str,
    options: ReaderOptions,
    building: Building,
) -> None:
    """Make moments of the columns of texts that are all such, in place; those that the engine took
    for moments (`were_moments`) become such again."""
    relation = connection.table(staging)
    for column, kind in zip(relation.columns, relation.types, strict=True):
        if kind.id != "varchar":
            continue
        name, local = quoted(column), column in as_written(options)
        moment = zoned(name, as_written=local)
        if not _all_fit(connection, staging, name, moment):
            if column in were_moments:
                _retype(connection, staging, name, f"try_cast({name} AS TIMESTAMP)")
            continue
        seen = (
            [] if local else written(connection, f"(SELECT {name} AS v FROM {staging})", zoned("v"))
        )
        doubt = zone_doubt(table, column, seen)
        building.doubts += [doubt] if doubt is not None else []
        _retype(connection, staging, name, moment)


def _all_fit(connection: duckdb.DuckDBPyConnection, staging: str, name: str, moment: str) -> bool:
    row = connection.execute(
        f"SELECT bool_and({moment} IS NOT NULL) FROM {staging} WHERE {name} IS NOT NULL"
    ).fetchone()
    return bool(row and row[0])


def _retype(connection: duckdb.DuckDBPyConnection, staging: str, name: str, moment: str) -> None:
    connection.execute(f"ALTER TABLE {staging} ALTER {name} SET DATA TYPE TIMESTAMP USING {moment}")
