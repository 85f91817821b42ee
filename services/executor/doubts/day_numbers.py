"""Numbers that count days as workbooks do, in columns that are called days."""

from __future__ import annotations

from collections.abc import Iterator

from services.executor.domain.description import DataType
from services.executor.domain.doubt import Doubt
from services.executor.domain.source import Repair
from services.executor.doubts.seen import Kind, SeenTable
from services.executor.facts.asking import Ask

_WORDS = frozenset({"date", "day", "datum", "fecha", "data", "tag", "jour"})
_FIRST, _LAST = 30_000, 60_000  # 1982-02-18 to 2064-04-08
_FEWEST = 2


def _find(table: SeenTable, ask: Ask) -> Iterator[Doubt]:
    from services.executor.sources.naming import words_of  # stemming is slow to import

    for column in table.columns:
        if column.data_type is not DataType.INTEGER or column.distinct < _FEWEST:
            continue
        words = words_of(column.name)
        if not words or words[-1] not in _WORDS:
            continue
        low, high = int(column.minimum or 0), int(column.maximum or 0)
        if low >= _FIRST and high <= _LAST:
            yield Doubt(
                code="day-numbers",
                table=table.name,
                column=column.name,
                rows=table.rows - column.nulls,
                share=1.0,
                examples=column.samples[:3],
                said=f"{column.name} is called a day and holds {low} to {high}, as workbooks count "
                "days",
                changes="whether it is a time or an amount",
                repairs=(Repair(kind="day-numbers", column=column.name, value="dates"),),
                weight=0.1,
                certain=True,
            )


DAY_NUMBERS = Kind(
    "day-numbers",
    "numbers that count days",
    "Workbooks keep days as numbers (45,292 is 1 January 2024), and where their format is lost the "
    "numbers are what is left. In a column of days, or in one that is called so and holds nothing "
    "else, they are days.",
    _find,
)
