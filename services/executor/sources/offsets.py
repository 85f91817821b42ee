"""Offsets from UTC that the texts of moments end with."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import timedelta

import duckdb

from services.executor.domain.source import ReaderOptions
from services.executor.doubts.zones import Written
from services.executor.repairs.zone import AS_WRITTEN
from services.executor.sources.sql import literal

_OFFSET = r"\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?([-+]\d{2}(?::?\d{2})?)$"
_ENDS_WITH_ONE = re.compile(_OFFSET)
_MOST_DAYS = 20_000


def some_end_with_offsets(texts: Iterable[str]) -> bool:
    """Whether any of these texts is a moment with an offset other than Z."""
    return any(_ENDS_WITH_ONE.search(text) for text in texts)


def as_written(options: ReaderOptions) -> frozenset[str]:
    """The columns that are to be read by the clock of each row's own offset."""
    asked = (one for one in options.repairs if one.kind == "zone" and one.value == AS_WRITTEN)
    return frozenset(one.column for one in asked)


def without_offset(sql: str) -> str:
    """SQL: the text without its offset."""
    return f"regexp_replace({sql}, '(Z|[-+][0-9]{{2}}(:?[0-9]{{2}})?)$', '')"


def written(connection: duckdb.DuckDBPyConnection, cells: str, moment: str) -> list[Written]:
    """With which offsets moments were written, by day; `cells` is SQL of rows with a text `v`, and
    `moment` of its moment in UTC.

    A text without an offset counts as one at UTC.
    """
    text = f"coalesce(nullif(regexp_extract(v, {literal(_OFFSET)}, 1), ''), '+00')"
    rows = connection.execute(
        f"SELECT o, min(m), count(*) FROM (SELECT {text} AS o, {moment} AS m FROM {cells}) "
        f"WHERE m IS NOT NULL GROUP BY o, date_trunc('day', m) ORDER BY 2 LIMIT {_MOST_DAYS}"
    ).fetchall()
    return [Written(_parsed(offset), moment, int(count)) for offset, moment, count in rows]


def _parsed(offset: str) -> timedelta:
    digits = re.sub(r"\D", "", offset)
    length = timedelta(hours=int(digits[:2]), minutes=int(digits[2:4] or 0))
    return -length if offset.startswith("-") else length
