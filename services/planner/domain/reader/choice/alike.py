"""Readings that say the same of the same things: told by key or by name, with a column more or not.

The ranker sees readings one by one. Two that differ in how things are called are no rivals, and of
the two people want the one that calls things by their names.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from services.planner.domain.evidence import Outcome, ProbeState
from services.planner.domain.query.intent import Dimension, Field, Intent, Measure, Order
from services.planner.domain.query.joining.references import references_of
from services.planner.domain.query.kinds import Aggregate
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.choice.candidate import Candidate
from services.planner.domain.reader.equal_names import separate_equal_names
from services.planner.domain.reader.links.naming import names_of

_KEY_WORDS = frozenset("id ids identifier code codes key keys ref reference".split())
_NUMBERS = frozenset(("number", "no", "nr"))
_OFTEN = frozenset(("often", "frequently", "oftenest"))
_GLIMPSED = 3

Entity = str | Field


def by_name(ranked: Sequence[Candidate], scene: Scene) -> list[Candidate]:
    """The candidates, of those that tell the same things apart only the best told.

    That is the one with most names and fewest columns. It takes the first one's place, with the
    odds of all. Nothing changes where a key is asked for, or where things share a name.
    """
    if _asks_for_key(scene):
        return list(ranked)
    classes: dict[object, list[Candidate]] = {}
    for one in ranked:
        classes.setdefault(_sense(one, scene), []).append(one)
    found: list[Candidate] = []
    for members in classes.values():
        best = min(members, key=lambda c: (-_named(c.intent, scene), _columns(c)))
        top = members[0].score
        best.score = top + math.log(sum(math.exp(c.score - top) for c in members))
        found.append(best)
    return sorted(found, key=lambda c: -c.score)


def _asks_for_key(scene: Scene) -> bool:
    """Whether a key is asked for; "flight number" is one, the "number of tracks" is none."""
    words = [token.lower for token in scene.tokens]
    return any(
        word in _KEY_WORDS or (at > 0 and word in _NUMBERS and words[at + 1 : at + 2] != ["of"])
        for at, word in enumerate(words)
    )


def as_often(ranked: Sequence[Candidate], scene: Scene) -> list[Candidate]:
    """Where it is asked who did most often, only what is sorted by a count; all if nothing is."""
    if not any(token.lower in _OFTEN for token in scene.tokens):
        return list(ranked)
    return [one for one in ranked if _by_count(one.intent)] or list(ranked)


def with_numbers_read(ranked: Sequence[Candidate]) -> list[Candidate]:
    """The candidates without a first one that leaves a number unread only for want of rows.

    "Total amount above 1000" over lower amounts has no row, and that is its answer: a total of all
    amounts is none of what was asked.
    """
    for one in ranked[1:]:
        if _same_of_no_rows(one, ranked[0]):
            one.score = ranked[0].score
            return [one, *(c for c in ranked[1:] if c is not one)]
    return list(ranked)


def _same_of_no_rows(one: Candidate, best: Candidate) -> bool:
    """Whether a candidate is the best one with conditions on numbers that it leaves unread, and no
    row fulfils them."""
    unread = [c.features.get("numbers unread", 0.0) for c in (one, best)]
    if unread[0] >= unread[1] or not _is_empty(one.outcome):
        return False
    same = one.intent.model_copy(update={"filters": best.intent.filters}) == best.intent
    return same and set(best.intent.filters) < set(one.intent.filters)


def _is_empty(outcome: Outcome | None) -> bool:
    """Whether a query ran and gave no row, or one row of nothing: a sum of none."""
    if outcome is None or outcome.state is not ProbeState.OK or outcome.rows > 1:
        return False
    return not outcome.rows or all(column.empty_share == 1 for column in outcome.columns)


def _by_count(intent: Intent) -> bool:
    first = intent.order[0] if intent.order else None
    if first is None or first.target != "measure" or first.index >= len(intent.measures):
        return False
    return intent.measures[first.index].aggregate in (Aggregate.COUNT, Aggregate.COUNT_DISTINCT)


def rivals(ranked: Sequence[Candidate]) -> list[Candidate]:
    """The first candidate and those whose answer is not its own with columns more or fewer."""
    if not ranked:
        return []
    best = ranked[0]
    return [best, *(c for c in ranked[1:] if not no_rival(c, best))]


def no_rival(one: Candidate, best: Candidate) -> bool:
    """Whether two answers differ by columns more or fewer at most."""
    return same_rows(one, best) or holds(one, best) or holds(best, one)


def same_rows(one: Candidate, other: Candidate) -> bool:
    """Whether two answers have the same rows, whatever is drawn of them."""
    a, b = one.outcome, other.outcome
    if a is None or b is None or a.more or b.more:
        return False
    return a.multiset_digest == b.multiset_digest


def holds(wide: Candidate, narrow: Candidate) -> bool:
    """Whether one answer is another's, with further columns or with the same in another order."""
    a, b = wide.outcome, narrow.outcome
    if a is None or b is None or a.rows != b.rows or a.more or b.more or not a.rows:
        return False
    if len(a.columns) < len(b.columns):
        return False
    if len(a.columns) > len(b.columns) and a.rows <= _GLIMPSED:
        pairs = zip(a.glimpse, b.glimpse, strict=True)
        return all(set(map(str, few)) <= set(map(str, many)) for many, few in pairs)
    return _tells_all(wide.intent, narrow.intent)


def _tells_all(one: Intent, other: Intent) -> bool:
    """Whether an intent tells all that another does of the same rows, where both have as many."""
    groups, fewer = _groups(one), _groups(other)
    # Groups that are told apart by more columns, and are no more, are the same groups.
    same = groups == fewer or (fewer < groups and one.limit is None)
    further = set(one.joins) - set(other.joins)
    return (
        _rows_of(one) == _rows_of(other)
        and same
        and set(other.joins) <= set(one.joins)
        and not any(join.fans_out for join in further)
        and _numbers(other) <= _numbers(one)
    )


def _rows_of(intent: Intent) -> object:
    """Which rows an answer has and in which order, whatever is told of each."""
    return (
        intent.base,
        frozenset(intent.filters),
        frozenset(intent.having),
        intent.limit,
        intent.offset,
        tuple(_target(order, intent) for order in intent.order),
        intent.grouped,
        intent.derived,
        intent.top_of_each,
        intent.cohort,
    )


def _target(order: Order, intent: Intent) -> object:
    """What rows are sorted by, wherever it stands among the columns."""
    by: object = order.field
    if order.target == "measure":
        by = _unlabelled(intent.measures[order.index])
    elif order.target == "dimension":
        by = intent.dimensions[order.index].expression
    return by, order.descending


def _groups(intent: Intent) -> frozenset[object]:
    """What tells its rows apart; of rows that are listed, with the values that are shown."""
    found: set[object] = {(d.expression, d.grain, d.bins) for d in intent.dimensions}
    rows = () if intent.grouped else (m.expression for m in intent.measures if m.shown)
    return frozenset(found | {(expression, None, None) for expression in rows})


def _numbers(intent: Intent) -> frozenset[object]:
    """The numbers of its groups."""
    shown = (m for m in intent.measures if m.shown) if intent.grouped else ()
    return frozenset(_unlabelled(m) for m in shown)


def _sense(one: Candidate, scene: Scene) -> object:
    """What a reading says, whatever it calls things by; with how many rows come of it where one
    name may stand for several things."""
    intent = one.intent
    entities = tuple(_find_entity(d, scene) for d in intent.dimensions)
    named = {entity for entity in entities if isinstance(entity, str)}
    apart = _told_apart(intent, entities, scene) >= named
    rows = one.outcome.rows if one.outcome is not None and not apart else -1
    joins = frozenset((r.left, r.right) for r in intent.joins if not named & {r.right.table})
    if not named:
        return id(one)
    split = frozenset((t, d.grain) for t, d in zip(entities, intent.dimensions, strict=True))
    return (
        intent.base,
        split,
        tuple(_unlabelled(m) for m in intent.measures),
        frozenset(intent.filters),
        intent.having,
        tuple(_by(order, entities) for order in intent.order),
        intent.limit,
        intent.distinct,
        joins,
        intent.derived,
        rows,
    )


def _told_apart(intent: Intent, entities: Sequence[Entity | None], scene: Scene) -> set[str]:
    """The things of which no two share a row: told by a key, or by a name that has one beside it in
    the answer, or is of one alone."""
    catalogue = scene.schema.catalogue
    known = references_of(catalogue)
    keys = known.keys | {reference.child for reference in known.all}
    of_field = scene.schema.of_field
    return {
        entity
        for entity, d in zip(
            entities, separate_equal_names(intent, catalogue).dimensions, strict=True
        )
        if isinstance(entity, str)
        and isinstance(d.expression, Field)
        and (
            d.identity is not None
            or d.expression in keys
            or of_field[d.expression.table, d.expression.column].unique >= 1
        )
    }


def _unlabelled(measure: Measure) -> Measure:
    return measure.model_copy(update={"label": "", "shown": True})


def _by(order: Order, entities: Sequence[Entity | None]) -> object:
    if order.target == "dimension" and order.index < len(entities):
        return (entities[order.index], order.descending)
    return order


def _find_entity(dimension: Dimension, scene: Scene) -> Entity | None:
    """The table whose rows a column tells apart: by its key, by its name, or by referring to it."""
    field = dimension.expression
    if not isinstance(field, Field):
        return None
    label = names_of(scene.schema, field.table)
    if len(label) == 1 and label[0].field == field:
        return field.table  # its own name, whatever else is called so
    known = references_of(scene.schema.catalogue)
    referred = {reference.child: reference.parent.table for reference in known.all}
    if field in referred:
        return referred[field]
    return field.table if field in known.keys else field


def _named(intent: Intent, scene: Scene) -> int:
    """How many of its columns are names."""
    schema = scene.schema
    labels = {p.field for t in schema.catalogue.tables for p in names_of(schema, t.name)}
    keys = references_of(schema.catalogue).keys
    return sum(d.expression in labels - keys for d in intent.dimensions)


def _columns(one: Candidate) -> int:
    return len(one.intent.dimensions) + len(one.intent.measures)
