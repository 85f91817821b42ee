"""Which numbers of an answer are parts of one, and so are told and drawn in per cent."""

from __future__ import annotations

from services.planner.domain.catalogue import Catalogue, Column, DataType
from services.planner.domain.lexicon.normalise import readable
from services.planner.domain.query.intent import Aggregate, Calculation, Field, Intent, Measure
from services.planner.domain.semantics.kinds import is_flag

# What is called so and lies between nought and one is a part of one: a discount of 0.15.
_PARTS = frozenset(
    """share rate ratio discount percentage percent pct proportion fraction probability
    margin""".split()
)
_KEEPS_ITS_SCALE = (
    None,
    Aggregate.AVERAGE,
    Aggregate.MEDIAN,
    Aggregate.MINIMUM,
    Aggregate.MAXIMUM,
    Aggregate.PERCENTILE,
)


def parts_of_all(intent: Intent | None) -> frozenset[str]:
    """The ratios that are some of the rows against all of them."""
    found = set()
    for ratio in intent.derived if intent is not None else ():
        if intent is None or ratio.calculation is not Calculation.RATIO or ratio.against is None:
            continue
        some, whole = intent.measures[ratio.of], intent.measures[ratio.against]
        if (
            some.where is not None
            and some.model_copy(update={"where": whole.where, "label": whole.label}) == whole
        ):
            found.add(ratio.label)
    return frozenset(found)


def parts_of_one(intent: Intent | None, catalogue: Catalogue | None) -> frozenset[str]:
    """The numbers of columns that hold parts of one, as their names and values tell."""
    if intent is None or catalogue is None:
        return frozenset()
    return frozenset(m.label for m in intent.measures if _is_part(m, catalogue))


def _is_part(measure: Measure, catalogue: Catalogue) -> bool:
    target = measure.expression
    if not isinstance(target, Field) or measure.aggregate not in _KEEPS_ITS_SCALE:
        return False
    table = catalogue.table(target.table)
    column = table.column(target.column) if table is not None else None
    if column is None or table is None:
        return False
    if measure.aggregate is Aggregate.AVERAGE and is_flag(column):
        return _is_nought_or_one(column)
    return holds_parts_of_one(column)


def holds_parts_of_one(column: Column) -> bool:
    """Whether a column tells per cent as parts of one, as its name and values tell: 0.15."""
    if column.data_type is not DataType.FLOAT:
        return False
    if not _PARTS & set(readable(column.name).split()[-1:]):
        return False
    try:
        low, high = float(column.minimum or "nan"), float(column.maximum or "nan")
    except ValueError:
        return False
    return 0 <= low < high <= 1


def _is_nought_or_one(column: Column) -> bool:
    """Whether a flag is a number, so that its average is the share of those that have it."""
    number = column.data_type in (DataType.INTEGER, DataType.FLOAT)
    return number and {column.minimum, column.maximum} <= {"0", "1", "0.0", "1.0"}


def is_fraction(intent: Intent, label: str, catalogue: Catalogue | None = None) -> bool:
    """Whether the column of that name holds shares, growth, or parts of all rows or of one."""
    worked_out = {derived.label: derived.calculation for derived in intent.derived}.get(label)
    of_one = worked_out in (Calculation.SHARE, Calculation.GROWTH)
    return of_one or label in parts_of_all(intent) | parts_of_one(intent, catalogue)
