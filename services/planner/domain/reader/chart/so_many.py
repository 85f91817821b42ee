"""Things that have so many of others: "customers with more than 5 orders", "orders of 3 products".

The condition is on each of the things: on how many rows refer to it, or on what an amount of these
rows comes to. Such things are counted, listed with their number, or told a number of.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from services.planner.domain.lexicon.tokens import Token
from services.planner.domain.query.joining.keys import key_of
from services.planner.domain.query.kinds import Aggregate, Operator
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.chart.requirements import Parts, Requirements
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import COUNT, Number, Sketch
from services.planner.domain.reader.grammar import comparison, counting
from services.planner.domain.reader.grammar.splitting import Split, splits
from services.planner.domain.reader.links.mentions import Mention, Tie
from services.planner.domain.reader.links.naming import names_of
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.semantics.kinds import Kind

_SURELY, _NAMED, _REACH, _MOST_ROWS = 0.95, 0.8, 2, 100_000
_TAKING = frozenset("spent spend spends paid earned earn earns sold generated".split())
_OF_OTHERS = frozenset("of by per for in from to among top first last and or the than".split())


@dataclass(frozen=True, eq=False, slots=True)
class SoMany:
    """What is asked of each thing: `key` tells the things apart among the rows that refer to them,
    `names` are how they are listed. `counted` where it is asked how many such things there are."""

    key: Place
    names: tuple[Place, ...]
    condition: Proposal
    counted: bool


@dataclass(frozen=True, slots=True)
class _Bound:
    """A comparison with a number: the words `first` to `last`; `said` where words compare."""

    first: int
    last: int
    operator: Operator
    values: tuple[float, ...]
    said: bool


@lru_cache(maxsize=8)
def so_many(scene: Scene) -> tuple[SoMany, ...]:
    """All that is asked of things; of each number every way to understand it."""
    if scene.charted:
        return ()
    found: list[SoMany] = []
    for bound in _bounds(scene):
        found += _of_rows(scene, bound)
    for bound in _bounds(scene):
        found += _of_amounts(scene, bound, found)
    return tuple(found)


def of_entities(scene: Scene) -> Iterator[Proposal]:
    """The conditions on things."""
    yield from (one.condition for one in so_many(scene))


def so_many_sketches(
    requirements: Requirements, parts: Parts, base: Sketch
) -> Iterator[tuple[Sketch, float]]:
    """The things that have so many: how many they are, which, or a number of each."""
    for asked in _together(so_many(requirements.scene)):
        taken = tuple(one.condition for one in asked)
        spans = {at for one in taken for at in range(one.first, one.last + 1)}
        rest = tuple(c for c in base.conditions if c.first not in spans and not c.of_groups)
        if base.either and len(rest) < len(base.rows):
            continue
        (first, *_) = asked
        sketch = base.but(conditions=(*rest, *taken))
        shown = tuple(p for p in parts.shown if p is not first.key and p not in first.names)
        if first.counted:
            if not parts.numbers and len(shown) <= len(
                splits(requirements.scene.words, Split.OF_EACH)
            ):
                yield sketch.but(numbers=(COUNT,), shown=shown, entity=first.key), 0.0
            continue
        numbers = _counted(taken) if _is_sum(first) else parts.numbers or _counted(taken)
        if not shown and all(n.aggregate is not None for n in numbers):
            yield sketch.but(shown=first.names, numbers=numbers, grouped=True), 0.0


def misses_so_many(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether things are to have so many of others, and the reading asks nothing of the kind."""
    asked = so_many(requirements.scene)
    if not asked:
        return False
    numbers = {one.condition.first for one in asked}
    so_manies = [one for one in asked if any(c is one.condition for c in sketch.conditions)]
    if {one.condition.first for one in so_manies} != numbers:
        return True
    if any(one.counted for one in asked):
        return not any(sketch.entity is one.key for one in so_manies)
    if any(_is_sum(o) and sketch.numbers != _counted((o.condition,)) for o in so_manies):
        return True
    places = [
        p for p in sketch.shown if p.kind is not Kind.ID or any(p in o.names for o in so_manies)
    ]
    return (
        len(places) < len(sketch.shown)
        or not sketch.numbers
        or not any(sketch.grouped and set(one.names) <= set(sketch.shown) for one in so_manies)
    )


def _is_sum(asked: SoMany) -> bool:
    """Whether an amount is asked about, which is then what is told of each."""
    return asked.condition.aggregate is Aggregate.SUM


def _counted(taken: tuple[Proposal, ...]) -> tuple[Number, ...]:
    """How many each has, as the condition counts them."""
    (first, *_) = taken
    return (COUNT,) if first.place is None else (Number(first.aggregate, first.place),)


def _together(asked: tuple[SoMany, ...]) -> Iterator[tuple[SoMany, ...]]:
    """Conditions on the same things, one for each number: "over 10 orders and revenue over 200"."""
    by_number: dict[int, list[SoMany]] = {}
    for one in asked:
        by_number.setdefault(one.condition.first, []).append(one)
    for first in next(iter(by_number.values()), []):
        more = [
            next((o for o in others if o.key is first.key), None)
            for at, others in by_number.items()
            if at != first.condition.first
        ]
        yield (first, *(one for one in more if one is not None))


def _bounds(scene: Scene) -> Iterator[_Bound]:
    """The numbers that something is compared with, each once; "a single" is one."""
    seen: set[int] = set()
    for cue in sorted(scene.words.find(comparison.RULES), key=lambda c: c.first - c.last):
        at, until = cue.slot("number"), cue.slot("number2")
        if at is None or at in seen or scene.tokens[at].number is None:
            continue
        values = [scene.tokens[k].number or 0.0 for k in (at, until) if k is not None]
        seen |= {at, until} if until is not None else {at}
        yield _Bound(cue.first, cue.last, cue.means, tuple(values), said=True)
    for one in scene.words.find(counting.SINGLE):
        yield _Bound(one.first, one.last, Operator.EQUAL, (1.0,), said=True)
    for token in scene.tokens:
        if token.index not in seen and _is_how_many(token):
            value = (token.number or 0.0,)
            yield _Bound(token.index, token.index, Operator.EQUAL, value, said=False)


def _is_how_many(token: Token) -> bool:
    number = token.number
    return number is not None and not token.ordinal and token.day is None and number == int(number)


def _of_rows(scene: Scene, bound: _Bound) -> Iterator[SoMany]:
    """How many rows of the table that is named after the number each thing before it has."""
    before = scene.tokens[bound.first - 1].lower if bound.first else ""
    if (not bound.said and before in _OF_OTHERS) or max(bound.values) > _MOST_ROWS:
        return
    follow = range(bound.last + 1, bound.last + 1 + _REACH)
    others = [t for t in scene.tables if t.first in follow and t.coverage >= _SURELY]
    if not others or any(m.first in follow and m.place.number for m in _whole(scene)):
        return
    first = min(others, key=lambda t: t.first)
    for entity, names, word in _entities_before(scene, bound.first):
        span = _from_verb(scene, word, bound.first), first.last
        counted = _is_counted(scene, word)
        if scene.counted and not counted:
            continue
        for key, place in _links(scene, entity, first.table.name):
            aggregate = Aggregate.COUNT_DISTINCT if place is not None else None
            yield SoMany(
                key,
                names or (key,),
                Proposal(
                    place,
                    bound.operator,
                    bound.values,
                    *span,
                    "of groups",
                    0.9,
                    aggregate=aggregate,
                    rows="" if place is not None else first.table.name,
                ),
                counted,
            )


def _from_verb(scene: Scene, entity: int, at: int) -> int:
    """Where the words begin that say of the things that they have others: "customers placed 3"."""
    valued = {k for v in scene.values if v.how != "part" for k in range(v.first, v.last + 1)}
    while at - 1 > entity:
        token = scene.tokens[at - 1]
        plain = token.text.isalpha() and token.text.islower() and token.index not in valued
        if not plain or max(scene.named[at - 1], scene.tabled[at - 1]) >= _NAMED:
            break
        at -= 1
    return at


def _of_amounts(scene: Scene, bound: _Bound, found: list[SoMany]) -> Iterator[SoMany]:
    """What an amount of the rows of each counted thing comes to, or of each that took or gave so
    much: "who spent more than 1000"."""
    taken = {at for one in found for at in range(one.condition.first, one.condition.last + 1)}
    if not bound.said or not taken.isdisjoint(range(bound.first, bound.last + 1)):
        return
    named = [
        m
        for m in _whole(scene)
        if m.last == bound.first - 1 and m.place.kind is Kind.AMOUNT and m.place.number
    ]
    before = [(one, True) for one in _entities_before(scene, bound.first, counted=True)]
    if not before and scene.tokens[bound.first - 1].lower in _TAKING:
        before = [(one, False) for one in _entities_before(scene, bound.first)]
    for (entity, names, _), counted in before:
        for m in named:
            for key in _keys_to(scene, entity, m.place):
                yield SoMany(
                    key,
                    names,
                    Proposal(
                        m.place,
                        bound.operator,
                        bound.values,
                        bound.first,
                        bound.last,
                        "of groups",
                        0.9,
                        aggregate=Aggregate.SUM,
                    ),
                    counted,
                )


def _whole(scene: Scene) -> list[Mention]:
    """The mentions of columns by all of their names."""
    return [m for m in scene.mentions if m.tie is Tie.NAME and m.coverage >= _NAMED]


def _entities_before(
    scene: Scene, at: int, *, counted: bool = False
) -> list[tuple[str | Place, tuple[Place, ...], int]]:
    """The things that are named before a condition, the nearest: a table, or a column in which
    they stand; with how they are listed, and the word. Where they are `counted` those alone."""
    tables = [t for t in scene.tables if t.last < at and t.coverage >= _SURELY]
    if counted:
        tables = [t for t in tables if _is_counted(scene, t.last)]
    if tables:
        nearest = max(tables, key=lambda t: t.first)
        name = nearest.table.name
        return [(name, names_of(scene.schema, name), nearest.last)]
    columns = [m for m in _whole(scene) if m.last < at and m.place.text]
    last = max((m.last for m in columns), default=-1)
    return [
        (m.place, (m.place,), m.last)
        for m in columns
        if m.last == last and scene.tokens[last].lower.endswith("s")
    ]


def _is_counted(scene: Scene, word: int) -> bool:
    return scene.tokens[word].lower in scene.counted_words


def _links(scene: Scene, entity: str | Place, rows: str) -> Iterator[tuple[Place, Place | None]]:
    """What tells the things apart among the rows that are counted, and the column that tells these
    apart where they are not rows of their own: the products of the lines of an order."""
    if isinstance(entity, Place):
        if entity.table.name == rows:
            yield entity, None
        return
    direct = list(_references(scene, rows, entity))
    if len(direct) == 1 and entity != rows:
        known = scene.schema.catalogue.table(rows)
        if known is not None and len(key_of(known)) == 1:
            yield direct[0], None
        return
    between = {
        link.from_table for link in scene.schema.catalogue.relationships if link.to_table == rows
    }
    for table in sorted(between) if not direct else ():
        ours, theirs = (
            list(_references(scene, table, entity)),
            list(_references(scene, table, rows)),
        )
        if len(ours) == len(theirs) == 1 and table not in (entity, rows):
            yield ours[0], theirs[0]


def _references(scene: Scene, table: str, to: str) -> Iterator[Place]:
    for link in scene.schema.catalogue.relationships:
        if link.from_table == table and link.to_table == to:
            place = scene.schema.of_field.get((table, link.from_column))
            if place is not None:
                yield place


def _keys_to(scene: Scene, entity: str | Place, amount: Place) -> Iterator[Place]:
    """The column that refers to the things, in the rows of an amount or in those they refer to."""
    if isinstance(entity, Place) or entity == amount.table.name:
        return
    links = scene.schema.catalogue.relationships
    parents = [one.to_table for one in links if one.from_table == amount.table.name]
    for table in (amount.table.name, *parents):
        direct = list(_references(scene, table, entity))
        if len(direct) == 1:
            yield direct[0]
            return
