"""What is remembered of a source beside its tables: names, keys, notes."""

from __future__ import annotations

from pydantic import Field

from services.executor.domain.doubt import Doubt
from services.executor.domain.source import Frozen


class StoredColumn(Frozen):
    """A column as stored; `type` is DuckDB's name of it.

    `digits` are the kinds of personal data that its plain digits are (`mesh.recognising.columns`).
    One that is not `read` has no cells here, and statistics of a sample (`partly`).
    """

    name: str
    type: str
    comment: str = ""
    digits: tuple[str, ...] = ()
    read: bool = True


class ForeignKey(Frozen):
    """A declared reference from one column to a column of another table."""

    column: str
    to_table: str
    to_column: str


class ColumnStatistics(Frozen):
    """Of a table of up to 50,000 rows counts are exact; above, large `distinct` are estimates.

    `minimum` and `maximum` are texts in ISO form, `samples` the most frequent values.
    """

    nulls: int
    distinct: int
    minimum: str | None
    maximum: str | None
    samples: tuple[str, ...]
    exact: bool


class Decision(Frozen):
    """One thing that was decided while reading, which a reader option can overrule.

    `subject` is an option's name ("delimiter", "types"), `column` what it was decided for (empty
    for the whole file), `value` what was chosen, `because` why, for people. A decision is
    `certain` unless another reading of the same content was possible.
    """

    table: str
    subject: str
    value: str
    column: str = ""
    because: str = ""
    certain: bool = True


class StoredTable(Frozen):
    """A table as stored: in the database, or in a Parquet `file` beside it.

    `rejected` counts rows that did not fit and were kept aside.
    """

    name: str
    rows: int
    columns: tuple[StoredColumn, ...]
    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    rejected: int = 0
    file: str = ""
    comment: str = ""
    statistics: dict[str, ColumnStatistics] = Field(default_factory=dict)


class Manifest(Frozen):
    """The content of one cached source. `notes` are sentences for people, `note_columns` says which
    column some of them speak of: whoever may not see it may not read them.

    `files` are the marks by which damage to the files beside it is noticed, `seal` is of the tables
    (`sealing`); older versions wrote none. `doubts` are what was seen in the rows, the gravest
    first.
    """

    label: str
    kind: str
    tables: tuple[StoredTable, ...]
    notes: tuple[str, ...] = ()
    note_columns: dict[str, str] = Field(default_factory=dict)
    decisions: tuple[Decision, ...] = ()
    files: dict[str, str] = Field(default_factory=dict)
    seal: str = ""
    doubts: tuple[Doubt, ...] = ()
