"""What must hold of the answer that a recipe's plan gave, before it is told.

A plan that was made for another question may run without an error and still be wrong here. Its
answer must have the columns that the intent names, one row where nothing is split, no group twice,
and numbers that the data can give: counts from nought, shares up to one, averages between the
least and the greatest value of their column.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.query.intent import (
    Aggregate,
    Calculation,
    Field,
    Intent,
    Measure,
)

_TESTED = ("about", "statistic", "value", "text")
_WITHIN = (Aggregate.AVERAGE, Aggregate.MEDIAN, Aggregate.MINIMUM, Aggregate.MAXIMUM)
_COUNTS = (Aggregate.COUNT, Aggregate.COUNT_DISTINCT)
_SLACK = 1e-9  # of a range: averages of equal floats may differ from them in their last digit


def broken(intent: Intent, answer: pa.Table, catalogue: Catalogue) -> str:
    """The first thing that does not hold of an answer; empty when all does."""
    return next(_broken(intent, answer, catalogue), "")


def _broken(intent: Intent, answer: pa.Table, catalogue: Catalogue) -> Iterator[str]:
    wanted = _columns(intent)
    missing = [name for name in wanted if name not in answer.column_names]
    if missing:
        yield f"the answer has no column {missing[0]}"
        return
    if intent.profile or _is_answered_by_test(intent):
        return
    grouped = intent.grouped and not intent.having and intent.limit is None
    if grouped and not intent.dimensions and answer.num_rows != 1:
        yield f"the answer has {answer.num_rows:,} rows instead of one"
    if intent.grouped and intent.dimensions and not any(d.identity for d in intent.dimensions):
        names = [dimension.label for dimension in intent.dimensions]
        if _groups(answer.select(names)) != answer.num_rows:
            yield f"the answer has a group of {', '.join(names)} twice"
    for measure in intent.measures:
        yield from _out_of_range(answer, measure.label, *_range(measure, catalogue))
    for derived in intent.derived:
        if derived.calculation is Calculation.SHARE:
            yield from _out_of_range(answer, derived.label, 0.0, 1.0)


def _groups(table: pa.Table) -> int:
    """How many different rows there are.

    Arrow imports pandas to group rows, and to give an array to numpy, which takes as long as the
    rest of an answer; here is neither.
    """
    rows = table.num_rows
    numbered = np.zeros(rows, np.int64)
    if not rows:
        return 0
    for column in table.columns:
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        coded = pc.dictionary_encode(column.combine_chunks(), null_encoding="encode")
        indices = np.frombuffer(coded.indices.buffers()[1], np.int32)[coded.indices.offset :][:rows]
        both = numbered * len(coded.dictionary) + indices
        numbered = np.unique(both, return_inverse=True)[1]
    return len(np.unique(numbered))


def _columns(intent: Intent) -> list[str]:
    if _is_answered_by_test(intent):
        return list(_TESTED)
    if intent.profile:
        return []
    dimensions = [dimension.label for dimension in intent.dimensions]
    numbers = [derived.label for derived in intent.derived]
    return dimensions + numbers + [measure.label for measure in intent.measures]


def _is_answered_by_test(intent: Intent) -> bool:
    return intent.statistic is not None and not intent.statistic.beside


def _range(measure: Measure, catalogue: Catalogue) -> tuple[float | None, float | None]:
    if measure.expression is None or measure.aggregate in _COUNTS:
        return 0.0, None
    if measure.aggregate not in _WITHIN or measure.per is not None:
        return None, None
    if not isinstance(measure.expression, Field):
        return None, None
    table = catalogue.table(measure.expression.table)
    column = table.column(measure.expression.column) if table is not None else None
    return (None, None) if column is None else (_number(column.minimum), _number(column.maximum))


def _out_of_range(
    answer: pa.Table, name: str, low: float | None, high: float | None
) -> Iterator[str]:
    least, greatest = (_number(value) for value in _ends(answer.column(name)))
    slack = _SLACK * max(abs(low or 0.0), abs(high or 0.0), 1.0)
    if least is not None and low is not None and least < low - slack:
        yield f"{name} goes down to {least:g}, where {low:g} is the least there can be"
    if greatest is not None and high is not None and greatest > high + slack:
        yield f"{name} goes up to {greatest:g}, where {high:g} is the most there can be"


def _ends(values: pa.ChunkedArray) -> tuple[Any, Any]:
    if not (pa.types.is_integer(values.type) or pa.types.is_floating(values.type)):
        return None, None
    ends = pc.min_max(values)
    return ends["min"].as_py(), ends["max"].as_py()


def _number(text: Any) -> float | None:
    try:
        return float(text)
    except (TypeError, ValueError):
        return None
