"""What the card of the data says of facts that were measured of all rows: every value of a short
domain, whole and missing periods, rows that refer to nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from mesh.policy import Disclosure, Policy
from services.planner.domain.catalogue import Catalogue, Column, ColumnRole, DataType, Relationship
from services.planner.domain.facts import Coverage, ReferenceFacts, TableFacts

MOST_VALUES = 50
_LONGEST_VALUE, _MOST_NUMBERS = 24, 12
_DENSE = 0.5
_SEVERAL = 2
_SHORT_ONES = (DataType.STRING, DataType.BOOLEAN)
_TIMES = (DataType.DATE, DataType.DATETIME)


@dataclass(frozen=True)
class Measured:
    """Facts by table and by the ends of a reference, those alone that hold of every row."""

    tables: Mapping[str, TableFacts] = field(default_factory=dict)
    references: Mapping[tuple[str, str, str, str], ReferenceFacts] = field(default_factory=dict)


def measured_of(catalogue: Catalogue, level: Disclosure) -> Measured:
    """The facts that may be told at a level of disclosure: none below values."""
    if not level.allows(Disclosure.VALUES):
        return Measured()
    facts = catalogue.facts
    return Measured(
        {one.table: one for one in facts.tables if one.exact},
        {one.ends: one for one in facts.references if one.exact},
    )


def with_domain(column: Column, known: TableFacts | None, policy: Policy) -> Column:
    """A column with all values of its domain as samples, where these are short and come again; as
    it is where one of them is hidden."""
    short = column.data_type in _SHORT_ONES or column.data_type is DataType.INTEGER
    if known is None or not short or column.role is ColumnRole.ID:
        return column
    found = next((one for one in known.columns if one.column == column.name and one.whole), None)
    values = tuple(one.value for one in found.values) if found is not None else ()
    most = MOST_VALUES if column.data_type in _SHORT_ONES else _MOST_NUMBERS
    again = _SEVERAL * len(values) <= known.rows - column.nulls
    if not len(column.samples) < len(values) <= most or not again:
        return column
    fits = all(len(text) <= _LONGEST_VALUE and not _is_hidden(policy, text) for text in values)
    return (
        column.model_copy(update={"samples": values, "distinct": len(values)}) if fits else column
    )


@lru_cache(maxsize=4_096)
def _is_hidden(policy: Policy, text: str) -> bool:
    """Kept, because the same values are told with every question, and to look for a telephone
    number in one takes longer than all else."""
    return policy.match(text) is not None


def describe_periods(column: Column, known: TableFacts | None) -> list[str]:
    """How many months, or days or years, the times of a column cover, which of them have no rows,
    and whether the first and last are whole."""
    if known is None or column.data_type not in _TIMES:
        return []
    found = next((one for one in known.times if one.column == column.name), None)
    by_grain = {one.grain: one for one in found.coverage} if found is not None else {}
    for grain in ("month", "year", "day"):
        one = by_grain.get(grain)
        if one is not None and one.periods >= _SEVERAL and _is_dense(one):
            return [_of_periods(one)]
    return []


def _is_dense(one: Coverage) -> bool:
    return one.periods >= _DENSE * (one.periods + one.missing)


def _of_periods(one: Coverage) -> str:
    parts = [
        name for name, whole in (("first", one.first_whole), ("last", one.last_whole)) if not whole
    ]
    every = f"{one.periods + one.missing} {'whole ' if not parts else ''}{one.grain}s"
    missing = [f"{one.missing} without rows such as {one.examples[0]}"] if one.examples else []
    cut = [f"the {' and '.join(parts)} not whole"] if parts else []
    return ", ".join((every, *missing, *cut))


def describe_reference(link: Relationship, known: Measured) -> str:
    """How many rows refer to nothing, and how many are referred to by none; empty where nobody
    counted."""
    ends = (link.from_table, link.from_column, link.to_table, link.to_column)
    one = known.references.get(ends)
    if one is None or link.further:
        return ""
    texts = [f"up to {one.most:,} each"] if one.most > 1 else []
    texts += [f"{one.orphans:,} of {one.filled:,} find none"] if one.orphans else []
    idle = one.keys - one.used
    texts += [f"{idle:,} of {one.keys:,} have none"] if idle > 0 else []
    return "".join(f", {part}" for part in texts)
