"""A source that is ready to be queried, and the fingerprint of what it holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mesh.canonical import canonical_json
from mesh.digest import sha256_hex
from services.executor.domain.description import SourceDescription
from services.executor.domain.doubt import Doubt
from services.executor.domain.facts import Facts
from services.executor.sources.manifest import Decision, StoredTable


@dataclass(frozen=True, slots=True)
class PreparedSource:
    """A source that is ready to be queried, from files that nobody writes any more.

    `database` is a DuckDB file with the tables that came from a database, and the rows of files
    that were kept aside; each table of a file is a Parquet file beside it.

    `kinds` are those of its files, such as "csv". `salt` goes into the pseudonyms of blocked cells:
    the same in one home, unknown outside it. `seal` is of what was read (`sealing`); empty where
    nothing was, because it is read where it is. What was read in part (`partly`) has a `digest` of
    its own and is `part_of` the one by which the content goes.
    """

    digest: str
    label: str
    database: Path
    tables: tuple[StoredTable, ...]
    notes: tuple[str, ...]
    decisions: tuple[Decision, ...]
    schema_fingerprint: str
    salt: str = field(repr=False)
    kinds: tuple[str, ...] = ()
    note_columns: Mapping[str, str] = field(default_factory=dict)
    seal: str = ""
    doubts: tuple[Doubt, ...] = ()
    part_of: str = ""

    @property
    def content_digest(self) -> str:
        """The digest of content and options: the same whichever columns were read."""
        return self.part_of or self.digest

    @property
    def unread(self) -> tuple[str, ...]:
        """The columns that were not read."""
        return tuple(c.name for table in self.tables for c in table.columns if not c.read)

    def file(self, table: StoredTable) -> Path | None:
        """The Parquet file that holds a table; None for one that is in `database`."""
        return self.database.with_name(table.file) if table.file else None

    @property
    def rows(self) -> int:
        """Rows of all tables together."""
        return sum(table.rows for table in self.tables)


@dataclass(frozen=True, slots=True)
class Described:
    """What sources hold, the sources, the columns that policy hides, and facts if there are any."""

    description: SourceDescription
    sources: list[PreparedSource]
    hidden: list[str]
    facts: Facts | None


def schema_fingerprint(tables: tuple[StoredTable, ...]) -> str:
    """The fingerprint of stored tables: equal for equal schemas, whatever the rows."""
    return triples_fingerprint((t.name, c.name, c.type) for t in tables for c in t.columns)


def triples_fingerprint(triples: Iterable[tuple[str, str, str]]) -> str:
    """SHA-256 of the sorted (table, column, type) triples."""
    return sha256_hex(canonical_json(sorted(list(triple) for triple in triples)))
