"""A catalogue of what a database tells of its tables, whichever it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from services.executor.databases.found import MOST_TABLES, Catalogue, free_name
from services.executor.databases.live import LiveColumn, Relation
from services.executor.pushdown.target import Target
from services.executor.sources.manifest import StoredColumn, StoredTable


@dataclass
class TableDescription:
    """A table as a database tells of it; `columns` are name, type there and comment."""

    schema: str
    name: str
    is_view: bool = False
    rows: int | None = None
    comment: str = ""
    columns: list[tuple[str, str, str]] = field(default_factory=list)
    key: tuple[str, ...] = ()


def catalogue(
    target: Target, tables: Iterable[TableDescription], stamps: Mapping[tuple[str, str], str]
) -> Catalogue:
    """The tables under the names they have in a request. `stamps` by schema and name, where the
    database tells when somebody wrote."""
    found = Catalogue()
    seen = list(tables)
    if len(seen) > MOST_TABLES:
        found.notes.append(
            f"only the first {MOST_TABLES:,} tables are seen; name schemas to choose"
        )
    for table_description in seen[:MOST_TABLES]:
        _add(
            found,
            target,
            table_description,
            stamps.get((table_description.schema, table_description.name), ""),
        )
    return found


def _add(found: Catalogue, target: Target, table_description: TableDescription, stamp: str) -> None:
    taken = {table.casefold() for table in found.relations}
    called = free_name(
        table_description.name, f"{table_description.schema}_{table_description.name}", taken
    )
    live: dict[str, LiveColumn] = {}
    stored: list[StoredColumn] = []
    for name, native, comment in table_description.columns:
        kept = target.stored_type(native)
        if not kept or not _plain(name):
            found.notes.append(f"{called}: column {name} ({native}) is left out")
            continue
        shown = free_name(name, name, {other.casefold() for other in live})
        live[shown] = LiveColumn(name=name, native=native, stored=kept)
        stored.append(StoredColumn(name=shown, type=kept, comment=comment))
    if not stored:
        return
    if not (_plain(table_description.name) and _plain(table_description.schema)):
        found.notes.append(f"{called}: a name with quotation marks or backslashes is left out")
        return
    by_own = {column.name: shown for shown, column in live.items()}
    key = tuple(by_own[name] for name in table_description.key if name in by_own)
    found.relations[called] = Relation(
        schema_name=table_description.schema,
        name=table_description.name,
        is_view=table_description.is_view,
        rows_known=table_description.rows is not None,
        columns=live,
        stamp=stamp,
    )
    found.tables.append(
        StoredTable(
            name=called,
            rows=table_description.rows or 0,
            columns=tuple(stored),
            comment=table_description.comment,
            primary_key=key if len(key) == len(table_description.key) else (),
        )
    )


def _plain(name: str) -> bool:
    """Whether all dialects quote the name alike: none of its signs is escaped in one of them."""
    return name.isprintable() and not any(sign in name for sign in "\\\"'`[]{}")
