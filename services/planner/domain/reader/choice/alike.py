"""Readings that say the same of the same things: told by key or by name, with a column more or not.

The ranker sees readings one by one. Two that differ in how things are called are no rivals, and of
the two people want the one that calls things by their names.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from services.planner.domain.query.intent import Dimension, Field, Intent, Measure, Order
from services.planner.domain.query.joining.references import references_of
from services.planner.domain.query.kinds import Aggregate
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.choice.candidate import Candidate
from services.planner.domain.reader.links.naming import names_of

_KEY_WORDS = frozenset("id ids identifier code codes number no nr key keys ref reference".split())
_OFTEN = frozenset(("often", "frequently", "oftenest"))
_GLIMPSED = 3

Thing = str | Field


def by_name(ranked: Sequence[Candidate], scene: Scene) -> list[Candidate]:
    """The candidates, of those that tell the same things apart only the best told.

    That is the one with most names and fewest columns. It takes the first one's place, with the
    odds of all. Nothing changes where a key is asked for, or where things share a name.
    """
    if any(token.lower in _KEY_WORDS for token in scene.tokens):
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


def as_often(ranked: Sequence[Candidate], scene: Scene) -> list[Candidate]:
    """Where it is asked who did most often, only what is sorted by a count; all if nothing is."""
    if not any(token.lower in _OFTEN for token in scene.tokens):
        return list(ranked)
    return [one for one in ranked if _by_count(one.intent)] or list(ranked)


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
    return [best, *(c for c in ranked[1:] if not _no_rival(c, best))]


def _no_rival(one: Candidate, best: Candidate) -> bool:
    return same_rows(one, best) or holds(one, best) or holds(best, one)


def same_rows(one: Candidate, other: Candidate) -> bool:
    """Whether two answers have the same rows, whatever is drawn of them."""
    a, b = one.outcome, other.outcome
    if a is None or b is None or a.more or b.more:
        return False
    return a.multiset_digest == b.multiset_digest


def holds(wide: Candidate, narrow: Candidate) -> bool:
    """Whether one answer is another's with further columns."""
    a, b = wide.outcome, narrow.outcome
    if a is None or b is None or a.rows != b.rows or a.more or b.more or not a.rows:
        return False
    if len(a.columns) <= len(b.columns):
        return False
    if a.rows <= _GLIMPSED:
        pairs = zip(a.glimpse, b.glimpse, strict=True)
        return all(set(map(str, few)) <= set(map(str, many)) for many, few in pairs)
    one, other = wide.intent, narrow.intent
    same = one.base == other.base and set(one.filters) == set(other.filters)
    plain = not one.grouped and not other.grouped and one.limit is None and other.limit is None
    return same and plain and _shown(other) <= _shown(one)


def _shown(intent: Intent) -> set[object]:
    found: set[object] = {dimension.expression for dimension in intent.dimensions}
    return found | {measure.expression for measure in intent.measures if measure.shown}


def _sense(one: Candidate, scene: Scene) -> object:
    """What a reading says, whatever it calls things by, and how many rows come of it."""
    intent, rows = one.intent, one.outcome.rows if one.outcome is not None else -1
    things = tuple(_thing(d, scene) for d in intent.dimensions)
    named = {thing for thing in things if isinstance(thing, str)}
    joins = frozenset(
        (r.left, r.right) for r in intent.joins if not named & {r.right.table}
    )  # fmt: skip
    if not named:
        return id(one)
    split = frozenset((t, d.grain) for t, d in zip(things, intent.dimensions, strict=True))
    return (
        intent.base, split,
        tuple(_unlabelled(m) for m in intent.measures), frozenset(intent.filters), intent.having,
        tuple(_by(order, things) for order in intent.order), intent.limit,
        intent.distinct, joins, intent.derived, rows,
    )  # fmt: skip


def _unlabelled(measure: Measure) -> Measure:
    return measure.model_copy(update={"label": "", "shown": True})


def _by(order: Order, things: Sequence[Thing | None]) -> object:
    if order.target == "dimension" and order.index < len(things):
        return (things[order.index], order.descending)
    return order


def _thing(dimension: Dimension, scene: Scene) -> Thing | None:
    """The table whose rows a column tells apart: by its key, by its name, or by referring to it."""
    field = dimension.expression
    if not isinstance(field, Field):
        return None
    known = references_of(scene.schema.catalogue)
    label = names_of(scene.schema, field.table)
    if field in known.keys or (len(label) == 1 and label[0].field == field):
        return field.table  # a name may look like a reference to others of such names
    referred = {reference.child: reference.parent.table for reference in known.all}
    return referred.get(field, field)


def _named(intent: Intent, scene: Scene) -> int:
    """How many of its columns are names."""
    schema = scene.schema
    labels = {p.field for t in schema.catalogue.tables for p in names_of(schema, t.name)}
    keys = references_of(schema.catalogue).keys
    return sum(d.expression in labels - keys for d in intent.dimensions)


def _columns(one: Candidate) -> int:
    return len(one.intent.dimensions) + len(one.intent.measures)
