"""Which values the columns of a table hold, and texts among them that are no values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from mesh.pseudonym import HIDDEN
from services.executor.domain.description import ColumnDescription, DataType, TableDescription
from services.executor.domain.facts import ColumnFacts, ValueCount
from services.executor.facts.asking import Ask, is_exact, rows_of
from services.executor.sources.sql import literal, quoted

LABELS = (
    "total", "totals", "grand total", "sum", "subtotal", "sub-total", "sub total", "overall",
)  # fmt: skip
"""What a row of totals is called, in lower case."""
MOST_VALUES = 50
_MOST_COLUMNS = 200
_LONGEST_VALUE = 200
_TOGETHER = 30
_HIDDEN = re.compile(HIDDEN)


def column_facts(table: TableDescription, ask: Ask) -> Iterator[ColumnFacts]:
    """Facts of a table's columns, those left out that have none to tell. Raises UnansweredError."""
    few, texts = [], []
    for column in table.columns[:_MOST_COLUMNS]:
        if 0 < column.distinct <= MOST_VALUES:
            few.append(column)
        elif column.data_type is DataType.STRING and column.distinct:
            texts.append(column)
    for column in few:
        if (found := _domain(table, column, ask)) is not None:
            yield found
    for start in range(0, len(texts), _TOGETHER):
        yield from _of_texts(table, texts[start : start + _TOGETHER], ask)


def _domain(table: TableDescription, column: ColumnDescription, ask: Ask) -> ColumnFacts | None:
    """All values of a column; None where there are more than was estimated, or one is hidden."""
    name = quoted(column.name)
    rows = ask(
        f"SELECT {name}, count(*) AS n FROM {rows_of(table, sampled=True)} WHERE {name} IS NOT "
        f"NULL GROUP BY {name} ORDER BY n DESC, {name} LIMIT {MOST_VALUES + 1}",
        MOST_VALUES + 1,
    )
    told = [(_text(value), int(n)) for value, n in rows]
    if len(told) > MOST_VALUES or any(_is_kept_back(value) for value, _ in told):
        return None
    values = tuple(ValueCount(value=value, rows=n) for value, n in told)
    if column.data_type is not DataType.STRING:
        return ColumnFacts(column=column.name, whole=is_exact(table), values=values)
    labels = (*LABELS, column.name.lower())
    spelled = Counter(value.strip().lower() for value, _ in told)
    return ColumnFacts(
        column=column.name,
        whole=is_exact(table),
        values=values,
        labels=sum(n for value, n in told if value.strip().lower() in labels),
        spelled_apart=len(told) - len(spelled),
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


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value.isoformat() if hasattr(value, "isoformat") else value)


def _is_kept_back(value: str) -> bool:
    return len(value) > _LONGEST_VALUE or _HIDDEN.search(value) is not None
