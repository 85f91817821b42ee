"""A filled form of a reading as an `Intent`: every name, type and value held against the data.

The joins are found here, by the same graph as the rules'. What does not fit is refused in words
that the model gets back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from services.planner.adapters.llm.naming import Names, UnfitError
from services.planner.adapters.llm.reading import (
    ProposedReading,
    ReadDimension,
    ReadFilter,
    ReadHaving,
    ReadMeasure,
)
from services.planner.adapters.llm.values import Values
from services.planner.domain.catalogue import Catalogue, DataType
from services.planner.domain.language.intent import (
    Aggregate,
    ChartType,
    Condition,
    Dimension,
    Filter,
    Grain,
    Group,
    Having,
    Intent,
    Measure,
    Membership,
    Operator,
    Order,
)
from services.planner.domain.language.joining.joins import JoinGraph, JoinTree
from services.planner.domain.language.normalising.normalise import readable, readable_table
from services.planner.domain.language.work import count_label, measure_label
from services.planner.domain.reader.accounting import fields_of
from services.planner.domain.reader.chart.labels import Labels
from services.planner.domain.reader.chart.measurable import is_measurable
from services.planner.domain.reader.chart.sketch import Number
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.reader.links.semantics import Kind

_DEEPEST = 4
_AVERAGE = ("average",)
_EMPTY = (Operator.IS_NULL, Operator.NOT_NULL)
_SEVERAL = (Operator.IN, Operator.NOT_IN)
_LESS_OR_MORE = (Operator.GREATER, Operator.AT_LEAST, Operator.LESS, Operator.AT_MOST)
_REPEATABLE = frozenset((Aggregate.COUNT_DISTINCT, Aggregate.MINIMUM, Aggregate.MAXIMUM, None))
"""What is the same where a join repeats rows."""
_SUMMED = re.compile(r"\b(total|sum|summed|combined|altogether)\b", re.IGNORECASE)

Part = TypeVar("Part")
Made = TypeVar("Made")


class Converter:
    """Converts the readings of one question. `catalogue` holds what the model may know of."""

    def __init__(self, catalogue: Catalogue, question: str, values: Values) -> None:
        self._names = Names(catalogue)
        self._graph = JoinGraph(catalogue)
        self._values = values
        self._summed = bool(_SUMMED.search(question))

    def intent(self, form: ProposedReading) -> Intent:
        """The reading as an intent. Raises UnfitError with what is wrong with it."""
        if wrong := list(_unshapely(form)):
            raise UnfitError(*wrong)
        base = self._names.table(form.base)
        labels = Labels()
        dimensions = _each(form.dimensions, lambda d: self._dimension(d, base, labels))
        measures = _each(form.measures, lambda m: self._measure(m, base, labels))
        filters = _each(form.filters, lambda f: self._filter(f, base))
        having = _each(form.having, lambda h: self._having(h, base))
        if form.limit > 1:  # one is what a superlative asks for
            self._values.number(form.limit)
        intent = Intent(
            base=base, measures=measures, dimensions=dimensions, filters=filters, having=having,
            order=tuple(
                Order(target=o.by, index=o.index, descending=o.descending) for o in form.order
            ),
            limit=form.limit or None, distinct=form.distinct and not measures,
            series=len(dimensions) - 1 if form.series else None,
            chart=ChartType(form.chart) if form.chart else None, chart_named=bool(form.chart),
        )  # fmt: skip
        start, tree = self._joined(intent)
        return intent.model_copy(update={"base": start, "joins": tree.relations})

    def _joined(self, intent: Intent) -> tuple[str, JoinTree]:
        """The table to begin with, from which no counted row is repeated, and the joins."""
        numbers = [*intent.measures, *(one.measure for one in intent.having)]
        whole = dict.fromkeys(n.table for n in numbers if n.aggregate not in _REPEATABLE)
        if len(whole) > 1:
            raise UnfitError(
                f"rows of {' and '.join(whole)} cannot be counted or added in one reading"
            )
        tables = list(
            dict.fromkeys(
                [*whole, *(n.table for n in numbers), *(f.table for f in fields_of(intent))]
            )
        ) or [intent.base]
        trees = [(start, self._graph.tree(start, tables)) for start in whole or tables]
        reached = [(start, tree) for start, tree in trees if not tree.missing]
        if not reached:
            apart = " and ".join(sorted(trees[0][1].missing))
            raise UnfitError(f"nothing joins {trees[0][0]} with {apart}")
        start, tree = min(
            reached, key=lambda f: (sum(r.fans_out for r in f[1].relations), f[1].cost, f[0])
        )
        for relation in tree.relations:
            if whole and relation.fans_out:
                raise UnfitError(
                    f"a row of {relation.left.table} has several of {relation.right.table} and "
                    f"would be counted or added more than once: count distinct ones, or leave "
                    f"{relation.right.table} out"
                )
        return start, tree

    def _dimension(self, part: ReadDimension, base: str, labels: Labels) -> Dimension:
        place = self._names.place(part.column, base)
        if part.grain and not place.time:
            raise UnfitError(f"{part.column} is no date: it has no {part.grain}")
        if part.grain == "hour" and place.column.data_type is not DataType.DATETIME:
            raise UnfitError(f"{part.column} holds no time of day")
        grain = Grain(part.grain) if part.grain else None
        return Dimension(expression=place.field, label=labels.of(place), grain=grain)

    def _measure(self, part: ReadMeasure | ReadHaving, base: str, labels: Labels) -> Measure:
        aggregate = None if part.aggregate == "value" else Aggregate(part.aggregate)
        if not part.column:
            if aggregate not in (Aggregate.COUNT, Aggregate.COUNT_DISTINCT):
                raise UnfitError(f"{part.aggregate} needs a column")
            label = labels.free(count_label(readable_table(base)))
            return Measure(aggregate=aggregate, table=base, label=label)
        place = self._names.place(part.column, base)
        self._check(place, aggregate)
        label = labels.free(measure_label(aggregate, readable(place.column.name)))
        additive = aggregate is Aggregate.SUM and place.kind is not Kind.INTENSIVE
        return Measure(
            aggregate=aggregate, table=place.table.name, expression=place.field, label=label,
            additive=additive or aggregate is Aggregate.COUNT,
        )  # fmt: skip

    def _check(self, place: Place, aggregate: Aggregate | None) -> None:
        """Whether the column's values may be reckoned with so."""
        name = f"{place.table.name}.{place.column.name}"
        if aggregate is None and not place.number:
            raise UnfitError(f"{name} is no number: show it as a dimension")
        reckoned = aggregate in (
            Aggregate.SUM, Aggregate.AVERAGE, Aggregate.MEDIAN, Aggregate.DEVIATION,
        )  # fmt: skip
        if reckoned and place.kind is Kind.ID:
            raise UnfitError(f"{name} tells things apart: its {aggregate} means nothing")
        if not is_measurable(Number(aggregate, place)):
            raise UnfitError(f"{name} holds no numbers, so it has no {aggregate}")
        adds = aggregate is Aggregate.SUM and place.kind is Kind.INTENSIVE
        if adds and not self._summed:
            raise UnfitError(f"{name} does not add up: use avg, min or max")

    def _having(self, part: ReadHaving, base: str) -> Having:
        measure = self._measure(part, base, Labels())
        if measure.aggregate is None:
            raise UnfitError("having needs an aggregate; conditions on rows are filters")
        value = self._values.number(part.value)
        return Having(measure=measure, operator=Operator(part.operator), values=(value,))

    def _filter(self, part: ReadFilter, base: str, depth: int = 1) -> Filter:
        if depth > _DEEPEST:
            raise UnfitError(f"conditions may be nested {_DEEPEST} deep")
        kinds = [bool(part.column), bool(part.any), bool(part.all), bool(part.without)]
        if sum(kinds) != 1:
            raise UnfitError("a filter has either a column, any, all or without")
        if part.without:
            return self._without(part.without, base)
        if part.column:
            return self._condition(part, base)
        members = _each(part.any or part.all, lambda one: self._filter(one, base, depth + 1))
        return Group(connective="or" if part.any else "and", members=members)

    def _without(self, name: str, base: str) -> Membership:
        related = self._names.table(name)
        relation = self._graph.direct(base, related)
        if relation is None:
            raise UnfitError(f"nothing joins {base} with {related}")
        return Membership(table=base, related=related, absent=True, path=(relation,))

    def _condition(self, part: ReadFilter, base: str) -> Condition:
        place, operator = self._names.place(part.column, base), Operator(part.operator)
        if place.number and tuple(part.values) == _AVERAGE and operator in _LESS_OR_MORE:
            return Condition(field=place.field, operator=operator, than_average=True)
        least = 0 if operator in _EMPTY else 2 if operator is Operator.BETWEEN else 1
        if len(part.values) != least and not (operator in _SEVERAL and part.values):
            raise UnfitError(f"{part.column} {operator}: it takes {least} values")
        if operator in (*_LESS_OR_MORE, Operator.BETWEEN) and not (place.number or place.time):
            raise UnfitError(f"{part.column} is text, which is neither less nor more")
        values = _each(part.values, lambda value: self._values.of(place, operator, value))
        return Condition(field=place.field, operator=operator, values=values)


def _unshapely(form: ProposedReading) -> Iterator[str]:
    """What is wrong with the form whatever the data."""
    if not form.base:
        yield "base must name the table whose rows are counted or listed"
    if not form.measures and not form.dimensions:
        yield "a reading shows at least one measure or dimension"
    raw = {measure.aggregate == "value" for measure in form.measures}
    if len(raw) > 1 or (raw == {True} and form.having):
        yield "either every measure has an aggregate, or each is the value of its row"
    if form.limit and not form.order:
        yield "a limit needs an order"
    sizes = {"measure": len(form.measures), "dimension": len(form.dimensions)}
    for order in form.order:
        if order.index >= sizes[order.by]:
            yield f"order: there is no {order.by} {order.index}"
    if form.series and not form.dimensions:
        yield "series: there is no dimension"


def _each(parts: Iterable[Part], make: Callable[[Part], Made]) -> tuple[Made, ...]:
    """What is made of each; raises UnfitError with what is wrong with any."""
    made: list[Made] = []
    wrong: list[str] = []
    for part in parts:
        try:
            made.append(make(part))
        except UnfitError as unfit:
            wrong += unfit.problems
    if wrong:
        raise UnfitError(*wrong)
    return tuple(made)
