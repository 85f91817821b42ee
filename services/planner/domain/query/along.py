"""What lies along an axis of a chart, from the semantic kind of the column it is made of."""

from __future__ import annotations

from enum import StrEnum

from services.planner.domain.catalogue import Catalogue, Column, DataType, Table
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.lexicon.tokens import stem
from services.planner.domain.query.intent import Dimension, Expression, Field, Grain
from services.planner.domain.semantics.kinds import Kind, is_number, kind_of

_MOST_STEPS = 30


class Along(StrEnum):
    """How the values of a column lie beside each other."""

    TIME = "time"  # days, months of years: distances mean something
    YEAR = "year"  # years as numbers
    CYCLE = "cycle"  # months, weekdays, hours: an order that begins again
    RANGES = "ranges"  # numbers in ranges of one width
    STEPS = "steps"  # few whole numbers: terms, numbers of rounds
    NUMBER = "number"  # what is measured, many values
    FLAG = "flag"  # yes or no
    NAME = "name"  # names, codes, ids, categories; an order only if their words tell one


_YEARS = frozenset(stem(word) for word in ("year", "yr", "season", "decade"))
_ROUND_ABOUT = (Grain.WEEKDAY, Grain.MONTH_OF_YEAR, Grain.HOUR)
_ORDERED = (Along.TIME, Along.YEAR, Along.CYCLE)


def is_ordered_by_time(along: Along) -> bool:
    """Whether it belongs along x: people read time from left to right."""
    return along in _ORDERED


def adds_up_over(dimension: Dimension, of: Expression | None, catalogue: Catalogue) -> bool:
    """Whether numbers of several values of a dimension may be one sum: sales of two months may,
    but people who are there in two years are no more people."""
    if not is_ordered_by_time(along_of(dimension, catalogue)):
        return True
    found = found_in(of, catalogue)
    return found is None or kind_of(*found) is not Kind.LEVEL


def along_of(dimension: Dimension, catalogue: Catalogue) -> Along:
    """What lies along an axis that shows this dimension."""
    if dimension.periods:
        return Along.NAME
    if dimension.bins is not None:
        return Along.RANGES
    if dimension.grain is not None:
        if dimension.grain is Grain.YEAR:
            return Along.YEAR
        return Along.CYCLE if dimension.grain in _ROUND_ABOUT else Along.TIME
    found = found_in(dimension.expression, catalogue)
    return along_of_column(*found) if found is not None else Along.NAME


def found_in(expression: Expression | None, catalogue: Catalogue) -> tuple[Column, Table] | None:
    """The column that an expression is, with its table; None where it is worked out."""
    if not isinstance(expression, Field):
        return None
    table = catalogue.table(expression.table)
    column = table.column(expression.column) if table is not None else None
    return (column, table) if column is not None and table is not None else None


def along_of_column(column: Column, table: Table) -> Along:
    """What lies along an axis that shows the column's own values."""
    kind = kind_of(column, table)
    if kind is Kind.TIME:
        return Along.TIME
    if kind is Kind.FLAG:
        return Along.FLAG
    if kind is Kind.DATE_PART:
        last = stem(words_of(column.name)[-1])
        return Along.YEAR if is_number(column) and last in _YEARS else Along.CYCLE
    if not is_number(column) or kind is Kind.ID:
        return Along.NAME
    if kind is not Kind.INTENSIVE and _names_its_rows(column, table):
        return Along.NAME  # the "score" of scores is measured all the same
    few = column.data_type is DataType.INTEGER and 0 < column.distinct <= _MOST_STEPS
    return Along.STEPS if few else Along.NUMBER


def _names_its_rows(column: Column, table: Table) -> bool:
    """Whether a whole number is called like the things of its table: the "flight" of flights."""
    if column.data_type is not DataType.INTEGER:
        return False
    named, entities = words_of(column.name), words_of(table.source_name.rpartition(".")[0])
    entities = entities if table.source_name.count(".") else words_of(table.name)
    return len(named) == 1 and stem(named[0]) in {
        stem(entities[-1]),
        stem(words_of(table.name)[-1]),
    }
