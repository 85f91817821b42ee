"""Numbers of rows that joins repeat: each row counts once, or it is told that it does not.

An order joined with its lines comes once for each line, so that its freight is added several times
("fan trap"; Adamson, Star Schema, 2010, ch. 4). Conditions on lines become "with such a line",
which joins nothing; where lines split the numbers each order counts once in each group.
"""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.lexicon.normalise import readable_table
from services.planner.domain.query.filters import (
    Against,
    Condition,
    Filter,
    Group,
    Membership,
    Relation,
)
from services.planner.domain.query.intent import Field, Intent, Measure
from services.planner.domain.query.joining.entities import singular
from services.planner.domain.query.joining.keys import key_of
from services.planner.domain.query.joining.repeats import beyond, led_from, repeating
from services.planner.domain.query.kinds import Aggregate
from services.planner.domain.query.labels import count_label
from services.planner.domain.query.tables import measure_tables, table_of

_UNREPEATED = (None, Aggregate.COUNT_DISTINCT, Aggregate.MINIMUM, Aggregate.MAXIMUM)
_ADDED = (Aggregate.SUM, Aggregate.COUNT)
_WHOLE = (Aggregate.FORMULA, Aggregate.CORRELATION, Aggregate.RANK_CORRELATION)


def counted_once(intent: Intent, catalogue: Catalogue) -> Intent:
    """The intent with each row in its numbers once, as far as that can be had; `repeated` tells of
    what is left."""
    if not repeated(intent, catalogue):
        return intent
    intent = _with_memberships(intent, catalogue)
    found = repeated(intent, catalogue)
    if not found or not _may_be_once(intent, found, catalogue):
        return intent
    table = found[0].table
    once = tuple(m.model_copy(update={"once": m.table == table}) for m in intent.measures)
    intent = intent.model_copy(update={"measures": once})
    if not parts_overlap(intent, catalogue):
        return intent
    apart = tuple(m.model_copy(update={"additive": m.additive and not m.once}) for m in once)
    return intent.model_copy(update={"measures": apart})


def counts_once(intent: Intent, catalogue: Catalogue) -> Intent:
    """The intent with numbers of rows of its base that count each once, where joins repeat it.

    Where the base also splits the numbers, or has conditions, nothing tells that its rows are what
    is counted: then it is a number of the joined rows, and called so.
    """
    if not repeating(intent.base, intent.joins, catalogue):
        return intent
    base, known = intent.base, catalogue.table(intent.base)
    others = {table_of(d) for d in intent.dimensions}.union(*map(_tables, intent.filters))
    alone = base not in others and known is not None and len(key_of(known)) == 1
    tables = (intent.base, *(r.right.table for r in intent.joins))
    whole = [t for t in tables if not repeating(t, intent.joins, catalogue)]

    def settled(measure: Measure) -> Measure:
        rows = measure.aggregate is Aggregate.COUNT and measure.expression is None
        if not rows or measure.table != base or measure.per is not None:
            return measure
        if alone:
            once = {"aggregate": Aggregate.COUNT_DISTINCT, "additive": False}
            return measure.model_copy(update=once)
        if not whole or measure.label != count_label(readable_table(base)):
            return measure
        return measure.model_copy(
            update={"table": whole[0], "label": count_label(readable_table(whole[0]))}
        )

    return intent.model_copy(
        update={
            "measures": tuple(settled(m) for m in intent.measures),
            "having": tuple(
                one.model_copy(update={"measure": settled(one.measure)}) for one in intent.having
            ),
        }
    )


def repeated(intent: Intent, catalogue: Catalogue) -> list[Measure]:
    """The numbers made of rows that the joins repeat; a number of rows is of the joined ones, where
    one table has each of its rows among these once."""
    if not intent.joins or not intent.grouped or intent.copies:
        return []
    numbers = [*intent.measures, *(one.measure for one in intent.having)]
    tables = {intent.base, *(r.right.table for r in intent.joins)}
    whole = any(not repeating(t, intent.joins, catalogue) for t in tables)
    return [
        m
        for m in numbers
        if m.aggregate not in _UNREPEATED
        and m.per is None
        and not m.once
        and not (m.expression is None and whole)
        and repeating(m.table, intent.joins, catalogue)
    ]


def several_grains(intent: Intent, catalogue: Catalogue) -> bool:
    """Whether some numbers are made of rows that the joins needed for others repeat."""
    return bool(repeated(intent, catalogue)) and len({m.table for m in intent.measures}) > 1


def describe_repeats(intent: Intent, catalogue: Catalogue) -> list[str]:
    """What must be known of numbers over repeated rows, before they are read."""
    texts = [_describe_measure(m, intent, catalogue) for m in repeated(intent, catalogue)[:1]]
    once = [m for m in intent.measures if m.once]
    apart = parts_overlap(intent, catalogue) if once else []
    if apart:
        entity, by = singular(once[0].table), " and ".join(apart)
        added = any(m.aggregate in _ADDED for m in once)
        more = ": the parts add up to more than the total" if added else ""
        texts.append(f"each {entity} counts once for every {by} that goes with it{more}")
    return texts


def parts_overlap(intent: Intent, catalogue: Catalogue) -> list[str]:
    """By which columns one row lies in several groups, though it counts once in each."""
    once = next((m for m in intent.measures if m.once), None)
    if once is None:
        return []
    several = beyond(once.table, intent.joins, catalogue)
    return [d.label for d in intent.dimensions if table_of(d) in several]


def _describe_measure(measure: Measure, intent: Intent, catalogue: Catalogue) -> str:
    again = readable_table(repeating(measure.table, intent.joins, catalogue)[-1].right.table)
    entity = singular(measure.table)
    return f"the {measure.label} has each {entity} once for every row of {again} that goes with it"


def _may_be_once(intent: Intent, found: Sequence[Measure], catalogue: Catalogue) -> bool:
    """Whether all numbers are plain ones of the rows of one table that a key tells apart, or add up
    over these rows."""
    table = found[0].table
    known = catalogue.table(table)
    plain = all(
        m.aggregate in _ADDED
        if m.table != table
        else m.aggregate not in (None, *_WHOLE) and measure_tables(m) == {table}
        for m in intent.measures
    )
    plain &= all(m.table == table for m in found)
    plain &= all(m.per is None and m.where is None and m.during is None for m in intent.measures)
    beside = intent.having or intent.derived or intent.top_of_each or intent.statistic
    sorted_beside = any(order.target == "field" for order in intent.order)
    followed = intent.cohort or intent.limit_per_series or sorted_beside
    return plain and not (beside or followed) and known is not None and bool(key_of(known))


def _with_memberships(intent: Intent, catalogue: Catalogue) -> Intent:
    """Conditions on tables that repeat rows and that nothing else needs, as "with such rows"."""
    table = repeated(intent, catalogue)[0].table
    start = intent.base if intent.base in _needed(intent) else table
    joins = led_from(start, intent.joins)
    kept = _pruned(joins, {start, table, *_needed(intent)})
    if len(kept) == len(joins) or any(r.optional for r in joins):
        return intent
    if repeating(table, kept, catalogue):
        return intent
    kept = _with_single(joins, kept, start, catalogue)
    left_out = [r for r in joins if r not in kept]
    tables = {start, *(r.right.table for r in kept)}
    filters = [f for f in intent.filters if _tables(f) <= tables]
    asked = 0
    for first in (r for r in left_out if r.left.table in tables):
        path = _branch(first, left_out)
        inside = {r.right.table for r in path}
        wanted = [f for f in intent.filters if _tables(f) <= inside]
        asked += len(wanted)
        member = _membership(path, wanted, catalogue)
        if member is None:
            return intent
        filters.append(member)
    tied = asked + len([f for f in intent.filters if f in filters]) < len(intent.filters)
    if tied:  # one condition looks at what would be taken apart
        return intent
    return intent.model_copy(update={"base": start, "joins": kept, "filters": tuple(filters)})


def _with_single(
    joins: Sequence[Relation], kept: tuple[Relation, ...], start: str, catalogue: Catalogue
) -> tuple[Relation, ...]:
    """With what repeats nothing either: the one customer of each order."""
    tables = {start, *(r.right.table for r in kept)}
    left = [r for r in joins if r not in kept]
    for first in (r for r in left if r.left.table in tables):
        path = _branch(first, left)
        if not repeating(first.left.table, path, catalogue):
            kept += path
    return kept


def _branch(first: Relation, joins: Sequence[Relation]) -> tuple[Relation, ...]:
    """A join with all that is reached by it."""
    return (first, *led_from(first.right.table, [r for r in joins if r != first]))


def _membership(
    path: tuple[Relation, ...], wanted: Sequence[Filter], catalogue: Catalogue
) -> Membership | None:
    """That there is a related row that fits what is asked of it; None where no key ties it."""
    first, related = path[0].left.table, path[-1].right.table
    known = catalogue.table(first)
    if len(path) > 1 and (known is None or len(key_of(known)) != 1):
        return None
    where: Filter | None = wanted[0] if wanted else None
    if len(wanted) > 1:
        where = Group(connective="and", members=tuple(wanted))
    return Membership(table=first, related=related, absent=False, where=where, path=path)


def _pruned(joins: Sequence[Relation], needed: set[str]) -> tuple[Relation, ...]:
    """The joins that lead to what is needed."""
    kept: list[Relation] = []
    for step in reversed(joins):
        if step.right.table in needed | {r.left.table for r in kept}:
            kept.insert(0, step)
    return tuple(kept)


def _needed(intent: Intent) -> set[str]:
    """The tables of all but the conditions on rows."""
    found = {table_of(d) for d in intent.dimensions}
    found |= {d.identity.table for d in intent.dimensions if d.identity is not None}
    for measure in (*intent.measures, *(one.measure for one in intent.having)):
        found |= measure_tables(measure)
        others: list[Field | None] = [measure.other, measure.per]
        found |= {field.table for field in others if field is not None}
        found |= _tables(measure.where) if measure.where is not None else set()
        found |= {measure.during.dated.table} if measure.during is not None else set()
    return found | {order.field.table for order in intent.order if order.field is not None}


def _tables(wanted: Filter) -> set[str]:
    """The tables that a condition looks at."""
    if isinstance(wanted, Condition):
        return {wanted.field.table}
    if isinstance(wanted, Against):
        return {wanted.field.table, wanted.other.table}
    if isinstance(wanted, Membership):
        return {wanted.table}
    return {table for member in wanted.members for table in _tables(member)}
