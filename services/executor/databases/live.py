"""A database that is asked where it is, and what is known of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from services.executor.databases.address import Address
from services.executor.domain.source import Frozen
from services.executor.sources.manifest import StoredTable
from services.executor.sources.prepared import PreparedSource


class LiveColumn(Frozen):
    """A column of a relation: its name there, its type there, in stored types."""

    name: str
    native: str
    stored: str


class Relation(Frozen):
    """A table or view of a database; `columns` by the names they have in the request.

    `oid` is its number, where it has one. `stamp` changes when somebody writes to it.
    """

    schema_name: str
    name: str
    oid: int = 0
    is_view: bool
    rows_known: bool
    columns: Mapping[str, LiveColumn]
    stamp: str = ""


@dataclass(frozen=True, slots=True)
class LiveSource(PreparedSource):
    """A source whose rows stay where they are. `database` is where copies of its tables may lie.

    `relations` by the names its tables have in the request. The digest covers the address, the
    schema and the stamps: it tells that something was written, not what. Row counts and statistics
    are the database's estimates.
    """

    address: Address = field(kw_only=True, repr=False)
    relations: Mapping[str, Relation] = field(kw_only=True, repr=False)


def live(source: PreparedSource) -> LiveSource | None:
    """The source if it is a database that is asked where it is."""
    return source if isinstance(source, LiveSource) else None


def tables_of(source: LiveSource) -> dict[str, StoredTable]:
    """The tables by name."""
    return {table.name: table for table in source.tables}


def only_database(sources: Sequence[PreparedSource]) -> LiveSource | None:
    """The one database that all sources are, None where there are several places."""
    unique = {source.digest: source for source in sources}
    return live(next(iter(unique.values()))) if len(unique) == 1 else None
