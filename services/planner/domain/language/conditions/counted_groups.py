"""Counts of things that a condition on their own rows holds for: "customers with over 10 orders".

The condition is on each of the things, which are counted only then; without this it would be on all
rows at once.
"""

from __future__ import annotations

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.lexicon.normalise import readable_table
from services.planner.domain.query.intent import (
    Aggregate,
    Field,
    Having,
    Intent,
    Measure,
    Operator,
)
from services.planner.domain.query.joining.keys import key_of

_COUNTS = (Aggregate.COUNT, Aggregate.COUNT_DISTINCT)
_AT_MOST = (Operator.LESS, Operator.AT_MOST)


def counting_groups(intent: Intent, catalogue: Catalogue) -> Intent:
    """The intent with its counted things grouped first, where a condition is on each of them."""
    if not intent.having or len(intent.measures) != 1:
        return intent
    measure = intent.measures[0]
    plain = measure.per is None and measure.where is None and measure.during is None
    thing = _thing(measure, catalogue)
    if measure.aggregate not in _COUNTS or not plain or thing is None:
        return intent
    split = {field for d in intent.dimensions for field in (d.expression, d.identity)}
    if thing in split or any(_same(having, measure) for having in intent.having):
        return intent
    grouped = {"aggregate": Aggregate.COUNT, "expression": None, "per": thing}
    return intent.model_copy(update={"measures": (measure.model_copy(update=grouped),)})


def why_no_groups(intent: Intent) -> str:
    """Why a condition on a number of each group is on no group at all; else empty."""
    if not intent.having or intent.dimensions or any(m.per is not None for m in intent.measures):
        return ""
    label = intent.having[0].measure.label
    return f"The question does not say whose {label} is to be compared with a number."


def left_out(intent: Intent) -> list[str]:
    """That things without any rows are missing where few rows are asked for: "under 5 orders"."""
    if any(join.optional for join in intent.joins):
        return []
    things = [m.per.table for m in intent.measures if m.per is not None]
    things += [d.identity.table for d in intent.dimensions if d.identity is not None]
    return [
        f"{readable_table(thing)} without any {readable_table(having.measure.table)} are left out"
        for having in intent.having
        for thing in dict.fromkeys(things)
        if having.operator in _AT_MOST
        and having.measure.aggregate in _COUNTS
        and having.measure.table != thing
    ]


def _thing(measure: Measure, catalogue: Catalogue) -> Field | None:
    """What tells the counted things apart: a column, or the only one of their table's key."""
    if isinstance(measure.expression, Field):
        return measure.expression if measure.aggregate is Aggregate.COUNT_DISTINCT else None
    table = catalogue.table(measure.table)
    key = key_of(table) if table is not None else ()
    known = measure.expression is None and len(key) == 1
    return Field(table=measure.table, column=key[0]) if known else None


def _same(having: Having, measure: Measure) -> bool:
    """Whether the condition is on the very number that is asked for, and so on its groups."""
    return (having.measure.table, having.measure.expression) == (measure.table, measure.expression)
