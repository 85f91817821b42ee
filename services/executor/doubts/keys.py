"""One key in two spellings: 00017 and 17, ab1 and AB1, texts and numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from services.executor.domain.description import DataType
from services.executor.domain.doubt import Doubt, Use
from services.executor.domain.source import Repair
from services.executor.doubts.seen import Kind, SeenColumn, SeenTable
from services.executor.facts.asking import Ask
from services.executor.repairs.spelled import plain
from services.executor.sources.likeness import GENERIC, likeness
from services.executor.sources.naming import words_of
from services.executor.sources.sql import quoted

_LIKE, _MOST_PAIRS, _MOST_ROWS = 0.7, 100, 2_000_000
_FITS, _BETTER = 0.75, 0.05
_KEYS = (DataType.STRING, DataType.INTEGER)


def between(tables: Sequence[SeenTable], ask: Ask) -> Iterator[Doubt]:
    """Columns that refer to a key of another table by their names, and by their values only if
    case, noughts in front, spaces or kind are passed over. Raises UnansweredError."""
    pairs = [pair for target in tables for pair in _pairs(target, tables)]
    for table, column, target, key in pairs[:_MOST_PAIRS]:
        row = ask(_counted(table, column, target, key), 1)[0]
        total, same, alike, whole, keys_whole = (int(cell or 0) for cell in row)
        differ = column.data_type is not key.data_type
        if not total or alike < _FITS * total or (alike < same + _BETTER * total and not differ):
            continue
        fits = _Fit(same / total, alike / total)
        if not differ:
            yield _doubt(table, column, target, fits, "plain", key)
        elif column.data_type is DataType.STRING:
            certain = whole == total and same == total
            yield _doubt(table, column, target, fits, "whole", key, certain=certain)
        else:
            certain = keys_whole == target.rows and same == total
            yield _doubt(target, key, table, fits, "whole", column, certain=certain)


@dataclass(frozen=True, slots=True)
class _Fit:
    """Which part of the values that refer are keys, as they stand and if spellings are passed
    over."""

    same: float
    alike: float


def _pairs(
    target: SeenTable, tables: Sequence[SeenTable]
) -> Iterator[tuple[SeenTable, SeenColumn, SeenTable, SeenColumn]]:
    keys = [c for c in target.columns if _may_be_key(target, c)]
    for key in keys:
        for table in tables:
            if table.name == target.name or max(table.rows, target.rows) > _MOST_ROWS:
                continue
            for column in table.columns:
                by_name = likeness(table.name, column.name, target.name, key.name) >= _LIKE
                if column.data_type in _KEYS and by_name:
                    yield table, column, target, key


def _may_be_key(table: SeenTable, column: SeenColumn) -> bool:
    unique = column.distinct == table.rows and not column.nulls and table.rows > 1
    first = column.name == table.columns[0].name
    return column.data_type in _KEYS and unique and (first or words_of(column.name) not in GENERIC)


def _counted(table: SeenTable, column: SeenColumn, target: SeenTable, key: SeenColumn) -> str:
    """SQL: different values, how many of them are keys as they stand, how many if spellings are
    passed over, and how many are whole numbers as numbers are written."""
    own, other = quoted(column.name), quoted(key.name)
    values = f"(SELECT DISTINCT {own} AS v FROM {quoted(table.name)} WHERE {own} IS NOT NULL)"
    keys = f"(SELECT CAST({other} AS VARCHAR) FROM {quoted(target.name)})"
    spelled = f"(SELECT {plain(other)} FROM {quoted(target.name)})"
    return (
        f"SELECT count(*), count(*) FILTER (WHERE CAST(v AS VARCHAR) IN {keys}), "
        f"count(*) FILTER (WHERE {plain('v')} IN {spelled}), "
        f"count(*) FILTER (WHERE {_is_whole('v')}), "
        f"(SELECT count(*) FROM {quoted(target.name)} WHERE {_is_whole(other)}) FROM {values}"
    )


def _is_whole(sql: str) -> str:
    """SQL: whether a text is a whole number as numbers are written."""
    text = f"CAST({sql} AS VARCHAR)"
    return f"CAST(try_cast({text} AS BIGINT) AS VARCHAR) = {text}"


def _doubt(
    table: SeenTable,
    column: SeenColumn,
    other: SeenTable,
    fits: _Fit,
    kind: str,
    partner: SeenColumn,
    *,
    certain: bool = False,
) -> Doubt:
    """The doubt about the column that would be read in another way."""
    how = "as whole numbers" if kind == "whole" else "without case, spaces and noughts in front"
    same = (
        f"{100 * fits.same:.3g} % as it stands" if kind == "plain" else "as text it joins nothing"
    )
    return Doubt(
        code="key-spelling",
        table=table.name,
        column=column.name,
        share=fits.alike,
        said=f"{column.name} goes with {other.name}.{partner.name} in {100 * fits.alike:.3g} % of "
        f"its values if it is read {how}, {same}",
        changes=f"what is joined with {other.name} lacks the rest",
        repairs=(Repair(kind=kind, column=column.name),),
        certain=certain,
        uses=(Use.GROUPED, Use.FILTERED),
        weight=0.2 if certain else 0.5,
    )


def _find(table: SeenTable, ask: Ask) -> Iterator[Doubt]:
    """Nothing: it takes two tables."""
    yield from ()


KEYS = Kind(
    "key-spelling",
    "one key in two spellings",
    "A key that is 17 in one table and 00017 or text in another joins nothing. Where names say "
    "that a column refers to a key, and its values do so only without case, spaces, noughts in "
    "front or as numbers, the share that fits is told. A column of texts that are all whole "
    "numbers, every one of them a key, is read as numbers.",
    _find,
)
