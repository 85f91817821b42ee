"""Rows that are called totals and were not left out: their numbers are not the sums of others."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mesh.text.total_labels import WORDS
from services.executor.domain.description import DataType
from services.executor.domain.doubt import Doubt, Use
from services.executor.domain.source import Repair
from services.executor.doubts.seen import Kind, SeenTable
from services.executor.facts.asking import Ask
from services.executor.sources.sql import literal, quoted

_MOST_ROWS = 200_000  # reports that people write are far smaller
_FEW = 0.3
_MOST_LABELS = 5
_NUMBERS = (DataType.INTEGER, DataType.FLOAT)
_TOTAL_OF = re.compile(r"(?i)(?:totals?|sum|summe|gesamt|ergebnis) ([^\W\d].*)")
_SPACE = re.compile(r"\s+")


def _find(table: SeenTable, ask: Ask) -> Iterator[Doubt]:
    numbers = any(column.data_type in _NUMBERS for column in table.columns)
    if not numbers or table.rows > _MOST_ROWS:
        return
    for column in table.columns:
        if column.data_type is not DataType.STRING:
            continue
        name = quoted(column.name)
        found = ask(
            f"SELECT trim({name}), count(*) FROM {quoted(table.name)} "
            f"WHERE regexp_full_match(trim({name}), {literal(WORDS)}) "
            "GROUP BY 1 ORDER BY 2 DESC, 1",
            _MOST_LABELS + 1,
        )
        rows = sum(int(count) for _, count in found)
        if len(found) > _MOST_LABELS or rows > _FEW * table.rows:
            continue
        for label, count in found:
            if not (of := _TOTAL_OF.fullmatch(str(label))) or _stands(of[1], table, ask):
                yield _doubt(table, column.name, str(label), int(count))


def _stands(name: str, table: SeenTable, ask: Ask) -> bool:
    """Whether some column of words has this value: Total North adds up North, Total Recall does
    not add up Recall."""
    terms = " OR ".join(
        f"lower(trim({quoted(column.name)})) = lower({literal(name)})"
        for column in table.columns
        if column.data_type is DataType.STRING
    )
    return bool(ask(f"SELECT 1 FROM {quoted(table.name)} WHERE {terms} LIMIT 1", 1))


def _doubt(table: SeenTable, column: str, label: str, count: int) -> Doubt:
    rows = "1 row is" if count == 1 else f"{count:,} rows are"
    return Doubt(
        code="totals",
        table=table.name,
        column=column,
        rows=count,
        share=count / table.rows,
        examples=(label,),
        said=f'{rows} called "{_SPACE.sub(" ", label)}" in {column} and may add up others',
        changes="sums and means, which count twice what such a row adds up",
        repairs=(Repair(kind="leave-out", column=column, value=label),),
        uses=(Use.ROWS, Use.COMPUTED),
        weight=0.4,
    )


TOTALS = Kind(
    "totals",
    "rows that may add up others",
    "A row called Total or Subtotal inside a table is counted beside the rows that it adds up. "
    "Where its numbers are not their sums only its name speaks for that, so it stays until people "
    "say otherwise.",
    _find,
)
