"""Numbers that a source keeps as text: what can be read is computed with, the rest is counted."""

from __future__ import annotations

from mesh.repairs import option_of
from services.planner.domain.catalogue import Column, DataType
from services.planner.domain.doubt import Use
from services.planner.domain.language.work import Work
from services.planner.domain.lexicon.normalise import name_words, readable
from services.planner.domain.lexicon.vocabulary import (
    PRICE_WORDS,
    QUANTITY_WORDS,
    RATE_WORDS,
    TOTAL_WORDS,
)
from services.planner.domain.query.columns import numeric
from services.planner.domain.query.intent import (
    Aggregate,
    Condition,
    Field,
    Measure,
    Operator,
)
from services.planner.domain.query.labels import count_of_rows

_OF_NUMBERS = (Aggregate.SUM, Aggregate.AVERAGE, Aggregate.MEDIAN, Aggregate.DEVIATION)
_DATES = (DataType.DATE, DataType.DATETIME)
_AMOUNTS = PRICE_WORDS | QUANTITY_WORDS | RATE_WORDS | TOTAL_WORDS


def counted_instead(work: Work, target: Field, column: Column, summed: bool) -> Measure | None:
    """The count that a "total" of names can only be; `draft.problem` says why there is nothing.

    Where `summed` says that a sum was meant, or the column is called like an amount, text is no
    reason to count rows that nobody asked for.
    """
    amount = bool(_AMOUNTS & set(name_words(column.name)))
    if not (summed or amount or column.data_type in _DATES):
        work.draft.rows_counted = True
        return count_of_rows(target.table)
    kind = "dates" if column.data_type in _DATES else "text"
    remedy = f" or have it read as numbers, as in --read {_as_numbers(work, target)}."
    work.draft.problem = (
        f"{column.name} in {target.table} holds {kind}: it cannot be summed or averaged. "
        f"Ask for the number of rows{',' + remedy if kind == 'text' else '.'}"
    )
    return None


def _as_numbers(work: Work, target: Field) -> str:
    """The option that reads a column of texts as numbers: the repair of what was seen in it."""
    for doubt in work.catalogue.doubts:
        of_column = (doubt.table, doubt.column) == (target.table, target.column)
        if of_column and doubt.repairs and Use.COMPUTED in doubt.uses and not doubt.repaired:
            first = doubt.repairs[0]
            return option_of(first.kind, first.column, first.value)
    return f"type.{target.column}=number"


def is_plain_text(column: Column, aggregate: Aggregate) -> bool:
    """Whether no number can be read from it; a column without any value may hold numbers."""
    return (
        aggregate in _OF_NUMBERS
        and column.distinct > 0
        and column.data_type is not DataType.BOOLEAN
        and not numeric(column.data_type)
        and not any(_is_number(text) for text in _known(column))
    )


def is_name_alone(work: Work, target: Field, column: Column) -> bool:
    """Whether it is text without a number of which there is a highest: another on every row, or
    amounts as people write them (1.5M, 350 g)."""
    table = work.catalogue.table(target.table)
    known = _known(column)
    if column.data_type is not DataType.STRING or not known:
        return False
    own = table is not None and column.distinct == table.rows
    amounts = all(text[:1].isdigit() for text in known)
    return (own or amounts) and is_plain_text(column, Aggregate.AVERAGE)


def count_unreadable(work: Work) -> None:
    """Says that cells without a number are left out, and counts them where there is room."""
    draft = work.draft
    for measure in list(draft.measures):
        target = measure.expression
        column = work.column(target) if isinstance(target, Field) else None
        if not isinstance(target, Field) or column is None or measure.aggregate not in _OF_NUMBERS:
            continue
        if column.data_type is not DataType.STRING or all(map(_is_number, _known(column))):
            continue
        name = readable(target.column)
        room = len(draft.measures) == 1 and len(draft.dimensions) < 2
        also = ", and counted" if room else ""
        draft.notes.append(f"cells of {name} that are not numbers are left out{also}")
        if room:
            draft.add_measure(_unreadable(target))


def _unreadable(target: Field) -> Measure:
    return Measure(
        aggregate=Aggregate.COUNT,
        table=target.table,
        expression=target,
        label=f"{readable(target.column)} not a number",
        where=Condition(field=target, operator=Operator.NOT_A_NUMBER),
    )


def _known(column: Column) -> list[str]:
    return [text for text in (*column.samples, column.minimum, column.maximum) if text is not None]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
