"""Every intent that can be said of a small shop comes back from its own query."""

from __future__ import annotations

from datetime import date
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from services.planner.domain.checks.examples import SHOP
from services.planner.domain.query.from_sql.recover import intent_of
from services.planner.domain.query.intent import (
    Aggregate,
    Calculation,
    Condition,
    Derived,
    Dimension,
    Field,
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
from services.planner.domain.query.joining.joins import graph_of
from services.planner.domain.query.planning.sql import render
from tests.thorough import times
from tests.unit.checks.small_data import SmallData

DATA = SmallData(SHOP)
GRAPH = graph_of(DATA.catalogue)
ORDERS = "orders"


def of(column: str, table: str = ORDERS) -> Field:
    return Field(table=table, column=column)


def condition(field: Field, operator: Operator, *values: Any) -> Condition:
    return Condition(field=field, operator=operator, values=values)


def span(column: str) -> Group:
    ends = ((Operator.AT_LEAST, date(2024, 1, 1)), (Operator.LESS, date(2024, 3, 1)))
    return Group(connective="and", members=tuple(condition(of(column), *end) for end in ends))


FILTERS: tuple[Filter, ...] = (
    condition(of("region"), Operator.EQUAL, "North"),
    condition(of("region"), Operator.NOT_EQUAL, "North"),
    condition(of("region"), Operator.IN, "North", "South"),
    condition(of("region"), Operator.NOT_IN, "North", "West"),
    condition(of("region"), Operator.CONTAINS, "o"),
    condition(of("region"), Operator.NOT_CONTAINS, "%_"),
    condition(of("region"), Operator.STARTS_WITH, "N"),
    condition(of("region"), Operator.NOT_NULL),
    condition(of("sent"), Operator.IS_NULL),
    condition(of("freight"), Operator.GREATER, 7),
    condition(of("freight"), Operator.BETWEEN, 5.5, 9),
    condition(of("sent"), Operator.AT_MOST, date(2024, 1, 31)),
    condition(of("sent"), Operator.NOT_EQUAL, date(2024, 2, 12)),
    condition(of("ordered"), Operator.BETWEEN, date(2024, 1, 1), date(2024, 1, 31)),
    span("ordered"),
    span("sent"),
    Condition(field=of("freight"), operator=Operator.LESS, than_average=True),
    Group(
        connective="or",
        members=(
            condition(of("freight"), Operator.LESS, 6),
            condition(of("region"), Operator.IS_NULL),
        ),
    ),
    Membership(
        table=ORDERS,
        related="payments",
        absent=False,
        where=condition(of("currency", "payments"), Operator.EQUAL, "EUR"),
    ),
    Membership(table=ORDERS, related="payments"),
)
MEASURES = (
    Measure(aggregate=Aggregate.COUNT, table=ORDERS, label="number"),
    Measure(aggregate=Aggregate.COUNT_DISTINCT, table=ORDERS, expression=of("region"), label="d"),
    *(
        Measure(aggregate=how, table=ORDERS, expression=of("freight"), label=f"freight {how}")
        for how in (
            Aggregate.SUM,
            Aggregate.AVERAGE,
            Aggregate.MEDIAN,
            Aggregate.MAXIMUM,
            Aggregate.DEVIATION,
        )
    ),
    Measure(
        aggregate=Aggregate.PERCENTILE,
        table=ORDERS,
        expression=of("freight"),
        label="most",
        quantile=0.9,
    ),
    Measure(
        aggregate=Aggregate.SUM,
        table=ORDERS,
        expression=of("freight"),
        label="in the north",
        where=condition(of("region"), Operator.EQUAL, "North"),
    ),
)
DIMENSIONS = (
    Dimension(expression=of("region"), label="region"),
    Dimension(expression=of("city", "customers"), label="city"),
    Dimension(
        expression=of("name", "customers"), label="who", identity=of("customer_id", "customers")
    ),
    *(
        Dimension(expression=of(column), label=f"{column} {grain}", grain=grain)
        for column in ("ordered", "sent")
        for grain in (
            Grain.YEAR,
            Grain.QUARTER,
            Grain.MONTH,
            Grain.WEEK,
            Grain.DAY,
            Grain.WEEKDAY,
            Grain.MONTH_OF_YEAR,
        )
    ),
)


_PERHAPS: st.SearchStrategy[Any] = st.booleans()


@st.composite
def intents(draw: st.DrawFn) -> Intent:
    """Grouped numbers, or rows; with conditions, an order, a limit, and a number worked out."""
    dimensions = tuple(draw(st.lists(st.sampled_from(DIMENSIONS), max_size=2, unique=True)))
    measures = tuple(draw(st.lists(st.sampled_from(MEASURES), min_size=1, max_size=3, unique=True)))
    filters = tuple(draw(st.lists(st.sampled_from(FILTERS), max_size=2, unique=True)))
    joined = any("customers" in str(one) for one in dimensions)
    derived: tuple[Derived, ...] = ()
    ways = [Calculation.SHARE, Calculation.RANK] if dimensions else []
    ways += [Calculation.RATIO, Calculation.DIFFERENCE] if len(measures) > 1 else []
    if ways and draw(_PERHAPS):
        how = draw(st.sampled_from(ways))
        against = 1 if how in (Calculation.RATIO, Calculation.DIFFERENCE) else None
        derived = (Derived(calculation=how, label="worked out", against=against),)
    targets = [Order(target="measure", descending=True)]
    targets += [Order(target="dimension", index=at) for at in range(len(dimensions))]
    having = (Having(measure=MEASURES[0], operator=Operator.AT_LEAST, values=(1.0,)),)
    order = tuple(draw(st.permutations(targets))[: draw(st.integers(0, 2))])
    return Intent(
        base=ORDERS,
        measures=measures,
        dimensions=dimensions,
        filters=filters,
        derived=derived,
        joins=GRAPH.tree(ORDERS, ["customers"]).relations if joined else (),
        order=order if dimensions else (),
        limit=draw(st.sampled_from((None, 1, 3))) if dimensions else None,
        having=having if dimensions and draw(_PERHAPS) else (),
    )


@given(intents())
@settings(max_examples=times(40, 400), deadline=None, derandomize=True)
def test_an_intent_comes_back_from_its_own_query(intent: Intent) -> None:
    query = render(intent, DATA.catalogue)

    back = intent_of(query.text, DATA.catalogue, query.params)

    assert back is not None, query.text
    assert [d.label for d in back.dimensions] == [d.label for d in intent.dimensions]
    assert [d.grain for d in back.dimensions] == [d.grain for d in intent.dimensions]
    assert [(m.aggregate, m.expression) for m in back.measures] == [
        (m.aggregate, m.expression) for m in intent.measures
    ]
    assert (back.limit, back.derived, back.joins) == (intent.limit, intent.derived, intent.joins)
    again = render(back, DATA.catalogue)
    if intent.limit is None:  # of equals a limit keeps any
        assert DATA.sorted(again.text, again.params) == DATA.sorted(query.text, query.params)
