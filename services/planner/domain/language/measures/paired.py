"""A number of each thing beside how many of something it has: "freight and products per order".

How the two go together shows over the things; rows grouped by the number itself say little of it.
"""

from __future__ import annotations

from services.planner.domain.catalogue import ColumnRole
from services.planner.domain.language.work import Work
from services.planner.domain.lexicon.normalise import readable
from services.planner.domain.query.columns import numeric
from services.planner.domain.query.intent import (
    Aggregate,
    ChartType,
    Dimension,
    Field,
    Measure,
)
from services.planner.domain.query.joining.entities import entity_dimension, singular
from services.planner.domain.query.joining.keys import key_of
from services.planner.domain.query.tables import table_of


def pair_for_each_thing(work: Work) -> None:
    """Makes one row for each thing of such a pair, where a relation between the two is asked for.

    `draft.problem` says so where the number is of other things than those told apart.
    """
    draft, wish = work.draft, work.wishes.chart
    related = wish.chart is ChartType.SCATTER and not wish.certain
    numbers = [d for d in draft.dimensions if _is_number(work, d)]
    if not related or len(draft.measures) != 1 or len(numbers) != 1:
        return
    counted = draft.measures[0]
    if counted.aggregate is not Aggregate.COUNT or counted.expression or counted.per:
        return
    name = table_of(numbers[0])
    others = [d for d in draft.dimensions if d is not numbers[0]]
    if any(name not in (table_of(d), d.identity.table if d.identity else "") for d in others):
        each = " and ".join(d.label for d in others)
        draft.problem = f"{numbers[0].label} is a number of {readable(name)}, not of each {each}."
        return
    table = work.catalogue.table(name)
    many = name != counted.table and work.graph.tree(name, [counted.table]).fans_out
    thing = entity_dimension(table, name, work.graph) if table is not None and many else None
    if table is None or thing is None or len(key_of(table)) != 1:
        return
    draft.dimensions = others or [thing]
    own = Measure(
        aggregate=Aggregate.MAXIMUM, table=name, expression=numbers[0].expression,
        label=numbers[0].label, additive=False,
    )  # fmt: skip
    draft.measures = [own, counted]
    draft.notes.append(f"one row for each {singular(name)}")


def _is_number(work: Work, dimension: Dimension) -> bool:
    """Whether things have it as a quantity, and nobody asked for groups by it."""
    target = dimension.expression
    column = work.column(target) if isinstance(target, Field) else None
    plain = dimension.grain is None and dimension.bins is None
    said = [
        work.scene.roles.get(i)
        for i, m in enumerate(work.scene.mentions)
        if isinstance(target, Field) and m.chosen.column == target.column
    ]
    measured = column is not None and column.role is ColumnRole.MEASURE
    return (
        plain
        and measured
        and column is not None
        and numeric(column.data_type)
        and ("group" not in said)
    )
