"""Joins what was found into one query's worth of tables, and says what depends on the joins."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from services.planner.domain.catalogue import ColumnRole
from services.planner.domain.language.work import Work
from services.planner.domain.lexicon.normalise import readable_table
from services.planner.domain.query.intent import (
    Aggregate,
    Condition,
    Field,
    Filter,
    Group,
    Having,
    Measure,
    Membership,
    Operator,
    Order,
    Relation,
)
from services.planner.domain.query.joining.entities import singular
from services.planner.domain.query.joining.joins import JoinTree
from services.planner.domain.query.joining.keys import key_of, unique
from services.planner.domain.query.tables import filter_tables, measure_tables, table_of


def join_tree(work: Work, order: Sequence[Order]) -> JoinTree:
    """The joins for everything that is shown, filtered or sorted by.

    Tables that were only spoken of are joined too, unless that would repeat what is summed.
    """
    draft = work.draft
    wanted = {table_of(d) for d in draft.dimensions}
    wanted |= {d.identity.table for d in draft.dimensions if d.identity}
    wanted |= {m.per.table for m in draft.measures if m.per is not None}
    measures = [*draft.measures, *(h.measure for h in draft.having)]
    wanted |= {table for m in measures for table in measure_tables(m)}
    wanted |= set(filter_tables(draft.filters))
    wanted |= {o.field.table for o in order if o.field is not None}
    summed = any(m.expression is not None and m.aggregate for m in draft.measures)
    absent = {f.related for f in draft.filters if isinstance(f, Membership)}
    for table in draft.context:
        before = work.graph.tree(draft.base, wanted)
        tree = work.graph.tree(draft.base, wanted | {table})
        if table in absent or tree.missing - before.missing:
            continue
        if not (summed and tree.fans_out and not before.fans_out):
            wanted.add(table)
    return work.graph.tree(draft.base, wanted)


def numbers_of_repeated(work: Work, tree: JoinTree) -> bool:
    """Whether numbers are listed of the very rows that repeat the others: none is shown twice."""
    fans = [relation for relation in tree.relations if relation.fans_out]
    listed = {m.table for m in work.draft.measures if m.aggregate is None}
    in_line = all(there.left.table == here.right.table for here, there in pairwise(fans))
    return bool(fans) and in_line and fans[-1].right.table in listed


def settle_filter(work: Work, wanted: Filter) -> Filter:
    """A filter in its final form, now that the table asked about is known."""
    if isinstance(wanted, Group):
        if wanted.connective == "and" and _one_column(wanted):
            return _all_values(work, wanted)
        members = tuple(settle_filter(work, member) for member in wanted.members)
        return wanted.model_copy(update={"members": members})
    base = work.draft.base
    wanted = _of_own_reference(work, wanted)
    if isinstance(wanted, Membership):
        path = wanted.path or work.graph.tree(wanted.table, [wanted.related]).relations
        return wanted.model_copy(update={"path": path})
    if isinstance(wanted, Condition) and wanted.operator is Operator.NOT_EQUAL:
        tree = work.graph.tree(base, [wanted.field.table])
        if wanted.field.table != base and tree.fans_out and not tree.missing:
            is_it = wanted.model_copy(update={"operator": Operator.EQUAL})
            return Membership(
                table=base,
                related=wanted.field.table,
                absent=True,
                where=is_it,
                path=tree.relations,
            )
    return wanted


def _of_own_reference(work: Work, wanted: Filter) -> Filter:
    """A condition on a key that each row refers to is one on the row: no join can lose rows."""
    if not isinstance(wanted, Condition) or wanted.field.table == work.draft.base:
        return wanted
    relation = work.graph.direct(work.draft.base, wanted.field.table)
    if relation is None or relation.fans_out or relation.right != wanted.field:
        return wanted
    return wanted.model_copy(update={"field": relation.left})


def _one_column(group: Group) -> bool:
    conditions = [m for m in group.members if isinstance(m, Condition)]
    equal = all(c.operator is Operator.EQUAL for c in conditions)
    return (
        equal and len(conditions) == len(group.members) and len({c.field for c in conditions}) == 1
    )


def _all_values(work: Work, wanted: Group) -> Filter:
    """One row cannot hold two values: related rows hold one each, or either will do."""
    base = work.draft.base
    conditions = [m for m in wanted.members if isinstance(m, Condition)]
    target = conditions[0].field
    tree = work.graph.tree(base, [target.table])
    if target.table != base and tree.fans_out:
        members = tuple(
            Membership(
                table=base,
                related=target.table,
                absent=False,
                where=condition,
                path=tree.relations,
            )
            for condition in conditions
        )
        return Group(connective="and", members=members)
    values = tuple(condition.values[0] for condition in conditions)
    return Condition(field=target, operator=Operator.IN, values=values)


def _are_events(work: Work, bridge: str) -> bool:
    """Whether a table's rows happen at a time, so that they tie the same two things many times.

    A doctor has fewer patients than appointments; students and the courses they take are pairs.
    """
    table = work.catalogue.table(bridge)
    return table is not None and any(c.role is ColumnRole.TIMESTAMP for c in table.columns)


def _are_pairs(work: Work, fan: Relation, tree: JoinTree) -> bool:
    """Whether a bridge ties a thing once to each of what the things are split by: a student takes a
    course once, but an album has many tracks of a genre, and a student many courses of a kind."""
    bridge = work.catalogue.table(fan.right.table)
    key = set(key_of(bridge)) if bridge is not None else set[str]()
    for end in tree.relations:
        if end.left.table != fan.right.table or end.fans_out:
            continue
        other = work.catalogue.table(end.right.table)
        apart = any(
            dimension.identity is not None
            or (isinstance(split := dimension.expression, Field) and unique(other, split.column))
            for dimension in work.draft.dimensions
            if other is not None and table_of(dimension) == other.name
        )
        if apart and key and key <= {end.left.column, fan.right.column}:
            return True
    return False


def settle_count(work: Work, measure: Measure, tree: JoinTree) -> Measure:
    """Counts things once each where joins repeat them, unless the pairs are what is counted."""
    if measure.aggregate is not Aggregate.COUNT or measure.expression is not None:
        return measure
    once = {"aggregate": Aggregate.COUNT_DISTINCT, "additive": False}
    if measure.table != work.draft.base:
        return measure.model_copy(update=once)
    fans = [relation for relation in tree.relations if relation.fans_out]
    if not fans or work.draft.rows_counted:
        return measure
    counted = [i for i, role in work.scene.roles.items() if role == "count"]
    if not any(work.mention(i).chosen.kind == "table" for i in counted):
        return measure
    timed = [d for d in work.draft.dimensions if d.grain is not None or d.periods]
    if any(table_of(d) != measure.table for d in timed):
        return measure.model_copy(update=once)
    bridge = fans[0].right.table
    split = {table_of(dimension) for dimension in work.draft.dimensions}
    near = {bridge}
    for relation in tree.relations:
        if relation.left.table in near and not relation.fans_out:
            near.add(relation.right.table)
    paired = len(fans) == 1 and fans[0].left.table == measure.table and bool(split & near)
    themselves = measure.table in split or fans[0].right in [
        dimension.expression for dimension in work.draft.dimensions
    ]
    paired = paired and (themselves or _are_pairs(work, fans[0], tree))
    if paired and not _are_events(work, bridge):
        return measure
    if paired:
        thing, events = singular(measure.table), readable_table(bridge)
        work.draft.notes.append(f"each {thing} is counted once, however many {events} it has")
    return measure.model_copy(update=once)


def settle_having(work: Work, having: Having, tree: JoinTree) -> Having:
    """A condition on how many: each is counted once, however often the joins repeat it."""
    measure = having.measure
    table = work.catalogue.table(measure.table)
    counted = measure.aggregate is Aggregate.COUNT and measure.expression is None
    fans = any(r.fans_out and r.left.table == measure.table for r in tree.relations)
    repeated = fans or measure.table != work.draft.base
    if not counted or not repeated or table is None or len(key_of(table)) != 1:
        return having
    once = measure.model_copy(update={"aggregate": Aggregate.COUNT_DISTINCT, "additive": False})
    return having.model_copy(update={"measure": once})


def as_compared(measure: Measure, having: Sequence[Having]) -> Measure:
    """A count that groups are picked by is shown as it was compared: each thing once."""
    once = {"aggregate": Aggregate.COUNT_DISTINCT, "additive": False}
    distinct = measure.model_copy(update=once)
    same = any(_counts(h.measure) == _counts(distinct) for h in having)
    return distinct if measure.aggregate is Aggregate.COUNT and same else measure


def _counts(measure: Measure) -> object:
    return (measure.aggregate, measure.table, measure.expression, measure.where, measure.per)
