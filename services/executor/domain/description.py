"""What a source holds, as told to planners: tables, columns, statistics, relationships."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from services.executor.domain.doubt import Doubt
from services.executor.domain.source import Frozen


class DataType(StrEnum):
    """Logical type of a column, whatever the source's own name for it (seed 002)."""

    STRING = "string"
    INTEGER = "integer"
    FLOAT = "float"
    BOOLEAN = "boolean"
    DATE = "date"
    DATETIME = "datetime"


class ColumnRole(StrEnum):
    """What a column is for, inferred from its name, type and statistics (seed 002)."""

    DIMENSION = "dimension"
    MEASURE = "measure"
    ID = "id"
    TIMESTAMP = "timestamp"


class ColumnDescription(Frozen):
    """One column. `distinct` may be an estimate in large tables.

    `minimum` and `maximum` are texts in ISO form; `samples` are the five most frequent values. One
    that is `unread` has all of these from a sample.
    """

    name: str
    data_type: DataType
    role: ColumnRole
    nullable: bool = False
    distinct: int = 0
    nulls: int = 0
    minimum: str | None = None
    maximum: str | None = None
    samples: tuple[str, ...] = ()
    comment: str = ""
    unread: bool = False


class TableDescription(Frozen):
    """One table, under the name that SQL of the request uses for it."""

    name: str
    source_name: str
    rows: int
    columns: tuple[ColumnDescription, ...]
    primary_key: tuple[str, ...] = ()
    comment: str = ""


class Relationship(Frozen):
    """Rows of `from_table` refer to a row of `to_table`.

    `confidence` is 1.0 where the source declares it, else how far names and values agree.
    """

    from_table: str
    from_column: str
    to_table: str
    to_column: str
    confidence: float = 1.0
    declared: bool = True


class ReadDecision(Frozen):
    """One thing that was decided while a file was read; `subject` is the option to overrule it.

    `column` is empty for the whole table. Another reading was possible unless it is `certain`.
    """

    source_name: str
    table: str
    subject: str
    value: str
    column: str = ""
    because: str = ""
    certain: bool = True


class SourceDescription(Frozen):
    """Everything a planner may know of a request's sources, after policy.

    `notes` tell what was decided while reading (rows kept aside, renamed columns), `doubts` what
    was seen in files that may make answers wrong.
    """

    tables: tuple[TableDescription, ...]
    relationships: tuple[Relationship, ...] = ()
    schema_fingerprint: str
    notes: tuple[str, ...] = ()
    decisions: tuple[ReadDecision, ...] = ()
    doubts: tuple[Doubt, ...] = ()


@dataclass(frozen=True, slots=True)
class Bin:
    """Rows with values from one on to below another; of the last bin of a column, to its end."""

    start: str
    end: str
    rows: int


@dataclass(frozen=True, slots=True)
class ColumnFindings:
    """What was seen in the values of a column.

    `missing` are texts that stand for no value, with their number; `spellings` groups of values
    that differ by case or spaces alone, `bins` how numbers and times are spread, in spans of equal
    length.
    """

    column: str
    mean: float | None = None
    missing: tuple[tuple[str, int], ...] = ()
    spellings: tuple[tuple[str, ...], ...] = ()
    bins: tuple[Bin, ...] = ()


@dataclass(frozen=True, slots=True)
class TableFindings:
    """What was seen in a table."""

    table: str
    columns: tuple[ColumnFindings, ...] = ()


@dataclass(frozen=True, slots=True)
class Findings:
    """What the rows show; `unfinished` names tables that were not looked at to the end."""

    tables: tuple[TableFindings, ...] = ()
    unfinished: tuple[str, ...] = ()


class ValueHit(Frozen):
    """A cell value that matches a phrase. `score` is 1.0 for an exact match, falling to 0."""

    phrase: str
    table: str
    column: str
    value: str
    score: float
