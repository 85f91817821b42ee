"""Columns that are worked out from others: places that no table holds and a question speaks of.

They are proposed only where words ask for one, and then play every role that a column plays.
"""

from __future__ import annotations

from dataclasses import dataclass

from services.planner.domain.catalogue import Column, ColumnRole, DataType, Table
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.query.defining.terms import (
    Computed,
    Constant,
    Definition,
    Function,
    Reference,
    Term,
)
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.semantics.kinds import Kind
from services.planner.domain.semantics.units import Unit


@dataclass(frozen=True, slots=True)
class WorkedOut:
    """A column worked out, and the tokens `first` to `last` that speak of it, how surely."""

    place: Place
    first: int
    last: int
    coverage: float


def worked_out(
    table: Table,
    name: str,
    term: Term,
    *,
    kind: Kind = Kind.INTENSIVE,
    unit: Unit | None = None,
    text: str = "",
    bounds: tuple[float, float] | None = None,
    data_type: DataType = DataType.FLOAT,
) -> Place:
    """A place of that name; `text` is its formula for people, `bounds` its least and greatest."""
    words = words_of(name)
    low, high = (f"{bounds[0]:g}", f"{bounds[1]:g}") if bounds else (None, None)
    number = data_type is DataType.FLOAT
    column = Column(
        name=name,
        data_type=data_type,
        nullable=True,
        distinct=max(1, table.rows),
        role=ColumnRole.MEASURE if number else ColumnRole.DIMENSION,
        minimum=low,
        maximum=high,
    )
    definition = Definition(table=table.name, column=name, text=text or name, term=term)
    return Place(
        index=-1,
        table=table,
        column=column,
        words=words,
        weights=(1.0,) * len(words),
        kind=kind,
        unit=unit,
        number=number,
        time=data_type is DataType.DATE,
        flag=False,
        definition=definition,
    )


def reference(place: Place) -> Term:
    """A column of the data, or the formula of one that is worked out itself."""
    if place.definition is not None:
        return place.definition.term
    return Reference(table=place.table.name, column=place.column.name)


def computed(function: Function, *operands: Term | float | str) -> Computed:
    """An operation on terms and constants."""
    terms = tuple(
        Constant(value=operand) if isinstance(operand, int | float | str) else operand
        for operand in operands
    )
    return Computed(function=function, operands=terms)
