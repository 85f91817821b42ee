"""What a ranking, or a word of money, makes of the parts that roles alone have found."""

from __future__ import annotations

from services.planner.domain.catalogue import ColumnRole
from services.planner.domain.language.linking.mention import averaged, with_candidate_first
from services.planner.domain.language.measures.counting import Count
from services.planner.domain.language.parsing.roles import Parts
from services.planner.domain.language.work import Work, field_of
from services.planner.domain.query.columns import is_measure, numeric
from services.planner.domain.query.intent import Aggregate, ChartType

_VERBS_OF_MONEY = frozenset(["sold", "sell", "earn", "spent"])


def promote(work: Work) -> None:
    """Money words are measures wherever they stand; so are numbers that a ranking goes by."""
    parts = work.parts
    _drop_references(work)
    _set_side_by_side(work)
    for index in [*parts.groups, *parts.targets]:
        mention = work.mention(index)
        if mention.chosen.kind == "revenue":
            _take(index, parts)
            how = bool(_VERBS_OF_MONEY & set(mention.stems))
            if not (how and (parts.aggregates or parts.counts)):
                parts.aggregates.append((index, Aggregate.SUM))
    if parts.top is not None:
        for index in list(parts.groups):
            if _ranked_by(work, index):
                _take(index, parts)
                if _many_a_thing(work, index):
                    parts.aggregates.append((index, _together(work, index)))
                else:
                    parts.targets.append(index)
        _count_the_most(work)
        _rank_within_groups(work)
        _rank_things(work)


def _set_side_by_side(work: Work) -> None:
    """ "Sales and profits of companies", "the number of killed and injured": a row's two numbers.

    They are not added up where nothing is split, least of all along each other.
    """
    parts, scene = work.parts, work.scene
    if parts.groups or parts.series or parts.aggregates or parts.top is not None:
        return
    for index in list(parts.targets):
        own = [c for c in work.mention(index).candidates if c.kind == "column"]
        money = work.mention(index).chosen.kind == "revenue"
        if money and own and _beside_number(work, index, own[0].table):
            said = with_candidate_first(work.mention(index), own[0])
            scene.mentions = [*scene.mentions[:index], said, *scene.mentions[index + 1 :]]
    scatter = work.wishes.chart.chart is ChartType.SCATTER
    for count in [c for c in parts.counts if scatter and c.mention is not None]:
        column = scene.column(work.mention(count.mention or 0))
        amount = column is not None and is_measure(column.role, column.data_type)
        table = work.mention(count.mention or 0).chosen.table
        if amount and count.mention is not None and _beside_number(work, count.mention, table):
            parts.counts.remove(count)
            parts.targets = sorted([*parts.targets, count.mention])
            scene.roles[count.mention] = "target"


def _beside_number(work: Work, index: int, table: str) -> bool:
    """Whether another number of the same table is named next to this one, with "and" between."""
    for other in (index - 1, index + 1):
        if other not in work.parts.targets:
            continue
        column = work.scene.column(work.mention(other))
        first, second = sorted((work.mention(index), work.mention(other)), key=lambda m: m.first)
        gap = set(work.scene.words(first.last, second.first))
        measure = column is not None and is_measure(column.role, column.data_type)
        if measure and work.mention(other).chosen.table == table and "and" in gap:
            return True
    return False


def _drop_references(work: Work) -> None:
    """In "destination city" the reference only says which airport's city is meant."""
    for index, mention in enumerate(work.scene.mentions[:-1]):
        following = work.scene.mentions[index + 1]
        kinds = {mention.chosen.kind, following.chosen.kind}
        if kinds != {"column"} or mention.last != following.first:
            continue
        parent = work.graph.parent_of(field_of(mention))
        other = mention.chosen.table != following.chosen.table
        if parent is not None and other and parent.table == following.chosen.table:
            if index in work.parts.groups and index + 1 in work.parts.targets:
                _take(index + 1, work.parts)
                work.parts.groups.insert(work.parts.groups.index(index), index + 1)
                work.scene.roles[index + 1] = "group"
            _take(index, work.parts)
            work.scene.roles[index] = "owner"


def _ranked_by(work: Work, index: int) -> bool:
    mention = work.mention(index)
    column = work.scene.column(mention)
    return (
        column is not None
        and "by" in work.scene.words(mention.first - 2, mention.first)
        and numeric(column.data_type)
        and column.role is ColumnRole.MEASURE
    )


def _many_a_thing(work: Work, index: int) -> bool:
    """Whether the things that are ranked stand in another table than the number they go by."""
    return any(
        work.mention(i).chosen.table != work.mention(index).chosen.table for i in work.parts.tables
    )


def _together(work: Work, index: int) -> Aggregate:
    """How several numbers of one thing become one: rates are averaged, amounts added up."""
    column = work.scene.column(work.mention(index))
    return Aggregate.AVERAGE if column is not None and averaged(column) else Aggregate.SUM


def _count_the_most(work: Work) -> None:
    """ "Which customer has the most orders": the orders are counted."""
    parts, top = work.parts, work.parts.top
    if top is None or parts.counts or parts.aggregates:
        return
    later = [i for i in parts.tables if work.mention(i).first == top.position]
    if top.word in ("most", "fewest", "least") and later:
        parts.tables.remove(later[0])
        parts.counts.append(Count(later[0], False, top.position))
        work.scene.roles[later[0]] = "count"


def _rank_within_groups(work: Work) -> None:
    """ "Top 3 products per category by revenue": the products are ranked in each category."""
    parts, top = work.parts, work.parts.top
    outer = [i for i in parts.groups if _is_said_of_each(work, i)]
    if top is None:
        return
    named = [i for i in [*parts.tables, *parts.targets] if work.mention(i).first == top.position]
    if len(outer) != 1 or len(parts.groups) > 1 or not named:
        return
    column = work.scene.column(work.mention(named[0]))
    if column is not None and column.role is ColumnRole.MEASURE:
        return
    _take(named[0], parts)
    parts.groups.insert(0, named[0])
    top.per_group = True


def _is_said_of_each(work: Work, index: int) -> bool:
    first = work.mention(index).first
    return bool({"per", "each", "every", "within"} & set(work.scene.words(first - 2, first)))


def _rank_things(work: Work) -> None:
    """ "Top 5 customers by total spend": the customers are what is split by."""
    parts = work.parts
    if parts.groups or parts.targets or not (parts.aggregates or parts.counts):
        return
    used = {work.mention(i).chosen.table for i, _ in parts.aggregates}
    used |= {work.mention(c.mention).chosen.table for c in parts.counts if c.mention is not None}
    own = [i for i in parts.tables if work.mention(i).chosen.table not in used]
    if own:
        parts.tables.remove(own[0])
        parts.groups.append(own[0])


def _take(index: int, parts: Parts) -> None:
    for part in (parts.groups, parts.targets, parts.series, parts.tables):
        if index in part:
            part.remove(index)
