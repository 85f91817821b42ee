"""A close look at the rows of described tables: means, texts that say nothing, spellings.

Asked of the engine in plain statements, so that policy, guard and limits are those of a question.
What it cannot find out in time is left out and said.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

import pyarrow as pa

from mesh.tool import ErrorCategory, ToolError
from services.executor.domain.description import (
    ColumnDescription,
    ColumnFindings,
    ColumnRole,
    DataType,
    Findings,
    SourceDescription,
    TableDescription,
    TableFindings,
)
from services.executor.facts import asking as facts
from services.executor.spreading import spread

Ask = Callable[[str, int], pa.Table]
"""The rows of a statement, with a limit on them. Raises ToolError and AssayError."""

_MOST_VALUES = 2_000
_MOST_GROUPS = 3
_MOST_COLUMNS = 60
_NUMBERS = (DataType.INTEGER, DataType.FLOAT)


def asked_by(ask: Ask) -> facts.Ask:
    """The same way to ask, as facts are measured by."""

    def rows(sql: str, most: int) -> facts.Rows:
        try:
            return [tuple(row.values()) for row in ask(sql, most).to_pylist()]
        except ToolError as error:
            if error.category is ErrorCategory.CANCELLED:
                raise
            raise facts.UnansweredError from error

    return rows


class _Unfinished(Exception):  # no error: what was found till then is told
    """No time is left, or the engine cannot say it."""


def inspected(description: SourceDescription, ask: Ask) -> Findings:
    """What the rows show. Raises AssayError when the caller went away or a database is away."""

    def rows(sql: str, most: int) -> pa.Table:
        try:
            return ask(sql, most)
        except ToolError as error:
            if error.category is ErrorCategory.CANCELLED:
                raise
            raise _Unfinished from error

    tables: list[TableFindings] = []
    unfinished: list[str] = []
    for table in description.tables:
        found = _Inspection(table, rows)
        try:
            found.look()
        except _Unfinished:
            unfinished.append(table.name)
        tables.append(found.findings)
    return Findings(tuple(tables), tuple(unfinished))


class _Inspection:
    """One table being looked at."""

    def __init__(self, table: TableDescription, ask: Ask) -> None:
        self._table = table
        self._from = _quoted(table.name)
        self._ask = ask
        self._columns: dict[str, ColumnFindings] = {}

    @property
    def findings(self) -> TableFindings:
        """What was found so far."""
        return TableFindings(self._table.name, tuple(self._columns.values()))

    def look(self) -> None:
        """Find out what there is. Raises _Unfinished."""
        if not self._table.rows:
            return
        columns = self._table.columns[:_MOST_COLUMNS]
        self._means([c for c in columns if c.data_type in _NUMBERS])
        for column in columns:
            if column.data_type is DataType.STRING:
                self._texts(column)
        self._spread(columns)

    def _means(self, columns: Sequence[ColumnDescription]) -> None:
        wanted = [c.name for c in columns if c.role is ColumnRole.MEASURE]
        if not wanted:
            return
        means = ", ".join(f"avg({_quoted(name)}) AS m{i}" for i, name in enumerate(wanted))
        row = self._ask(f"SELECT {means} FROM {self._from}", 1).to_pylist()[0]
        for i, name in enumerate(wanted):
            if (mean := row[f"m{i}"]) is not None:
                self._columns[name] = ColumnFindings(name, mean=float(mean))

    def _spread(self, columns: Sequence[ColumnDescription]) -> None:
        """How numbers and times are spread."""
        rows = lambda sql, most: self._ask(sql, most).to_pylist()  # noqa: E731
        for name, bins in spread(self._table.name, columns, rows).items():
            known = self._columns.get(name, ColumnFindings(name))
            self._columns[name] = replace(known, bins=bins)

    def _texts(self, column: ColumnDescription) -> None:
        """Texts that stand for no value; spellings of one value, where there are few values."""
        # Here, because the executor is put together without an engine.
        from services.executor.sources.delimited.plain import MISSING
        from services.executor.sources.sql import literal

        marks = {mark.lower() for mark in MISSING}
        name = _quoted(column.name)
        few = column.distinct <= _MOST_VALUES
        listed = ", ".join(map(literal, sorted(marks)))
        which = f"{name} IS NOT NULL" if few else f"lower(trim({name})) IN ({listed})"
        counted = self._ask(
            f"SELECT {name} AS value, count(*) AS n FROM {self._from} "
            f"WHERE {which} GROUP BY {name}",
            _MOST_VALUES * 2,
        )
        values = {str(row["value"]): int(row["n"]) for row in counted.to_pylist()}
        missing = {text: n for text, n in values.items() if text.strip().lower() in marks}
        spellings = _spellings(values) if few else ()
        if missing or spellings:
            self._columns[column.name] = ColumnFindings(
                column.name, missing=tuple(missing.items()), spellings=spellings
            )


def _spellings(values: dict[str, int]) -> tuple[tuple[str, ...], ...]:
    """Values that are the same but for case and spaces, the most frequent group first."""
    groups: dict[str, list[str]] = defaultdict(list)
    for value in values:
        groups[" ".join(value.split()).casefold()].append(value)
    several = [sorted(each, key=lambda v: (-values[v], v)) for each in groups.values()]
    several = [each for each in several if len(each) > 1]
    several.sort(key=lambda each: -sum(values[value] for value in each))
    return tuple(map(tuple, several[:_MOST_GROUPS]))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
