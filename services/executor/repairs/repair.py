"""A kind of repair as a value: what it is called, what it takes, and what it does, in SQL."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from mesh.errors import INVALID_ARGUMENT, AssayError
from services.executor.domain.source import Repair
from services.executor.sources.manifest import StoredColumn, StoredTable


@dataclass(frozen=True, slots=True)
class Mended:
    """What a repair does to a table: SQL over its columns.

    `cells` gives columns, by name, what stands in them from now on; `added` are columns that come
    after the one that is repaired; `lists` gives columns lists, which become tables of their own;
    `kept` says which rows stay.
    `said` tells people, with {} for how many rows it changed or left out. What `retypes` is stored
    anew though every value is as it was. `comments` are what is said of columns from now on.
    """

    text: str
    cells: Mapping[str, str] = field(default_factory=dict)
    added: Mapping[str, str] = field(default_factory=dict)
    lists: Mapping[str, str] = field(default_factory=dict)
    kept: str = ""
    retypes: bool = False
    comments: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind. `does` and `takes` are for people, `example` is what one writes behind `--read`.

    `of_column` says that it is done to a column, which must be named. `mend` raises AssayError
    (INVALID_ARGUMENT) for a value that the kind does not take. `read` are the values that readers
    deal with before there is a table, where the repair names no column.
    """

    name: str
    does: str
    takes: str
    example: str
    of_column: bool
    mend: Callable[[Repair, StoredTable], Mended]
    read: tuple[str, ...] = ()


def column_of(repair: Repair, table: StoredTable) -> StoredColumn:
    """The column that a repair names; it is there where a repair is made."""
    return next(column for column in table.columns if column.name == repair.column)


def text_column_of(repair: Repair, table: StoredTable) -> StoredColumn:
    """The column that a repair of texts names. Raises AssayError where it holds none."""
    column = column_of(repair, table)
    if column.type != "VARCHAR":
        raise refused(repair, f"{column.name} holds no texts")
    return column


def free_name(wanted: str, table: StoredTable) -> str:
    """A name for a column that the table does not have yet."""
    taken = {column.name.casefold() for column in table.columns}
    name, number = wanted, 2
    while name.casefold() in taken:
        name, number = f"{wanted}_{number}", number + 1
    return name


def refused(repair: Repair, why: str) -> AssayError:
    """The error for a repair that cannot be made."""
    return AssayError(
        INVALID_ARGUMENT,
        f"the repair {repair.option} cannot be made: {why}",
        hint="docs/repairs.md lists the kinds of repairs and what they take.",
        fields={"read_options.repairs": repair.option},
    )
