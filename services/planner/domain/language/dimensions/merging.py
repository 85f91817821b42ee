"""One dimension in place of another that says less: a thing gives way to its own columns."""

from __future__ import annotations

from services.planner.domain.catalogue import DataType
from services.planner.domain.language.work import Work, field_of
from services.planner.domain.lexicon.normalise import name_words
from services.planner.domain.query.intent import (
    Dimension,
    Field,
    Grain,
)
from services.planner.domain.query.joining.entities import naming
from services.planner.domain.query.joining.joins import key_of
from services.planner.domain.query.tables import table_of


def alike(one: Dimension, other: Dimension) -> bool:
    """Whether two dimensions split by the same thing in the same way."""
    return one.expression == other.expression and one.grain == other.grain


def add_dimension(work: Work, dimension: Dimension | None) -> None:
    """Adds it, or lets a column of a thing take the place of the thing ("its name", "its id")."""
    dimensions = work.draft.dimensions
    if dimension is None or any(alike(other, dimension) for other in dimensions):
        return
    for position, other in enumerate(dimensions):
        if dimension.expression == other.expression and _is_time(work, dimension):
            if _unit_said(other) or dimension.grain in (None, Grain.DAY):
                return  # "order date … bin order date by year"
            dimensions[position] = dimension
            return
        if _says_more(work, dimension, other):
            dimensions[position] = _in_place_of(dimension, other)
            return
        if _says_more(work, other, dimension) or _refers_to(work, other, dimension):
            return
        if _refers_to(work, dimension, other):
            dimensions[position] = dimension
            return
    dimensions.append(dimension)


def _is_time(work: Work, dimension: Dimension) -> bool:
    target = dimension.expression
    dates = (DataType.DATE, DataType.DATETIME)
    return isinstance(target, Field) and work.data_type(target) in dates


def _unit_said(dimension: Dimension) -> bool:
    """Whether a unit of time was named, which says more than the date alone."""
    return dimension.grain not in (None, Grain.DAY)


def _says_more(work: Work, column: Dimension, thing: Dimension) -> bool:
    """Whether `column` is a plain column of, or a reference to, the thing."""
    if column.identity is not None:
        return False
    if thing.identity is None:
        return _is_code_of(work, thing, table_of(column)) or _is_key_of(work, column, thing)
    expression = column.expression
    refers = isinstance(expression, Field) and work.graph.parent_of(expression) == thing.identity
    return refers or table_of(column) == thing.identity.table


def _refers_to(work: Work, one: Dimension, other: Dimension) -> bool:
    """Whether one column refers to the other, so that both always hold the same."""
    plain = isinstance(one.expression, Field) and one.grain is None and other.identity is None
    return (
        plain
        and isinstance(one.expression, Field)
        and work.graph.parent_of(one.expression) == other.expression
    )


def _is_code_of(work: Work, thing: Dimension, table: str) -> bool:
    """Whether a thing stands there by its code, though nobody spoke of a code."""
    if not isinstance(thing.expression, Field) or "code" in work.stems():
        return False
    parent = work.graph.parent_of(thing.expression)
    words = name_words(thing.expression.column)
    return parent is not None and parent.table == table and words[-1:] == ("code",)


def _is_key_of(work: Work, column: Dimension, thing: Dimension) -> bool:
    """Whether things that are only told apart by name are to be shown by their key."""
    table = work.catalogue.table(table_of(thing))
    if table is None or table_of(column) != table.name or naming(table) != thing.expression:
        return False
    listed = [i for i in work.parts.targets if field_of(work.mention(i)) == thing.expression]
    keys = [Field(table=table.name, column=key) for key in key_of(table)]
    return not listed and [column.expression] == keys


def _in_place_of(column: Dimension, thing: Dimension) -> Dimension:
    if thing.identity is None or table_of(column) != thing.identity.table:
        return column
    if column.expression == thing.identity:
        return column
    return column.model_copy(update={"identity": thing.identity})
