"""Acceptance criteria of a step (seed 004): sentences for people that a result is held against.

A criterion is a rule with the sentence that it reads. A sentence that no rule reads is for readers
alone, and so is one about columns that the result does not name: what was not checked is not said
to be broken. No rows at all are an answer of their own, and break nothing but columns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

ONE_ROW = "exactly one row"
MOST_CHECKED_ROWS = 20_000
"""Results with more rows are held against what can be told without reading them."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a step gave: how many rows, the names of its columns, and the rows where they are read;
    None for what is not known."""

    rows: int | None
    columns: tuple[str, ...] | None = None
    table: pa.Table | None = None


@dataclass(frozen=True, slots=True)
class Criterion:
    """A rule: which sentences it reads, and what it says of a result that breaks it ("" of one that
    does not). `of_rows` says that it needs the rows; `examples` are tried in the tests."""

    pattern: re.Pattern[str]
    broken: Callable[[str, Result], str]
    of_rows: bool
    examples: Sequence[str]


def at_most(rows: int) -> str:
    """That a result has no more rows than were asked for."""
    return f"at most {rows:,} {'row' if rows == 1 else 'rows'}"


def has_columns(names: Sequence[str]) -> str:
    """That a result has the columns that were asked for."""
    return f"the columns {', '.join(names)}"


def one_row_each(labels: Sequence[str]) -> str:
    """The grain of a result: no two rows of the same values."""
    return f"one row for each {', '.join(labels)}"


def never_negative(name: str) -> str:
    """That a column counts."""
    return f"{name} is never below 0"


def a_share(name: str) -> str:
    """That a column holds parts of a whole."""
    return f"{name} lies from 0 to 1"


def broken_by(criteria: Sequence[str], result: Result) -> str:
    """Which criterion a result breaks, for people; empty where it may stand."""
    for sentence in criteria:
        for rule in CRITERIA:
            if (found := rule.pattern.fullmatch(sentence)) is None:
                continue
            if rule.of_rows and result.table is None:
                continue
            if why := rule.broken(found["what"], result):
                return why
    return ""


def asks_for_rows(criteria: Sequence[str]) -> bool:
    """Whether some criterion can only be checked with the rows at hand."""
    return any(
        rule.of_rows and rule.pattern.fullmatch(sentence)
        for sentence in criteria
        for rule in CRITERIA
    )


def _one_row(_: str, result: Result) -> str:
    if result.rows is None or result.rows <= 1:
        return ""
    return f"it was to give {ONE_ROW}, and gave {result.rows:,}"


def _no_more(most: str, result: Result) -> str:
    if result.rows is None or result.rows <= int(most.replace(",", "")):
        return ""
    return f"it was to give {at_most(int(most.replace(',', '')))}, and gave {result.rows:,}"


def _columns(names: str, result: Result) -> str:
    if result.columns is None or _named(names, result.columns):
        return ""
    return f"it was to have the columns {names}, and has {', '.join(result.columns)}"


def _grain(names: str, result: Result) -> str:
    """Two empty values are the same: they are one group."""
    table = result.table
    labels = _named(names, tuple(table.column_names)) if table is not None else ()
    if table is None or not labels:
        return ""
    groups = _distinct(table.select(list(labels)))
    if groups == table.num_rows:
        return ""
    return f"it was to have {one_row_each(labels)}, and has {table.num_rows:,} rows for {groups:,}"


def _distinct(table: pa.Table) -> int:
    """How many different rows there are.

    By codes of their values: Arrow's own grouping imports its engine, and that pandas, 170 ms.
    """
    import pyarrow as pa

    codes = []
    for column in table.columns:
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
        codes.append(encoded.indices.to_pylist())
    return len(set(zip(*codes, strict=True)))


def _not_negative(name: str, result: Result) -> str:
    least, _ = _range(name, result)
    return f"{name} counts, and is {least:g} in some row" if least < 0 else ""


def _of_a_whole(name: str, result: Result) -> str:
    least, most = _range(name, result)
    if least >= -_ROUNDING and most <= 1 + _ROUNDING:
        return ""
    return f"{name} is a share, and runs from {least:g} to {most:g}"


_ROUNDING = 1e-9


def _range(name: str, result: Result) -> tuple[float, float]:
    """The least and the largest number of a column; nought twice where there is none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    table = result.table
    if table is None or table.column_names.count(name) != 1:
        return 0.0, 0.0
    column = table.column(name)
    kind = column.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        return 0.0, 0.0
    found = pc.min_max(column).as_py()
    return float(found["min"] or 0), float(found["max"] or 0)


def _named(text: str, columns: Sequence[str]) -> tuple[str, ...]:
    """The columns that a list names, each of which may hold commas itself; none where the list
    names another."""
    for name in sorted(columns, key=len, reverse=True):
        if text == name:
            return (name,)
        if text.startswith(f"{name}, "):
            rest = _named(text[len(name) + 2 :], columns)
            if rest:
                return (name, *rest)
    return ()


def _rule(
    pattern: str, broken: Callable[[str, Result], str], *examples: str, of_rows: bool = False
) -> Criterion:
    return Criterion(re.compile(pattern, re.DOTALL), broken, of_rows, examples)


CRITERIA: tuple[Criterion, ...] = (
    _rule(rf"(?P<what>{ONE_ROW})", _one_row, ONE_ROW),
    _rule(r"at most (?P<what>[\d,]+) rows?", _no_more, at_most(5), at_most(1)),
    _rule(r"the columns (?P<what>.+)", _columns, has_columns(("region", "revenue"))),
    _rule(
        r"one row for each (?P<what>.+)", _grain, one_row_each(("region", "month")), of_rows=True
    ),
    _rule(r"(?P<what>.+) is never below 0", _not_negative, never_negative("orders"), of_rows=True),
    _rule(r"(?P<what>.+) lies from 0 to 1", _of_a_whole, a_share("share of orders"), of_rows=True),
)
