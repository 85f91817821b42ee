"""Questions to begin with, made of what a table's columns mean; whoever offers them plans them
first."""

from __future__ import annotations

from collections.abc import Iterator

from services.planner.domain.lexicon.normalise import readable, readable_table
from services.planner.domain.look.kinds import SemanticKind
from services.planner.domain.look.look import ColumnLook, TableLook

_ADDS_UP = (SemanticKind.AMOUNT,)
_NUMBERS = (SemanticKind.INTENSIVE, SemanticKind.LEVEL, SemanticKind.NUMBER)
_GROUPS = (SemanticKind.CATEGORY, SemanticKind.FLAG)
_MOST_KINDS = 60


def questions_of(tables: tuple[TableLook, ...]) -> Iterator[str]:
    """Questions, the likeliest to be of use first, of several kinds in turn."""
    ranked = sorted(tables, key=lambda table: (-_weight(table), table.name))
    for made in (_over_time, _by_group, _counted):
        for table in ranked:
            yield from made(table)


def _weight(table: TableLook) -> int:
    """How much can be asked of a table: numbers and times count most."""
    numbers = len(_of(table, *_ADDS_UP, *_NUMBERS))
    return 3 * min(numbers, 3) + 2 * bool(_of(table, SemanticKind.TIME)) + len(_groups(table)[:3])


def _over_time(table: TableLook) -> Iterator[str]:
    if _of(table, SemanticKind.TIME):
        yield f"number of {readable_table(table.name)} by month"


def _by_group(table: TableLook) -> Iterator[str]:
    for group in _groups(table)[:2]:
        for column in _of(table, *_ADDS_UP)[:2]:
            yield f"total {readable(column.name)} by {readable(group.name)}"
        for column in _of(table, *_NUMBERS)[:2]:
            yield f"average {readable(column.name)} by {readable(group.name)}"


def _counted(table: TableLook) -> Iterator[str]:
    for group in _groups(table)[:2]:
        yield f"number of {readable_table(table.name)} by {readable(group.name)}"


def _groups(table: TableLook) -> list[ColumnLook]:
    return [c for c in _of(table, *_GROUPS) if 1 < c.distinct <= _MOST_KINDS]


def _of(table: TableLook, *kinds: SemanticKind) -> list[ColumnLook]:
    return [column for column in table.columns if column.kind in kinds]
