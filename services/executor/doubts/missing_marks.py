"""Texts that stand for no value among words: n/a, unknown, -, none."""

from __future__ import annotations

from collections.abc import Iterator

from services.executor.domain.description import DataType
from services.executor.domain.doubt import Doubt, Use
from services.executor.domain.source import Repair
from services.executor.doubts.seen import Kind, SeenColumn, SeenTable
from services.executor.facts.asking import Ask
from services.executor.sources.delimited.plain import MISSING
from services.executor.sources.sql import literal, quoted

_MOST = 3
_MOST_OF_ALL = 0.9
_MOST_VALUES = 20_000


def _find(table: SeenTable, ask: Ask) -> Iterator[Doubt]:
    for column in table.columns:
        if column.data_type is DataType.STRING and 1 < column.distinct <= _MOST_VALUES:
            yield from _marks(table, column, ask)


def _marks(table: SeenTable, column: SeenColumn, ask: Ask) -> Iterator[Doubt]:
    name = quoted(column.name)
    listed = ", ".join(map(literal, sorted({mark.lower() for mark in MISSING})))
    found = ask(
        f"SELECT {name}, count(*) AS n FROM {quoted(table.name)} "
        f"WHERE lower(trim({name})) IN ({listed}) GROUP BY 1 ORDER BY n DESC, 1",
        _MOST,
    )
    rows = sum(int(count) for _, count in found)
    if rows > _MOST_OF_ALL * (table.rows - column.nulls):
        return
    for mark, count in found:
        times = "once" if count == 1 else f"{count:,} times"
        yield Doubt(
            code="missing-mark",
            table=table.name,
            column=column.name,
            rows=int(count),
            share=int(count) / table.rows,
            examples=(str(mark),),
            said=f'{column.name} is "{mark}" {times}, which may stand for no value',
            changes="it is a group of its own",
            repairs=(Repair(kind="nothing", column=column.name, value=str(mark)),),
            uses=(Use.GROUPED,),
            weight=0.2,
        )


MISSING_MARKS = Kind(
    "missing-mark",
    "words that stand for no value",
    "n/a, unknown or a dash among the values of a category are a group of their own. They may be "
    "read as no value; NA may be Namibia, and none an answer, so only people can say.",
    _find,
)
