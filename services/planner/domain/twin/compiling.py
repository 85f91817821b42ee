"""A declaration as a statement of its own, made without a look at the author's.

Names are exact, joins those by which no row comes twice; what is not declared is not made up.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from mesh.errors import AssayError
from mesh.text.periods import days_of
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.meaning import Meaning, NotCompiledError
from services.planner.domain.query.filters import Condition, Filter, Group, Relation
from services.planner.domain.query.from_sql.conditions import Conditions
from services.planner.domain.query.from_sql.filters import filters_of
from services.planner.domain.query.from_sql.nodes import NotExpressibleError
from services.planner.domain.query.intent import (
    Aggregate,
    Dimension,
    Field,
    Grain,
    Intent,
    Operator,
)
from services.planner.domain.query.joining.joins import graph_of
from services.planner.domain.query.joining.repeats import repeating
from services.planner.domain.query.planning.sql import render
from services.planner.domain.query.tables import filter_tables
from services.planner.domain.statements.readable import filled_in
from services.planner.domain.twin.measured import Measured, measured
from services.planner.domain.twin.named import Names, parse

_GRAINS = ("year", "quarter", "month", "week", "day")


@dataclass(frozen=True)
class Twin:
    """The statement of a declaration, and how it was read: from a `declared` metric or its parts.

    `keeping` is the same where rows stay that refer to nothing in another table; empty where there
    are no joins. `time` is the column that says when, None where none is needed.
    """

    statement: str
    keeping: str
    interpretation: str
    declared: bool
    intent: Intent
    catalogue: Catalogue
    time: Field | None = None


def compile_twin(meaning: Meaning, catalogue: Catalogue) -> Twin:
    """The twin of a declaration. Raises NotCompiledError, which says what to declare."""
    names = Names(catalogue)
    number = measured(meaning.metric, names)
    time = _time(meaning, names, number)
    dimensions = _dimensions(meaning, names, time)
    filters = _filters(meaning, names, time)
    base = number.table.name
    wanted = {*_tables(dimensions), *filter_tables(filters)} - {base}
    joins = _joins(base, wanted, number)
    intent = Intent(
        base=base, measures=(number.measure,), dimensions=dimensions, filters=filters, joins=joins
    )
    return Twin(
        statement=_rendered(intent, number.catalogue),
        keeping=_rendered(_keeping(intent), number.catalogue) if joins else "",
        interpretation=_interpretation(meaning, time),
        declared=number.declared,
        intent=intent,
        catalogue=number.catalogue,
        time=time,
    )


def _time(meaning: Meaning, names: Names, number: Measured) -> Field | None:
    if not (meaning.time or meaning.period or meaning.grain):
        return None
    field = names.field(meaning.time) if meaning.time else names.time_of(number.table)
    if not names.is_time(field):
        raise NotCompiledError(f"`time`: {field.table}.{field.column} holds no dates")
    return field


def _dimensions(meaning: Meaning, names: Names, time: Field | None) -> tuple[Dimension, ...]:
    found = []
    if meaning.grain:
        grain = meaning.grain.strip().casefold()
        if grain not in _GRAINS or time is None:
            raise NotCompiledError(f"`grain` is one of {', '.join(_GRAINS)}")
        found.append(Dimension(expression=time, label=grain, grain=Grain(grain)))
    for text in meaning.by:
        field = names.field(text)
        if names.known(field).formula:
            raise NotCompiledError(f"`by`: {text} is a metric, and nothing to split by")
        taken = field.column in {one.label for one in found}
        label = f"{field.table} {field.column}" if taken else field.column
        found.append(Dimension(expression=field, label=label))
    return tuple(found)


def _filters(meaning: Meaning, names: Names, time: Field | None) -> tuple[Filter, ...]:
    called = {table.name: table.name for table in names.catalogue.tables}

    def within(*_: object) -> object:
        raise NotExpressibleError("a query within a condition")

    spelled = Conditions(names.catalogue, called, called, within)  # type: ignore[arg-type]
    found: list[Filter] = []
    for text in meaning.filter:
        try:
            found += filters_of(spelled.all_of([names.qualified(parse(text))]))
        except (NotExpressibleError, KeyError, ValueError) as error:
            raise NotCompiledError(f'`filter`: "{text}" cannot be compiled: {error}') from error
    return (*found, *([_period(meaning.period, time)] if meaning.period and time else []))


def _period(text: str, time: Field) -> Filter:
    try:
        first, last = days_of(text)
    except ValueError as error:
        raise NotCompiledError(
            f'`period`: "{text}" is no period: {error}. Write 1997, 1997-03, or START..END'
        ) from error
    end = last + timedelta(days=1)
    return Group(
        connective="and",
        members=(
            Condition(field=time, operator=Operator.AT_LEAST, values=(first,)),
            Condition(field=time, operator=Operator.LESS, values=(end,)),
        ),
    )


def _tables(dimensions: tuple[Dimension, ...]) -> set[str]:
    return {one.expression.table for one in dimensions if isinstance(one.expression, Field)}


def _joins(base: str, wanted: set[str], number: Measured) -> tuple[Relation, ...]:
    graph = graph_of(number.catalogue)
    tree = graph.tree(base, wanted)
    if tree.missing:
        other = ", ".join(sorted(tree.missing))
        raise NotCompiledError(f"nothing is known that joins {base} with {other}: declare the join")
    if ways := graph.list_unstated_roles(tree.relations):
        raise NotCompiledError(f"several joins could be meant: {'; '.join(ways)}")
    again = repeating(base, tree.relations, number.catalogue)
    once = (Aggregate.MINIMUM, Aggregate.MAXIMUM, Aggregate.COUNT_DISTINCT)
    if again and number.measure.aggregate not in once:
        raise NotCompiledError(
            f"a row of {base} has several of {again[0].right.table}, and its number is of them all"
        )
    return tree.relations


def _keeping(intent: Intent) -> Intent:
    joins = tuple(one.model_copy(update={"optional": True}) for one in intent.joins)
    return intent.model_copy(update={"joins": joins})


def _rendered(intent: Intent, catalogue: Catalogue) -> str:
    try:
        query = render(intent, catalogue)
    except AssayError as error:
        raise NotCompiledError(error.message) from error
    return filled_in(query.text, query.params)


def _interpretation(meaning: Meaning, time: Field | None) -> str:
    """The declaration in one line."""
    by = [*meaning.by, *([meaning.grain] if meaning.grain else [])]
    texts = [meaning.metric, *([f"by {', '.join(by)}"] if by else [])]
    texts += [f"where {' and '.join(meaning.filter)}"] if meaning.filter else []
    texts += [f"in {meaning.period}"] if meaning.period else []
    texts += [f"(time: {time.table}.{time.column})"] if time is not None else []
    return " ".join(texts)
