"""The conditions of a reading, changed by a fragment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.lexicon.normalise import readable
from services.planner.domain.query.intent import (
    Against,
    Condition,
    Field,
    Filter,
    Group,
    Intent,
    Operator,
)
from services.planner.domain.query.joining.joins import JoinGraph
from services.planner.domain.query.planning.summary import filter_text
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.fragments.fragment import EditError, Fragment
from services.planner.domain.reader.fragments.parts import columns_compared
from services.planner.domain.reader.times.dates import time_conditions

_SEVERAL = {
    Operator.EQUAL: Operator.IN,
    Operator.IN: Operator.IN,
    Operator.NOT_EQUAL: Operator.NOT_IN,
    Operator.NOT_IN: Operator.NOT_IN,
}
"""The comparison with several values that stands for comparisons with each."""
_DENIALS = {Operator.NOT_EQUAL: Operator.EQUAL, Operator.NOT_IN: Operator.IN}


def changed_conditions(
    intent: Intent, fragment: Fragment, catalogue: Catalogue, graph: JoinGraph
) -> tuple[Intent, list[str], tuple[str, ...]]:
    """The reading with its conditions changed, what was done in words, and notes on periods.

    A condition takes the place of those on the same column, a period of those on the same date;
    a fragment that adds ("Brazil as well") lets either hold. Raises EditError.
    """
    filters = list(intent.filters)
    put = _beside if fragment.adds and not (fragment.splits or fragment.numbers) else _put
    texts: list[str] = []
    for place in fragment.lifted:
        filters, lost = _without(filters, place.field)
        texts += [f"whatever the {readable(place.column.name)}"] if lost else []
    for one in sorted(_together(fragment.conditions), key=lambda c: c.operator not in _DENIALS):
        condition = one.condition
        if isinstance(condition, Against):
            filters, text = put(filters, condition, condition.field)
            texts.append(text)
            continue
        denied = _DENIALS.get(condition.operator)
        was = [f for f in filters if isinstance(f, Condition) and f.field == condition.field]
        if denied and any(
            set(condition.values) & set(f.values) and f.operator not in _DENIALS for f in was
        ):
            filters, lost = _without(filters, condition.field)
            texts += [f"not {filter_text(one)}" for one in lost]
            continue
        filters, text = put(filters, condition, condition.field)
        texts.append(text)
    notes: tuple[str, ...] = ()
    if fragment.spans:
        dated = _named_date(fragment) or _dated(filters, intent, catalogue)
        found = time_conditions(fragment.spans, catalogue, graph, intent.base, (), dated)
        if found.lost:
            raise EditError(found.lost.rstrip("."))
        notes = tuple(found.notes)
        for wanted in found.filters:
            target = next(columns_compared(wanted))
            filters, text = put(filters, wanted, target)
            texts.append(text)
    return intent.model_copy(update={"filters": tuple(filters)}), texts, notes


def _together(conditions: Sequence[Proposal]) -> list[Proposal]:
    """The conditions, with values of one column that were named together as one of them."""
    found: list[Proposal] = []
    for one in conditions:
        several = _SEVERAL.get(one.operator)
        like = next(
            (
                at
                for at, other in enumerate(found)
                if several and other.place is one.place and _SEVERAL.get(other.operator) is several
            ),
            None,
        )
        if like is None or several is None:
            found.append(one)
        else:
            values = tuple(dict.fromkeys((*found[like].values, *one.values)))
            found[like] = replace(found[like], operator=several, values=values)
    return found


def _put(filters: list[Filter], wanted: Filter, field: Field) -> tuple[list[Filter], str]:
    """With a condition in place of those on the same column."""
    if wanted in filters:
        return filters, filter_text(wanted)
    kept, lost = _without(filters, field)
    text = filter_text(wanted)
    if lost:
        text += " instead of " + " and ".join(dict.fromkeys(map(filter_text, lost)))
    return [*kept, wanted], text


def _beside(filters: list[Filter], wanted: Filter, field: Field) -> tuple[list[Filter], str]:
    """With a condition as the alternative to the one on the same column; where there is none it
    narrows, as by itself. Raises EditError where no alternative makes sense."""
    kept, were = _without(filters, field)
    if not were or wanted in filters:
        return _put(filters, wanted, field)
    [was, *others] = were
    if others:
        raise EditError(f"there are several conditions on {readable(field.column)} already")
    if isinstance(was, Condition) and isinstance(wanted, Condition):
        ways = (_SEVERAL.get(was.operator), _SEVERAL.get(wanted.operator))
        if ways[0] is not None and ways[0] is ways[1]:
            values = tuple(dict.fromkeys((*was.values, *wanted.values)))
            note = f"{was.note} or {wanted.note}" if was.note and wanted.note else ""
            update = {"operator": ways[0], "values": values, "note": note}
            both = was.model_copy(update=update)
            return [*kept, both], filter_text(both)
        raise EditError(f"“{filter_text(was)}” and “{filter_text(wanted)}” are no alternatives")
    if not (_period(was) and _period(wanted)):
        raise EditError(f"“{filter_text(was)}” and “{filter_text(wanted)}” are no alternatives")
    either = Group(connective="or", members=(was, wanted))
    return [*kept, either], filter_text(either)


def _period(one: Filter) -> bool:
    """Whether it is a time with both its ends, such as a year; or several."""
    if not isinstance(one, Group):
        return isinstance(one, Condition) and one.operator in (Operator.EQUAL, Operator.BETWEEN)
    return one.connective == "and" or all(map(_period, one.members))


def _without(filters: list[Filter], field: Field) -> tuple[list[Filter], list[Filter]]:
    """The conditions that are not about a column alone, and those that are."""
    about = [one for one in filters if set(columns_compared(one)) == {field}]
    return [one for one in filters if one not in about], about


def _named_date(fragment: Fragment) -> Field | None:
    """The date that the fragment names: "hired before 2016"."""
    return next((place.field for place in fragment.dates), None)


def _dated(filters: list[Filter], intent: Intent, catalogue: Catalogue) -> Field | None:
    """The date that the reading speaks of already: in a condition, or split by."""
    times = [f for one in filters for f in columns_compared(one) if _is_time(f, catalogue)]
    times += [
        d.expression
        for d in intent.dimensions
        if d.grain is not None and isinstance(d.expression, Field)
    ]
    return times[0] if times else None


def _is_time(field: Field, catalogue: Catalogue) -> bool:
    table = catalogue.table(field.table)
    column = table.column(field.column) if table is not None else None
    return column is not None and column.data_type.value in ("date", "datetime")
