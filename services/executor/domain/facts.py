"""What was measured of sources: keys, references, values, periods."""

from __future__ import annotations

from services.executor.domain.doubt import Doubt
from services.executor.domain.source import Frozen


class Key(Frozen):
    """Columns that tell rows apart. `nulls` are rows without one of them, which it tells not."""

    columns: tuple[str, ...]
    declared: bool = False
    nulls: int = 0


class ValueCount(Frozen):
    """A value as text, and in how many rows it stands."""

    value: str
    rows: int


class ColumnFacts(Frozen):
    """What a column holds.

    `values`, the most frequent first, are told where there are 50 at most and policy hides no cell;
    they are all there are where `whole`. Of texts, `labels` counts rows whose value is a total's
    label or the column's own name, and `spelled_apart` values that are another's but for case and
    spaces.
    """

    column: str
    whole: bool = False
    values: tuple[ValueCount, ...] = ()
    labels: int = 0
    spelled_apart: int = 0


class Coverage(Frozen):
    """The periods of a column of times, at one grain: `day`, `month` or `year`.

    `periods` have rows, `missing` lie between the first and the last and have none, of which
    `examples` are the first three. A first or last period is whole where the data's ends are no
    further from its ends than days of the data usually lie apart.
    """

    grain: str
    periods: int
    missing: int = 0
    examples: tuple[str, ...] = ()
    first_whole: bool = True
    last_whole: bool = True


class TimeFacts(Frozen):
    """From when to when a column of times goes, as days in ISO form, and over how many days."""

    column: str
    first: str
    last: str
    days: int
    coverage: tuple[Coverage, ...] = ()


class TableFacts(Frozen):
    """What was measured of a table; `measured_rows` of its rows, all of them where `exact`.

    `repeated_rows` counts rows that are whole rows again; None where it was not counted, as in a
    table with a key.
    """

    table: str
    rows: int
    measured_rows: int
    exact: bool = True
    keys: tuple[Key, ...] = ()
    columns: tuple[ColumnFacts, ...] = ()
    times: tuple[TimeFacts, ...] = ()
    repeated_rows: int | None = None


class ReferenceFacts(Frozen):
    """How rows of one table refer to those of another.

    `filled` rows have a value, `orphans` of them one that the other table does not have; `share` is
    the part of the different values that it has, from 0 to 1. Of the other table's `keys`, `used`
    are referred to, at most by `most` rows.
    """

    from_table: str
    from_column: str
    to_table: str
    to_column: str
    declared: bool
    filled: int
    orphans: int
    share: float
    keys: int
    used: int
    most: int
    exact: bool = True


class Facts(Frozen):
    """All of it. `unfinished` are tables that were not measured to the end; `doubts` were looked
    for here in databases that are read where they are."""

    tables: tuple[TableFacts, ...] = ()
    references: tuple[ReferenceFacts, ...] = ()
    unfinished: tuple[str, ...] = ()
    doubts: tuple[Doubt, ...] = ()
