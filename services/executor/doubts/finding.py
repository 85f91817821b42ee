"""Looks for doubts of every kind in a table."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from services.executor.domain.description import TableDescription
from services.executor.domain.doubt import Doubt
from services.executor.doubts.keys import between
from services.executor.doubts.kinds import KINDS
from services.executor.doubts.order import gravest_first
from services.executor.doubts.seen import SeenColumn, SeenTable
from services.executor.facts.asking import Ask, UnansweredError
from services.executor.sources.manifest import StoredTable
from services.executor.sources.stored_types import data_type


def doubts_in(table: SeenTable, ask: Ask) -> list[Doubt]:
    """What is seen in a table; of a kind that cannot be asked for in time, what was seen so far."""
    found: list[Doubt] = []
    for kind in KINDS if table.rows else ():
        with suppress(UnansweredError):
            found.extend(kind.find(table, ask))
    return gravest_first(found)


def doubts_between(tables: Sequence[SeenTable], ask: Ask) -> list[Doubt]:
    """What is seen between tables, of each column once; what takes too long is left out."""
    found: dict[tuple[str, str], Doubt] = {}
    with suppress(UnansweredError):
        for doubt in between(tables, ask) if len(tables) > 1 else ():
            found.setdefault((doubt.table, doubt.column), doubt)
    return list(found.values())


def seen_stored(table: StoredTable) -> SeenTable:
    """A table of a source that was just read."""
    columns = []
    for column in table.columns:
        known = table.statistics.get(column.name)
        facts = known.model_dump(exclude={"exact"}) if known is not None else {}
        columns.append(SeenColumn(column.name, data_type(column.type), **facts))
    return SeenTable(table.name, table.rows, tuple(columns))


def seen_described(table: TableDescription) -> SeenTable:
    """A table of a database that is read where it is."""
    return SeenTable(
        table.name,
        table.rows,
        tuple(
            SeenColumn(c.name, c.data_type, c.nulls, c.distinct, c.minimum, c.maximum, c.samples)
            for c in table.columns
        ),
    )
