"""What a query tells as expressions: its dimensions, its measures, and conditions on these."""

from __future__ import annotations

from sqlglot import exp

from services.planner.domain.query.intent import (
    Aggregate,
    Dimension,
    Field,
    Having,
    Measure,
    Operator,
    Period,
)
from services.planner.domain.query.joining.joins import key_of
from services.planner.domain.query.measures.calculated import binned
from services.planner.domain.query.measures.metrics import formula_tree, metric_of
from services.planner.domain.query.measures.per_entity import SumsPerEntity
from services.planner.domain.query.planning.metric_sql import of_rows
from services.planner.domain.query.planning.period_sql import inside, label_of_period, unit_of
from services.planner.domain.query.planning.predicates import (
    COMPARISONS,
    column_node,
    place_node,
)

FUNCTIONS: dict[Aggregate, str] = {
    Aggregate.COUNT: "COUNT",
    Aggregate.SUM: "SUM",
    Aggregate.AVERAGE: "AVG",
    Aggregate.MINIMUM: "MIN",
    Aggregate.MAXIMUM: "MAX",
    Aggregate.MEDIAN: "MEDIAN",
    Aggregate.DEVIATION: "STDDEV_SAMP",
    Aggregate.VARIANCE: "VAR_SAMP",
}
"""What an aggregate of one column is called in SQL."""


class Outputs(SumsPerEntity):
    """Renders what an intent tells; how it is put together is not known here."""

    def dimension(self, dimension: Dimension) -> exp.Expr:
        """What it shows of a row: as it is, in ranges, in periods or in units of time."""
        value = self.value(dimension.expression)
        grain = dimension.grain
        if dimension.bins is not None:
            return binned(value, dimension.bins)
        if dimension.periods:
            dated = dimension.periods[0].dated
            return label_of_period(dimension.periods, self.data_type(dated))
        return value if grain is None else unit_of(value, grain)

    def measure(self, measure: Measure) -> exp.Expr:
        """A number with its condition and its period."""
        whole = self.unfiltered(measure)
        if measure.aggregate is Aggregate.FORMULA:
            kept = [self.within(measure.during)] if measure.during is not None else []
            kept += [self.filter(measure.where)] if measure.where is not None else []
            return of_rows(whole, exp.and_(*kept)) if kept else whole
        if measure.during is not None:
            return exp.Filter(this=whole, expression=exp.Where(this=self.within(measure.during)))
        if measure.where is None:
            return whole
        return exp.Filter(this=whole, expression=exp.Where(this=self.filter(measure.where)))

    def within(self, period: Period) -> exp.Expr:
        """The condition that a row lies in a period."""
        return inside(period, self.data_type(period.dated))

    def unfiltered(self, measure: Measure) -> exp.Expr:
        """A number over all rows that the query keeps."""
        if measure.expression is None and measure.per is not None:
            entities = exp.Count(this=exp.Distinct(expressions=[column_node(measure.per)]))
            return exp.Div(this=exp.cast(exp.Count(this=exp.Star()), "DOUBLE"), expression=entities)
        if measure.expression is None:
            if measure.aggregate is Aggregate.COUNT_DISTINCT:
                table = self.catalogue.table(measure.table)
                keys = key_of(table) if table else ()
                columns = [column_node(Field(table=measure.table, column=key)) for key in keys]
                if columns:
                    return exp.Count(this=exp.Distinct(expressions=columns[:1]))
            return exp.Count(this=exp.Star())
        metric = metric_of(measure.expression, self.catalogue)
        if metric is not None and measure.aggregate is Aggregate.FORMULA:
            return exp.Paren(this=formula_tree(metric.formula).copy())
        value = self.value(measure.expression)
        if measure.aggregate is None:
            return (
                self.numeric(measure.expression, value)
                if isinstance(measure.expression, Field)
                else value
            )
        if measure.aggregate is Aggregate.COUNT:
            return exp.Count(this=value)
        if measure.aggregate is Aggregate.COUNT_DISTINCT:
            return exp.Count(this=exp.Distinct(expressions=[value]))
        if isinstance(measure.expression, Field):
            value = self.numeric(measure.expression, value)
        if measure.per is not None:
            entities = exp.Count(this=exp.Distinct(expressions=[column_node(measure.per)]))
            return exp.Div(this=exp.Sum(this=value), expression=entities)
        if measure.aggregate is Aggregate.PERCENTILE:
            share = exp.Literal.number(measure.quantile if measure.quantile is not None else 0.5)
            return exp.Anonymous(this="QUANTILE_CONT", expressions=[value, share])
        if measure.aggregate is Aggregate.CORRELATION and measure.other is not None:
            other = self.numeric(measure.other, column_node(measure.other))
            return exp.Anonymous(this="CORR", expressions=[value, other])
        return exp.Anonymous(this=FUNCTIONS[measure.aggregate], expressions=[value])

    def keys(self, dimension: Dimension) -> list[exp.Expr]:
        """What tells the values of a dimension apart."""
        keys = [self.dimension(dimension)]
        return [*keys, column_node(dimension.identity)] if dimension.identity else keys

    def having(self, having: Having) -> exp.Expr:
        """A condition on a number of each group."""
        measure = self.measure(having.measure)
        places = [place_node(value) for value in having.values]
        if having.operator is Operator.BETWEEN:
            return exp.Between(this=measure, low=places[0], high=places[1])
        return COMPARISONS[having.operator](this=measure, expression=places[0])
