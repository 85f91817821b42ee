"""What is seen in a source that was just read; repairs that are certain are made at once."""

from __future__ import annotations

from collections.abc import Sequence

from services.executor.domain.doubt import Doubt
from services.executor.domain.source import ReaderOptions
from services.executor.doubts.finding import doubts_between, doubts_in, seen_stored
from services.executor.doubts.order import gravest_first
from services.executor.facts.asking import Rows
from services.executor.repairs.mending import mend
from services.executor.sources.building import Building
from services.executor.sources.digits import alike
from services.executor.sources.manifest import StoredTable
from services.executor.sources.measuring import measured


def doubted(
    building: Building, tables: Sequence[StoredTable], options: ReaderOptions
) -> tuple[tuple[StoredTable, ...], tuple[Doubt, ...]]:
    """The tables with what is certain repaired, unless they are to be raw or somebody said of what
    type the column is, and what was seen in them; nothing that a repair was asked for."""

    def ask(sql: str, most: int) -> Rows:
        return building.connection.execute(sql).fetchmany(most)

    building.tables[:] = tables
    asked = {(repair.kind, repair.column) for repair in options.repairs}
    found = [d for d in building.doubts if not asked & {(r.kind, r.column) for r in d.repairs}]
    seen = [seen_stored(table) for table in tables]
    doubts = [doubt for table in seen for doubt in doubts_in(table, ask)]
    for doubt in (*doubts, *doubts_between(seen, ask)):
        certain = doubt.certain and not options.raw and doubt.column not in options.types
        there = {table.name for table in building.tables}
        if certain:
            mend(building, [doubt.repairs[0]], of=doubt)
        made = [table.name for table in building.tables if table.name not in there]
        values = {"repaired": certain, "table": made[0] if made else doubt.table}
        found.append(doubt.model_copy(update=values))
    before = {table.name: table for table in tables}
    connection, folder = building.connection, building.folder
    after = [
        table if table is before.get(table.name) else measured(connection, table, folder)
        for table in building.tables
    ]
    return alike(after), tuple(gravest_first(found))
