"""Labels that stand once for several rows: North, then rows without a region, then South."""

from __future__ import annotations

from collections.abc import Iterator

from services.executor.domain.description import DataType
from services.executor.domain.doubt import Doubt, Use
from services.executor.domain.source import Repair
from services.executor.doubts.seen import Kind, SeenTable
from services.executor.facts.asking import Ask
from services.executor.sources.sql import quoted

_FEWEST_EMPTY = 0.3
_FEWEST_LABELS = 2
_OUTER = 2  # labels of groups stand left of what is in the groups


def _find(table: SeenTable, ask: Ask) -> Iterator[Doubt]:
    for place, column in enumerate(table.columns[:_OUTER]):
        filled = table.rows - column.nulls
        if column.data_type is not DataType.STRING or column.nulls < _FEWEST_EMPTY * table.rows:
            continue
        if filled < _FEWEST_LABELS or column.distinct != filled:
            continue
        if not any(other.nulls == 0 for other in table.columns[place + 1 :]):
            continue
        name = quoted(column.name)
        if ask(f"SELECT {name} FROM {quoted(table.name)} LIMIT 1", 1)[0][0] is None:
            continue
        yield Doubt(
            code="labels-once",
            table=table.name,
            column=column.name,
            rows=column.nulls,
            share=column.nulls / table.rows,
            examples=column.samples[:3],
            said=f"each of the {filled:,} values of {column.name} stands once and is followed by "
            f"rows without one, {column.nulls:,} in all: they may stand for several rows",
            changes=f"groups by {column.name}",
            repairs=(Repair(kind="fill-down", column=column.name, value="above"),),
            uses=(Use.GROUPED, Use.FILTERED),
            weight=0.4,
        )


LABELS_ONCE = Kind(
    "labels-once",
    "labels that stand once for several rows",
    "Reports name a group in its first row and leave the column empty below. Read as it stands, "
    "most rows belong to no group.",
    _find,
)
