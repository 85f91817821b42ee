"""Makes repairs in the tables of a source that is being read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from services.executor.domain.doubt import Doubt
from services.executor.domain.source import Repair
from services.executor.repairs.fill_down import ROW
from services.executor.repairs.kinds import KINDS
from services.executor.repairs.repair import Mended, refused
from services.executor.sources.building import Building
from services.executor.sources.child_tables import add_lists
from services.executor.sources.manifest import StoredTable
from services.executor.sources.sql import literal, quoted

_ROWS = "_assay_rows"


def mend(building: Building, repairs: Sequence[Repair], *, of: Doubt | None = None) -> None:
    """Make each repair in every table that it can be made in, in order, and tell what it changed;
    that `of` a doubt in its table alone, without a word, as the doubt tells it. Those that readers
    make are made by now.

    Raises AssayError(INVALID_ARGUMENT) for one of an unknown kind, or of a column that no table
    has.
    """
    for repair in repairs:
        kind = KINDS.get(repair.kind)
        if kind is None:
            raise refused(repair, f"there is no such kind; there are {', '.join(KINDS)}")
        if not repair.column and repair.value in kind.read:
            if repair.option not in building.made:
                building.note(f"the repair {repair.option} found nothing to do")
            continue
        if kind.of_column and not repair.column:
            raise refused(repair, "it names no column")
        tables = [t for t in building.tables if _fits(repair, t)]
        tables = [t for t in tables if of is None or t.name == of.table]
        if not tables:
            raise refused(repair, f"{building.label} has no column {repair.column!r}")
        for table in tables:
            _make(building, table, repair, kind.mend(repair, table), is_mentioned=of is not None)


def _fits(repair: Repair, table: StoredTable) -> bool:
    return not repair.column or any(c.name == repair.column for c in table.columns)


def _make(
    building: Building, table: StoredTable, repair: Repair, mended: Mended, *, is_mentioned: bool
) -> None:
    changed = _changed(building, table, mended)
    building.decide(
        table.name,
        "repairs",
        repair.option,
        column=repair.column,
        because="a repair that was asked for, or is certain",
    )
    rows = "1 row" if changed == 1 else f"{changed:,} rows"
    prefix = f"{table.name}: " if len(building.tables) > 1 else ""
    if not is_mentioned:
        building.note(prefix + mended.text.format(rows), column=repair.column)
    if mended.lists:
        _with_children(building, table, mended)
    elif changed or mended.retypes:
        _rewrite(building, table, mended, after=repair.column)


def _changed(building: Building, table: StoredTable, mended: Mended) -> int:
    """How many rows a repair changes or leaves out."""
    terms = [
        f"({sql})::VARCHAR IS DISTINCT FROM {quoted(name)}::VARCHAR"
        for name, sql in mended.cells.items()
    ]
    terms += [f"({sql}) IS NOT NULL" for sql in mended.lists.values()]
    if mended.kept:
        terms.append(f"({mended.kept}) IS NOT TRUE")
    if not terms:
        return 0
    row = building.connection.execute(
        f"SELECT count(*) FROM (SELECT {' OR '.join(terms)} AS changed FROM "
        f"{_numbered(table, mended)}) WHERE changed"
    ).fetchone()
    return int(row[0]) if row else 0


def _numbered(table: StoredTable, mended: Mended) -> str:
    """SQL: the rows of a table, numbered where a repair speaks of the rows above."""
    if not any(quoted(ROW) in sql for sql in mended.cells.values()):
        return quoted(table.name)
    return f"(SELECT *, row_number() OVER () AS {quoted(ROW)} FROM {quoted(table.name)})"


def _rewrite(building: Building, table: StoredTable, mended: Mended, *, after: str) -> None:
    """Store the table again as it is after a repair."""
    selected: list[str] = []
    for column in table.columns:
        name = quoted(column.name)
        changed = column.name in mended.cells
        selected.append(f"({mended.cells[column.name]}) AS {name}" if changed else name)
        if column.name == after:
            selected += [f"({sql}) AS {quoted(new)}" for new, sql in mended.added.items()]
    columns = ", ".join(selected)
    rows = _numbered(table, mended)
    query = f"SELECT {columns} FROM {rows}"
    if mended.kept:
        query += f" WHERE {mended.kept}"
    if rows != quoted(table.name):
        query += f" ORDER BY {quoted(ROW)}"
    at = next(place for place, one in enumerate(building.tables) if one.name == table.name)
    if table.file:
        file = f"mended-{table.file}"  # another name: what is known of a file is kept by name
        building.write_parquet(building.in_stored_types(table.name, query), building.folder / file)
        (building.folder / table.file).unlink()
        table = table.model_copy(update={"file": file})
        path = literal(str(building.folder / file))
        stored = f"SELECT * FROM read_parquet({path})"
        building.connection.execute(f"CREATE OR REPLACE TEMP VIEW {quoted(table.name)} AS {stored}")
    else:
        stored = building.in_stored_types(table.name, query)
        building.connection.execute(f"CREATE TABLE {quoted(_ROWS)} AS {stored}")
        building.connection.execute(f"DROP TABLE {quoted(table.name)}")
        building.connection.execute(f"ALTER TABLE {quoted(_ROWS)} RENAME TO {quoted(table.name)}")
    building.tables[at] = _commented(building.again(table), mended.comments)


def _with_children(building: Building, table: StoredTable, mended: Mended) -> None:
    """Store the table again without its lists, and these as tables that refer to it."""
    replaced = ", ".join(f"{sql} AS {quoted(name)}" for name, sql in mended.lists.items())
    rows = f"SELECT * REPLACE ({replaced}) FROM {quoted(table.name)}"
    building.connection.execute(f"CREATE TEMP TABLE {quoted(_ROWS)} AS {rows}")
    building.tables.remove(table)
    building.connection.execute(f"DROP {'VIEW' if table.file else 'TABLE'} {quoted(table.name)}")
    if table.file:
        (building.folder / table.file).unlink()
    rows = f"SELECT * FROM {quoted(_ROWS)}"
    add_lists(building, table.name, rows, table.foreign_keys, table.primary_key)
    building.connection.execute(f"DROP TABLE {quoted(_ROWS)}")
    at = next(place for place, one in enumerate(building.tables) if one.name == table.name)
    comments = {column.name: column.comment for column in table.columns}
    building.tables[at] = _commented(
        building.tables[at].model_copy(
            update={"rejected": table.rejected, "comment": table.comment}
        ),
        comments,
    )


def _commented(table: StoredTable, comments: Mapping[str, str]) -> StoredTable:
    columns = tuple(
        column.model_copy(update={"comment": comments.get(column.name, column.comment)})
        for column in table.columns
    )
    return table.model_copy(update={"columns": columns})
