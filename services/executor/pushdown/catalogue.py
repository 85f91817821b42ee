"""A catalogue of what a database tells of its tables, whichever it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from services.executor.databases.found import MOST_TABLES, Catalogue, free_name
from services.executor.databases.live import LiveColumn, Relation
from services.executor.pushdown.target import Target
from services.executor.sources.manifest import StoredColumn, StoredTable


@dataclass
class Told:
    """A table as a database tells of it; `columns` are name, type there and comment."""

    schema: str
    name: str
    is_view: bool = False
    rows: int | None = None
    comment: str = ""
    columns: list[tuple[str, str, str]] = field(default_factory=list)
    key: tuple[str, ...] = ()


def catalogue(
    target: Target, tables: Iterable[Told], stamps: Mapping[tuple[str, str], str]
) -> Catalogue:
    """The tables under the names they have in a request. `stamps` by schema and name, where the
    database tells when somebody wrote."""
    found = Catalogue()
    seen = list(tables)
    if len(seen) > MOST_TABLES:
        found.notes.append(
            f"only the first {MOST_TABLES:,} tables are seen; name schemas to choose"
        )
    for told in seen[:MOST_TABLES]:
        _add(found, target, told, stamps.get((told.schema, told.name), ""))
    return found


def _add(found: Catalogue, target: Target, told: Told, stamp: str) -> None:
    taken = {table.casefold() for table in found.relations}
    called = free_name(told.name, f"{told.schema}_{told.name}", taken)
    live: dict[str, LiveColumn] = {}
    stored: list[StoredColumn] = []
    for name, native, comment in told.columns:
        kept = target.stored_type(native)
        if not kept or not _plain(name):
            found.notes.append(f"{called}: column {name} ({native}) is left out")
            continue
        shown = free_name(name, name, {other.casefold() for other in live})
        live[shown] = LiveColumn(name=name, native=native, stored=kept)
        stored.append(StoredColumn(name=shown, type=kept, comment=comment))
    if not stored:
        return
    if not (_plain(told.name) and _plain(told.schema)):
        found.notes.append(f"{called}: a name with quotation marks or backslashes is left out")
        return
    by_own = {column.name: shown for shown, column in live.items()}
    key = tuple(by_own[name] for name in told.key if name in by_own)
    found.relations[called] = Relation(
        schema_name=told.schema,
        name=told.name,
        is_view=told.is_view,
        rows_known=told.rows is not None,
        columns=live,
        stamp=stamp,
    )
    found.tables.append(
        StoredTable(
            name=called,
            rows=told.rows or 0,
            columns=tuple(stored),
            comment=told.comment,
            primary_key=key if len(key) == len(told.key) else (),
        )
    )


def _plain(name: str) -> bool:
    """Whether all dialects quote the name alike: none of its signs is escaped in one of them."""
    return name.isprintable() and not any(sign in name for sign in "\\\"'`[]{}")
