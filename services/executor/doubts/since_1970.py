"""Numbers that count seconds or milliseconds since 1970, in columns that are called moments."""

from __future__ import annotations

from collections.abc import Iterator

from services.executor.domain.description import DataType
from services.executor.domain.doubt import Doubt
from services.executor.domain.source import Repair
from services.executor.doubts.seen import Kind, SeenTable
from services.executor.facts.asking import Ask

_WORDS = frozenset({"timestamp", "ts", "epoch", "time", "datetime", "date", "at", "on"})
_FIRST, _LAST = 978_307_200, 4_102_444_800  # seconds at the beginning of 2001 and of 2100
_UNITS = (("seconds", 1), ("milliseconds", 1_000))
_FEWEST = 2


def _find(table: SeenTable, ask: Ask) -> Iterator[Doubt]:
    from services.executor.sources.naming import words_of  # stemming is slow to import

    for column in table.columns:
        if column.data_type is not DataType.INTEGER or column.distinct < _FEWEST:
            continue
        words = words_of(column.name)
        low, high = int(column.minimum or 0), int(column.maximum or 0)
        for unit, many in _UNITS if words and words[-1] in _WORDS else ():
            if low >= _FIRST * many and high <= _LAST * many:
                yield Doubt(
                    code="since-1970",
                    table=table.name,
                    column=column.name,
                    rows=table.rows - column.nulls,
                    share=1.0,
                    examples=column.samples[:3],
                    said=f"{column.name} is called a moment and holds {low} to {high}, as programs "
                    f"count {unit} since 1970",
                    changes="whether it is a time or an amount",
                    repairs=(Repair(kind="since-1970", column=column.name, value=unit),),
                    weight=0.1,
                    certain=True,
                )


SINCE_1970 = Kind(
    "since-1970",
    "numbers that count from 1970",
    "Programs keep moments as seconds or milliseconds since the beginning of 1970 in UTC "
    "(1,706,158,800 is 25 January 2024). In a column that is called a moment and holds nothing "
    "else from before 2001 or after 2100, they are moments.",
    _find,
)
