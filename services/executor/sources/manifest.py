"""What is remembered of a source beside its tables: names, keys, notes."""

from __future__ import annotations

from services.executor.domain.source import Frozen


class StoredColumn(Frozen):
    """A column as stored; `type` is DuckDB's name of it."""

    name: str
    type: str
    comment: str = ""


class ForeignKey(Frozen):
    """A declared reference from one column to a column of another table."""

    column: str
    to_table: str
    to_column: str


class StoredTable(Frozen):
    """A table as stored. `rejected` counts rows that did not fit and were kept aside."""

    name: str
    rows: int
    columns: tuple[StoredColumn, ...]
    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    rejected: int = 0


class Manifest(Frozen):
    """The content of one cached source. `notes` are sentences for people.

    `salt` is random and stays in the home folder; see `PreparedSource`.
    """

    label: str
    kind: str
    tables: tuple[StoredTable, ...]
    notes: tuple[str, ...] = ()
    salt: str
