"""How numbers are called."""

from __future__ import annotations

from services.planner.domain.lexicon.wording import rows_of, worded
from services.planner.domain.query.intent import (
    Aggregate,
    Measure,
)

_PREFIXES = {
    Aggregate.SUM: "total ",
    Aggregate.AVERAGE: "average ",
    Aggregate.MINIMUM: "lowest ",
    Aggregate.MAXIMUM: "highest ",
    Aggregate.MEDIAN: "median ",
    Aggregate.DEVIATION: "standard deviation of ",
    Aggregate.VARIANCE: "variance of ",
    Aggregate.COUNT: "number of ",
    Aggregate.COUNT_DISTINCT: "number of different ",
}


def measure_label(aggregate: Aggregate | None, name: str) -> str:
    """How a number is called: "average age", and "total" rather than "total total"."""
    plain = worded(name)
    prefix = _PREFIXES.get(aggregate, "") if aggregate is not None else ""
    return plain if prefix.strip() in plain.split() else prefix + plain


def count_label(table: str) -> str:
    """How a number of rows is called: "number of orders"."""
    return f"number of {rows_of(table)}"


def count_of_rows(table: str, text: str = "") -> Measure:
    """The measure that counts the rows of a table, called as they were `said` to be."""
    return Measure(aggregate=Aggregate.COUNT, table=table, label=count_label(text or table))
