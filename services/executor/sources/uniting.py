"""Tables of the same columns made one, where a request asks for it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from services.executor.sources.building import Building
from services.executor.sources.manifest import StoredTable
from services.executor.sources.sql import literal, quoted

_FILE_COLUMN = "source_file"


def unite(building: Building, name: str) -> None:
    """Replace tables from files that have equal column names by one, the types widened.

    The column `source_file` says which file a row is from. Tables that stand alone stay.
    """
    groups: dict[tuple[str, ...], list[StoredTable]] = defaultdict(list)
    for table in building.tables:
        if table.file:
            groups[tuple(column.name for column in table.columns)].append(table)
    for names, tables in groups.items():
        if len(tables) < 2:
            continue
        kept = [table for table in building.tables if table not in tables]
        selects = " UNION ALL ".join(
            f"SELECT {', '.join(map(quoted, names))}, {literal(table.name)} AS "
            f"{quoted(_free(names))} FROM {quoted(table.name)}"
            for table in tables
        )
        path = building.folder / f"united-{len(groups)}-{tables[0].file}"
        building.write_parquet(building.in_stored_types(name, selects), path)
        for table in tables:
            building.connection.execute(f"DROP VIEW {quoted(table.name)}")
            (building.folder / table.file).unlink()
        building.tables[:] = kept
        united = building.free_name(name)
        building.enter_file(
            united,
            path.name,
            rejected=sum(table.rejected for table in tables),
            comments=_common_comments(tables),
        )
        taken = {table.name for table in tables}
        building.decisions[:] = dict.fromkeys(
            decision.model_copy(update={"table": united}) if decision.table in taken else decision
            for decision in building.decisions
        )
        building.note(f"{united} holds the rows of {len(tables)} files; {_free(names)} says which")


def _common_comments(tables: Sequence[StoredTable]) -> dict[str, str]:
    """The comments that a column has in every one of the tables."""
    comments = [{(column.name, column.comment) for column in table.columns} for table in tables]
    return dict(set.intersection(*comments))


def _free(names: tuple[str, ...]) -> str:
    taken = {name.casefold() for name in names}
    return _FILE_COLUMN if _FILE_COLUMN not in taken else f"{_FILE_COLUMN}_2"
