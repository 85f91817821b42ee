"""Which values the columns of a table hold, and texts among them that are no values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mesh.pseudonym import HIDDEN
from mesh.text.total_labels import LABELS
from services.executor.domain.description import ColumnDescription, DataType, TableDescription
from services.executor.domain.facts import ColumnFacts, ValueCount
from services.executor.facts.asking import Ask, is_exact, rows_of
from services.executor.sources.sql import literal, quoted

MOST_VALUES = 50
_MOST_COLUMNS = 200
_LONGEST_VALUE = 200
_TOGETHER = 30
_MOST_CELLS = 2_000  # of one column, where an estimate was wrong
_HIDDEN = re.compile(HIDDEN)


def column_facts(table: TableDescription, ask: Ask) -> Iterator[ColumnFacts]:
    """Facts of a table's columns, those left out that have none to tell. Raises UnansweredError."""
    few, texts = [], []
    for column in table.columns[:_MOST_COLUMNS]:
        if 0 < column.distinct <= MOST_VALUES:
            few.append(column)
        elif column.data_type is DataType.STRING and column.distinct:
            texts.append(column)
    for start in range(0, len(few), _TOGETHER):
        yield from _domains(table, few[start : start + _TOGETHER], ask)
    for start in range(0, len(texts), _TOGETHER):
        yield from _of_texts(table, texts[start : start + _TOGETHER], ask)


def _domains(
    table: TableDescription, columns: Sequence[ColumnDescription], ask: Ask
) -> Iterator[ColumnFacts]:
    """All values of columns; nothing of one that has more than was estimated, or a hidden one."""
    rows = rows_of(table, sampled=True)
    each = [
        f"SELECT {number} AS place, CAST({name} AS VARCHAR) AS value, count(*) AS n FROM {rows} "
        f"WHERE {name} IS NOT NULL GROUP BY {name}"
        for number, name in enumerate(quoted(column.name) for column in columns)
    ]
    most = _MOST_CELLS * len(columns)
    counted = ask(" UNION ALL ".join(each), most)
    by_column: dict[int, list[tuple[str, int]]] = {}
    for place, value, n in counted if len(counted) < most else ():
        by_column.setdefault(int(place), []).append((str(value), int(n)))
    for place, pairs in by_column.items():
        if len(pairs) <= MOST_VALUES and not any(_is_kept_back(value) for value, _ in pairs):
            pairs.sort(key=lambda one: (-one[1], one[0]))
            yield _of_values(table, columns[place], pairs)


def _of_values(
    table: TableDescription, column: ColumnDescription, pairs: Sequence[tuple[str, int]]
) -> ColumnFacts:
    if column.data_type is DataType.DATETIME:
        pairs = [(value.replace(" ", "T", 1), n) for value, n in pairs]
    values = tuple(ValueCount(value=value, rows=n) for value, n in pairs)
    if column.data_type is not DataType.STRING:
        return ColumnFacts(column=column.name, whole=is_exact(table), values=values)
    labels = (*LABELS, column.name.lower())
    spelled = {value.strip().lower() for value, _ in pairs}
    return ColumnFacts(
        column=column.name,
        whole=is_exact(table),
        values=values,
        labels=sum(n for value, n in pairs if value.strip().lower() in labels),
        spelled_apart=len(pairs) - len(spelled),
    )


def _of_texts(
    table: TableDescription, columns: Sequence[ColumnDescription], ask: Ask
) -> Iterator[ColumnFacts]:
    terms = []
    for number, column in enumerate(columns):
        name = quoted(column.name)
        plain = f"lower(trim({name}))"
        labels = ", ".join(map(literal, dict.fromkeys((*LABELS, column.name.lower()))))
        terms.append(f"count(*) FILTER (WHERE {plain} IN ({labels})) AS l{number}")
        terms.append(f"count(DISTINCT {name}) - count(DISTINCT {plain}) AS s{number}")
    row = ask(f"SELECT {', '.join(terms)} FROM {rows_of(table, sampled=True)}", 1)[0]
    for number, column in enumerate(columns):
        labels, apart = row[2 * number : 2 * number + 2]
        yield ColumnFacts(column=column.name, labels=int(labels), spelled_apart=int(apart))


def _is_kept_back(value: str) -> bool:
    return len(value) > _LONGEST_VALUE or _HIDDEN.search(value) is not None
