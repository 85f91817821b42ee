"""What the columns of an answer are for: time, categories and measured numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from services.planner.domain.analysis.evidence import EvidenceTable
from services.planner.domain.analysis.reporting.units import parted, stated_unit
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.language.intent import (
    Aggregate,
    Calculation,
    Dimension,
    Grain,
    Intent,
    Measure,
)
from services.planner.domain.language.joining.entities import counts_rows, repeated_ids
from services.planner.domain.language.normalising.wording import is_plural
from services.planner.domain.language.planning.fractions import parts_of_all, parts_of_one

_TIMES = frozenset({Grain.YEAR, Grain.QUARTER, Grain.MONTH, Grain.WEEK, Grain.DAY})
_NAMES_NOT_AMOUNTS = re.compile(r"(?:^|[\s_])(?i:id|year|code|zip|no)$|(?:^|[a-z_])(?:ID|Id)$")
_MONTHS = range(1, 13)
_PROFILE = ("column", "statistic", "value", "text")


@dataclass(frozen=True, slots=True)
class Category:
    """A column that says what a row is about; `grain` is empty where it is no time."""

    column: str
    grain: str = ""
    is_time: bool = False


@dataclass(frozen=True, slots=True)
class Number:
    """A column of measured numbers. `counted` is the plural of what a count counts, or empty.

    `rows` says that it counts rows of these, several of which are of one of them.
    `calculation` says how it was worked out from the others, where it was, and `part` that it is
    some of the rows against all of them; `stated` is the unit that the source states of the column
    behind it.
    """

    column: str
    counted: str = ""
    aggregated: bool = True
    additive: bool = True
    calculation: Calculation | None = None
    stated: str = ""
    part: bool = False
    rows: bool = False

    @property
    def name(self) -> str:
        """The column in words, without its unit."""
        return parted(self.column)[0]

    @property
    def unit(self) -> str:
        """The unit that the column names, else the one that its source states, or empty."""
        return parted(self.column)[1] or self.stated

    @property
    def plural(self) -> bool:
        """Whether the name takes "are" and "they": sales, stars."""
        return not self.counted and is_plural(self.name)

    @property
    def fraction(self) -> bool:
        """Whether the values are parts of one, which people read in per cent."""
        return self.part or self.calculation in (Calculation.SHARE, Calculation.GROWTH)


@dataclass(frozen=True, slots=True)
class Shape:
    """The columns of an answer by what they are for, in their order."""

    categories: tuple[Category, ...]
    numbers: tuple[Number, ...]

    @property
    def time(self) -> Category | None:
        """The column of times, if there is one."""
        return next((c for c in self.categories if c.is_time), None)

    @property
    def raw(self) -> bool:
        """Whether rows stand for themselves rather than for groups."""
        return not any(number.aggregated for number in self.numbers)


def shape_of(
    table: EvidenceTable, intent: Intent | None, catalogue: Catalogue | None = None
) -> Shape:
    """Read the columns by the intent's labels; columns it does not name, by their types.

    Columns that share a name are left out. The catalogue knows the units that sources state.
    """
    dimensions = {d.label: d for d in intent.dimensions} if intent else {}
    measures = {m.label: m for m in intent.measures} if intent else {}
    derived = {d.label: d.calculation for d in intent.derived} if intent else {}
    parts, of_one = parts_of_all(intent), parts_of_one(intent, catalogue)
    categories: list[Category] = []
    numbers: list[Number] = []
    names = table.rows.column_names
    months = numbered_months(table, intent)
    for field in table.rows.schema:
        if names.count(field.name) > 1:
            continue  # a claim could not say which of the columns it is from
        if field.name in months:
            categories.append(Category(field.name, Grain.MONTH_OF_YEAR.value, is_time=False))
        elif field.name in dimensions:
            categories.append(_category(field, dimensions[field.name]))
        elif field.name in measures and is_amount(field.type):
            number = _number(measures[field.name], catalogue)
            numbers.append(replace(number, part=field.name in of_one))
        elif field.name in derived and is_amount(field.type):
            how, part = derived[field.name], field.name in parts
            numbers.append(Number(field.name, additive=False, calculation=how, part=part))
        elif is_amount(field.type) and not _NAMES_NOT_AMOUNTS.search(field.name):
            numbers.append(Number(field.name, aggregated=intent is None or intent.grouped))
        else:
            categories.append(_category(field, None))
    return Shape(tuple(categories), tuple(numbers))


def numbered_months(table: EvidenceTable, intent: Intent | None) -> frozenset[str]:
    """The columns by which the answer is split that hold months as numbers, 1 to 12."""
    split = [d.label for d in intent.dimensions if d.grain is None] if intent else []
    return frozenset(
        name
        for name in split
        if name.casefold().split()[-1:] == ["month"]
        and table.has(name)
        and is_amount(table.rows.schema.field(name).type)
        and all(v is None or v in _MONTHS for v in table.rows.column(name).to_pylist())
    )


def is_profile(table: EvidenceTable) -> bool:
    """Whether the frame is one that profiler.analyze makes."""
    return all(table.has(name) for name in _PROFILE)


def is_amount(kind: pa.DataType) -> bool:
    """Whether a column of this type holds numbers."""
    return bool(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    )


def is_name(column: str) -> bool:
    """Whether numbers of such a column are names (a year, an id) rather than amounts."""
    return _NAMES_NOT_AMOUNTS.search(column) is not None


def first_named(table: EvidenceTable, names: Sequence[str]) -> str | None:
    """The first of the names that is a column of the table; case and "_" are ignored."""
    there = {_plain(column): column for column in table.rows.column_names}
    return next((there[_plain(name)] for name in names if _plain(name) in there), None)


def _plain(name: str) -> str:
    return name.casefold().replace("_", " ")


def _category(field: pa.Field, dimension: Dimension | None) -> Category:
    temporal = pa.types.is_temporal(field.type)
    if dimension is not None and dimension.grain is not None:
        return Category(field.name, dimension.grain.value, dimension.grain in _TIMES)
    a_year = field.name.casefold().split()[-1:] == ["year"] and is_amount(field.type)
    return Category(field.name, "year" if a_year else "", temporal or a_year)


def _number(measure: Measure, catalogue: Catalogue | None) -> Number:
    counts = measure.aggregate in (Aggregate.COUNT, Aggregate.COUNT_DISTINCT)
    counted = measure.label.removeprefix("number of ") if counts else ""
    if counted == measure.label:
        counted = ""
    adds_up = measure.aggregate in (Aggregate.COUNT, Aggregate.SUM)
    return Number(
        measure.label,
        counted,
        measure.aggregate is not None,
        measure.additive and adds_up,
        stated="" if counts else stated_unit(measure, catalogue),
        rows=bool(counted) and _of_repeated_things(measure, catalogue),
    )


def _of_repeated_things(measure: Measure, catalogue: Catalogue | None) -> bool:
    """Whether a count is of rows that repeat the things which they are of."""
    table = catalogue.table(measure.table) if catalogue is not None else None
    return table is not None and counts_rows(measure, table) and bool(repeated_ids(table))
