"""The numbers of a sketch as measures: one of each group, and those worked out of two others."""

from __future__ import annotations

from collections.abc import Mapping

from services.planner.domain.lexicon.normalise import readable, readable_table
from services.planner.domain.query.intent import (
    Aggregate,
    Calculation,
    Condition,
    Derived,
    Filter,
    Group,
    Measure,
    Operator,
    Order,
)
from services.planner.domain.query.joining.keys import key_of
from services.planner.domain.query.labels import count_label, measure_label
from services.planner.domain.query.planning.span_text import describe_months, describe_span
from services.planner.domain.query.planning.summary import filter_text, render_number
from services.planner.domain.reader.chart.labels import Labels, number_label
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.chart.sketch import COUNT, Change, Number, Sketch
from services.planner.domain.reader.links.schema import Place


class Measures:
    """The numbers of the sketches of one question; the rows of tables are `called` as it does."""

    def __init__(self, called: Mapping[str, str]) -> None:
        self._called = called

    def measure(self, number: Number, base: str, labels: Labels) -> Measure:
        """A number of each group."""
        place = number.place
        if number.per is not None:
            return self._build_per_entity(number, number.per, labels)
        if place is None:
            name = labels.free(count_label(self._called.get(base) or readable_table(base)))
            return Measure(aggregate=Aggregate.COUNT, table=base, label=name)
        additive = number.aggregate is Aggregate.SUM
        label = number_label(number)
        if number.aggregate is Aggregate.COUNT_DISTINCT and key_of(place.table) == (
            place.column.name,
        ):
            label = count_label(
                self._called.get(place.table.name) or readable_table(place.table.name)
            )
        return Measure(
            aggregate=number.aggregate,
            table=place.table.name,
            expression=place.field,
            label=labels.free(label),
            additive=additive,
            quantile=number.quantile,
            other=number.other.field if number.other is not None else None,
        )

    def _build_per_entity(self, number: Number, key: Place, labels: Labels) -> Measure:
        """A number of what the rows of each thing come to: the average order value."""
        table = key.table.name
        name = (
            readable(number.place.column.name)
            if number.place is not None
            else count_label(self._called.get(table) or readable_table(table))
        )
        entity = " ".join(word for word in key.words if word != "id") or readable(key.column.name)
        return Measure(
            aggregate=number.aggregate,
            per=key.field,
            additive=False,
            table=number.place.table.name if number.place is not None else table,
            expression=number.place.field if number.place is not None else None,
            label=labels.free(f"{measure_label(number.aggregate, name)} per {entity}"),
            quantile=number.quantile,
        )

    def share(
        self, sketch: Sketch, base: str, labels: Labels
    ) -> tuple[list[Measure], tuple[Derived, ...]]:
        """Rows that fit over all rows of each group."""
        members = tuple(one.condition for one in sketch.share)
        where: Filter = (
            members[0] if len(members) == 1 else Group(connective="and", members=members)
        )
        number = sketch.numbers[0] if sketch.numbers else COUNT
        whole = self.measure(number, base, labels).model_copy(update={"shown": False})
        fits = f"{whole.label} where {filter_text(where)}"
        part = whole.model_copy(update={"where": where, "label": labels.free(fits)})
        label = labels.free(f"share where {filter_text(where)}")
        derived = Derived(calculation=Calculation.RATIO, label=label, of=0, against=1)
        return [part, whole], (derived,)

    def ratio(
        self, sketch: Sketch, base: str, labels: Labels
    ) -> tuple[list[Measure], tuple[Derived, ...]]:
        """The total of one column over that of another, in each group."""
        sums = [
            self.measure(Number(Aggregate.SUM, place), base, labels).model_copy(
                update={"shown": False}
            )
            for place in sketch.ratio
        ]
        names = [readable(place.column.name) for place in sketch.ratio]
        label = labels.free(f"{names[0]} per {names[1]}")
        return sums, (Derived(calculation=Calculation.RATIO, label=label, of=0, against=1),)

    def change(
        self, sketch: Sketch, change: Change, base: str, labels: Labels
    ) -> tuple[list[Measure], tuple[Derived, ...]]:
        """The number of the rows that fit each of two conditions, and what lies between."""
        whole = self.measure(sketch.numbers[0], base, Labels())
        both = [
            whole.model_copy(
                update={
                    "where": one.condition,
                    "shown": False,
                    "label": labels.free(f"{whole.label}{_side(one)}"),
                }
            )
            for one in (change.after, change.before)
        ]
        both_ends = [one.condition for one in (change.before, change.after)]
        ends = " to ".join(_describe_values(one) for one in both_ends if isinstance(one, Condition))
        label = labels.free(f"{change.how.value} of {whole.label} from {ends}")
        derived = Derived(calculation=change.how, label=label, of=0, against=1, only=change.only)
        return both, (derived,)

    def against(
        self, sketch: Sketch, base: str
    ) -> tuple[list[Measure], tuple[Derived, ...], tuple[Order, ...]]:
        """Each number set against another, then the plain ones."""
        labels = Labels()
        for place in sketch.shown:
            labels.of(place)
        measures: list[Measure] = []
        derived: list[Derived] = []
        for number in dict.fromkeys(sketch.made):
            if number.against is None or number.how is None:
                continue
            for part in (number._replace(against=None), number.against):
                measures.append(
                    self.measure(part, base, labels).model_copy(update={"shown": False})
                )
            at = len(measures) - 2
            label = f"ratio of {measures[at].label} to {measures[at + 1].label}"
            if number.called and number.place is not None:
                label = f"{number.called} {readable(number.place.column.name)}"
            label = labels.free(label)
            derived.append(Derived(calculation=number.how, label=label, of=at, against=at + 1))
        plain = [n for n in sketch.numbers if n.against is None]
        measures += [self.measure(n, base, labels) for n in plain]
        sorting = sketch.sorting
        if sorting is None or not isinstance(sorting.by, Number):
            return measures, tuple(derived), ()
        by = sorting.by
        at = 0 if by.against is not None else 2 * len(derived) + plain.index(by)
        order = Order(target="measure", index=at, descending=sorting.descending)
        return measures, tuple(derived), (order,)


def build_entity_count(key: Place) -> Measure:
    """How many things of a key there are, of those that the conditions on groups leave."""
    entity = " ".join(word for word in key.words if word != "id") or readable(key.column.name)
    return Measure(
        aggregate=Aggregate.COUNT, table=key.table.name, per=key.field, label=count_label(entity)
    )


def _describe_values(condition: Condition) -> str:
    """Its values, for a label: "November"."""
    text = describe_span(condition) or describe_months(condition)
    return text or " to ".join(render_number(value) for value in condition.values)


def _side(one: Proposal) -> str:
    """Which rows a number is of, for its label: " in November", " for Paris"."""
    condition = one.condition
    if not isinstance(condition, Condition):
        return f", {filter_text(condition)}"
    span = describe_span(condition)
    if condition.operator is not Operator.EQUAL or len(condition.values) != 1:
        return f" in {span}" if span and " to " not in span else f", {filter_text(condition)}"
    if span:
        return f" on {span}"
    dated = describe_months(condition) or (one.place is not None and one.place.year)
    return f" {'in' if dated else 'for'} {_describe_values(condition)}"
