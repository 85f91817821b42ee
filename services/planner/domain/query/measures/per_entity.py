"""Medians, extremes and the like of sums per thing: sums first, in a query of their own.

So it is with numbers of things that joins repeat: in a query of their own each is told once.
"""

from __future__ import annotations

from sqlglot import exp

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.query.intent import Aggregate, Dimension, Field, Intent, Measure
from services.planner.domain.query.joining.joins import key_of
from services.planner.domain.query.planning.predicates import Predicates, by_rank, column_node

_ENTITY, _APART = "thing", "apart"
_SUMS = "things"


def needs_sums_first(intent: Intent) -> bool:
    """Whether sums per thing come together otherwise than by an average, which divides one sum, or
    things are to be told once that joins repeat."""
    return any(
        m.once or (m.per is not None and m.aggregate is not Aggregate.AVERAGE)
        for m in intent.measures
    )


class SumsPerEntity(Predicates):
    """Renders what is summed, or counted, within each thing of an intent."""

    def __init__(self, intent: Intent, catalogue: Catalogue) -> None:
        super().__init__(catalogue)
        self.intent = intent

    def summed(self, measure: Measure) -> exp.Expr:
        """The sum, or the count of rows, within one thing; of what counts once its own value."""
        if measure.once:
            return exp.Max(this=self._own_value(measure))
        if measure.expression is None:
            return exp.Count(this=exp.Star())
        value = self.value(measure.expression)
        if isinstance(measure.expression, Field):
            value = self.numeric(measure.expression, value)
        return exp.Sum(this=value)

    def _own_value(self, measure: Measure) -> exp.Expr:
        """What is the same however often a row is repeated: its value, or its key to be counted."""
        if measure.expression is None:
            return column_node(self.keys_of(measure.table)[0])
        value = self.value(measure.expression)
        counted = measure.aggregate in (Aggregate.COUNT, Aggregate.COUNT_DISTINCT)
        if counted or not isinstance(measure.expression, Field):
            return value
        return self.numeric(measure.expression, value)

    def keys_of(self, table: str) -> list[Field]:
        """The columns that tell the rows of a table apart."""
        known = self.catalogue.table(table)
        return [Field(table=table, column=key) for key in (key_of(known) if known else ())]

    def list_entity_keys(self) -> list[exp.Expr]:
        """The columns of the things that are summed, or told once, first."""
        found = [m.per for m in self.intent.measures if m.per is not None]
        once = dict.fromkeys(m.table for m in self.intent.measures if m.once)
        found += [key for table in once for key in self.keys_of(table)]
        return [column_node(field) for field in dict.fromkeys(found)]

    def list_distinct_keys(self) -> list[exp.Expr]:
        """What tells the summed things, and equal names of dimensions, apart."""
        found: list[exp.Expr] = [
            exp.alias_(column_node(d.identity), f"{_APART} {place}", quoted=True)
            for place, d in enumerate(self.intent.dimensions)
            if d.identity
        ]
        return [*found, exp.alias_(self.list_entity_keys()[0], _ENTITY, quoted=True)]


def aggregate_entities(
    sums: exp.Select, intent: Intent, function: dict[Aggregate, str]
) -> exp.Select:
    """One number over the sums of each group, sorted as the intent says."""
    outputs: list[exp.Expr] = [
        exp.alias_(_column(d.label), d.label, quoted=True) for d in intent.dimensions
    ]
    shown = [m for m in intent.measures if m.shown]
    outputs += [exp.alias_(_over(m, function), m.label, quoted=True) for m in shown]
    select = exp.select(*outputs).from_(sums.subquery(_SUMS))
    keys = [key for place, d in enumerate(intent.dimensions) for key in _keys(d, place)]
    if keys:
        select = select.group_by(*keys)
    for order in intent.order:
        if order.target == "measure":
            target = _over(intent.measures[order.index], function)
        elif order.target == "dimension":
            target = by_rank(_column(intent.dimensions[order.index].label), order.ranks)
        else:
            continue
        select = select.order_by(exp.Ordered(this=target, desc=order.descending, nulls_first=False))
    return select


def _keys(dimension: Dimension, place: int) -> list[exp.Expr]:
    keys = [_column(dimension.label)]
    return [*keys, _column(f"{_APART} {place}")] if dimension.identity else keys


def _over(measure: Measure, function: dict[Aggregate, str]) -> exp.Expr:
    value = _column(measure.label)
    if measure.once and measure.aggregate is Aggregate.COUNT_DISTINCT:
        return exp.Count(this=exp.Distinct(expressions=[value]))
    if measure.per is None and not measure.once:
        return exp.Sum(this=value)
    if measure.aggregate is Aggregate.PERCENTILE:
        share = exp.Literal.number(measure.quantile if measure.quantile is not None else 0.5)
        return exp.Anonymous(this="QUANTILE_CONT", expressions=[value, share])
    aggregate = measure.aggregate or Aggregate.AVERAGE
    return exp.Anonymous(this=function[aggregate], expressions=[value])


def _column(label: str) -> exp.Expr:
    return exp.column(label, table=_SUMS, quoted=True)
