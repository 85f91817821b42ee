"""What the columns of an answer are for: time, categories and measured numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.lexicon.wording import is_plural
from services.planner.domain.query.intent import (
    Aggregate,
    Calculation,
    Dimension,
    Grain,
    Intent,
    Measure,
)
from services.planner.domain.query.joining.entities import counts_rows, repeated_ids
from services.planner.domain.query.planning.fractions import parts_of_all, parts_of_one
from services.planner.domain.reporting.evidence import EvidenceTable
from services.planner.domain.reporting.units import parted, stated_unit
from services.planner.domain.statements.column import ResultColumn

_TIMES = frozenset({Grain.YEAR, Grain.QUARTER, Grain.MONTH, Grain.WEEK, Grain.DAY})
_NAMES_NOT_AMOUNTS = re.compile(r"(?:^|[\s_])(?i:id|year|code|zip|no)$|(?:^|[a-z_])(?:ID|Id)$")
_MONTHS = range(1, 13)
_NAMING = frozenset({"label", "date"})
_YEARS = range(1000, 3000)
_ROUNDING = 1e-9
_COUNTED = "number of "
_FIRST_NAMES = frozenset({"first", "given", "fore"})
_LAST_NAMES = frozenset({"last", "family", "sur", "surname"})
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
    table: EvidenceTable,
    intent: Intent | None,
    catalogue: Catalogue | None = None,
    columns: Sequence[ResultColumn] = (),
) -> Shape:
    """Read the columns by the intent's labels, or by what they are said to be; columns that neither
    names, by their types.

    Columns that share a name are left out. The catalogue knows the units that sources state; others
    are as they are said to be.
    """
    if intent is None and columns:
        return _shape_by_roles(table, columns)
    dimensions = {d.label: d for d in intent.dimensions} if intent else {}
    measures = {m.label: m for m in intent.measures} if intent else {}
    derived = {d.label: d.calculation for d in intent.derived} if intent else {}
    texts = {one.name: one.unit for one in columns}
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
            unit = number.stated or ("" if number.counted else texts.get(field.name, ""))
            numbers.append(replace(number, part=field.name in of_one, stated=unit))
        elif field.name in derived and is_amount(field.type):
            how, part = derived[field.name], field.name in parts
            numbers.append(Number(field.name, additive=False, calculation=how, part=part))
        elif is_amount(field.type) and not _NAMES_NOT_AMOUNTS.search(field.name):
            numbers.append(Number(field.name, aggregated=intent is None or intent.grouped))
        else:
            categories.append(_category(field, None))
    return Shape(tuple(categories), tuple(numbers))


def _shape_by_roles(table: EvidenceTable, columns: Sequence[ResultColumn]) -> Shape:
    """Rows are called by their times and labels; by keys only where nothing names them. Places in
    an order are told by the order itself."""
    names = table.rows.column_names
    known = [one for one in true_of(table, columns) if names.count(one.name) == 1]
    roles = {one.role for one in known}
    categories = [
        _categorise(one, table)
        for one in known
        if one.role in ("label", "date") or (one.role == "key" and not _NAMING & roles)
    ]
    numbers = [_measured(one) for one in known if one.role in ("measure", "share")]
    return Shape(tuple(categories), tuple(numbers))


def true_of(table: EvidenceTable, columns: Sequence[ResultColumn]) -> tuple[ResultColumn, ...]:
    """The columns that a frame has, as far as its values bear out what was said of them: a year is
    a whole number of four digits, a month one from 1 to 12, a part of one not above it."""
    there = table.rows.column_names
    return tuple(_confirm_column(one, table) for one in columns if there.count(one.name) == 1)


def _confirm_column(one: ResultColumn, table: EvidenceTable) -> ResultColumn:
    if not is_amount(table.rows.schema.field(one.name).type):
        wrong = one.role in ("measure", "share", "rank")
        return one.model_copy(update={"role": "label"}) if wrong else one
    values = [value for value in table.rows.column(one.name).to_pylist() if value is not None]
    if one.grain in ("year", "month_of_year"):
        fits = _YEARS if one.grain == "year" else _MONTHS
        if not all(value in fits for value in values):
            return one.model_copy(update={"role": "measure", "grain": ""})
    if one.fraction and any(abs(value) > 1.0 + _ROUNDING for value in values):
        return one.model_copy(update={"fraction": False})
    return one


def _categorise(one: ResultColumn, table: EvidenceTable) -> Category:
    number = is_amount(table.rows.schema.field(one.name).type)
    is_time = one.role == "date" and (not number or one.grain == "year")
    return Category(one.name, one.grain, is_time)


def _measured(one: ResultColumn) -> Number:
    name = one.name.replace("_", " ")
    counted = name[len(_COUNTED) :] if name.casefold().startswith(_COUNTED) else ""
    stated = "" if counted else one.unit
    return Number(one.name, counted, additive=one.additive, stated=stated, part=one.fraction)


def is_full_name(before: str, after: str) -> bool:
    """Whether two columns hold the first and the last names of people."""
    first, last = set(words_of(before)), set(words_of(after))
    named = "name" in first and ("name" in last or "surname" in last)
    return named and bool(_FIRST_NAMES & first) and bool(_LAST_NAMES & last)


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
        rows=bool(counted) and _counts_repeated_rows(measure, catalogue),
    )


def _counts_repeated_rows(measure: Measure, catalogue: Catalogue | None) -> bool:
    """Whether a count is of rows that repeat the things which they are of."""
    table = catalogue.table(measure.table) if catalogue is not None else None
    return table is not None and counts_rows(measure, table) and bool(repeated_ids(table))
