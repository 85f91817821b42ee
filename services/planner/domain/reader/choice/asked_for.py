"""Whether a reading gives what is asked for outright: months, people, the thing after "which"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from services.planner.domain.lexicon.tokens import Token
from services.planner.domain.query.kinds import Aggregate, Grain
from services.planner.domain.reader.chart.counted_keys import misses_entities
from services.planner.domain.reader.chart.implied import PARTS
from services.planner.domain.reader.chart.requirements import is_of_each
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sets import part_asked
from services.planner.domain.reader.chart.sketch import Sketch
from services.planner.domain.reader.choice.candidate import Weighed
from services.planner.domain.reader.grammar import aggregation, chart_words, counting, ordering
from services.planner.domain.reader.grammar.splitting import Split, splits
from services.planner.domain.reader.links.mentions import Mention, TableMention
from services.planner.domain.reader.links.naming import names_of, people_of, places_of
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.semantics.kinds import Kind, is_named_not_additive, said_to_add_up

_WHO = frozenset(("who", "whom", "whose"))
_WHICH = frozenset(("which", "what", "whats"))
_NO_TOTALS = frozenset((Aggregate.AVERAGE, Aggregate.MAXIMUM, Aggregate.MINIMUM))
_YEARLY_KINDS = (Kind.LEVEL, Kind.INTENSIVE)
_CLEARLY, _PARTLY = 0.8, 0.45
_OWN = 0.99
_OF_EACH = 2  # the number and what it counts
_APART = 2  # words between "which" and the thing: "which 3 African countries"


@dataclass(frozen=True)
class _Wanted:
    """What a question asks for outright: units of time, any of some columns (who, where), any of
    some things (after "which"), how many."""

    grains: tuple[Grain, ...]
    columns: frozenset[Place]
    entities: tuple[Mention | TableMention, ...]
    many: bool
    different: bool
    made: frozenset[Aggregate]
    against: tuple[int, ...]
    shares: tuple[int, ...]
    groups: tuple[int, ...]


def asked_for(weighed: Weighed, sketch: Sketch) -> dict[str, float]:
    """What is asked for and missed."""
    scene = weighed.scene
    wanted = _wanted(scene)
    return {
        "sides missed": float(_misses_sides(wanted, sketch)),
        "share of other": float(_shares_other(scene, wanted, sketch)),
        "latest missed": float(_misses_latest(weighed, sketch)),
        "sum unsaid": float(Aggregate.SUM not in wanted.made and _adds_intensive(sketch)),
        "total missed": float(_misses_total(wanted, sketch)),
        "grain missed": float(_misses_grain(wanted, sketch)),
        "thing missed": float(_misses_entity(scene, wanted, sketch)),
        "count missed": float(wanted.many and not _counts(sketch)),
        "group missed": float(_misses_group(scene, wanted, sketch)),
        "name missed": float(_misses_name(scene, sketch)),
        "things missed": float(misses_entities(scene, sketch)),
        "kinds unsaid": float(not wanted.different and _kinds(sketch)),
    }


@lru_cache(maxsize=8)
def _wanted(scene: Scene) -> _Wanted:
    """What the question asks for; the same for all of its readings."""
    first = scene.tokens[0].lower if scene.tokens else ""
    named = people_of(scene.schema) if first in _WHO else ()
    named = places_of(scene.schema) if first == "where" else named
    return _Wanted(
        tuple(cue.means for cue in scene.words.find(chart_words.GRAINS)),
        frozenset(place for names in named for place in names),
        () if named else tuple(_find_entities(scene)),
        any(scene.between(t.index, t.index + 2) == "how many" for t in scene.tokens),
        bool(scene.words.find(counting.DIFFERENT)),
        frozenset(_made(scene)),
        tuple(cue.slot("word") or cue.first for cue in scene.words.find(counting.AGAINST)),
        tuple(cue.last for cue in scene.words.find(counting.RULES) if cue.means == "share"),
        tuple(_after_value(scene, cue.last + 1) for cue in splits(scene.words, Split.OF_EACH)),
    )


def _made(scene: Scene) -> Iterator[Aggregate]:
    """The aggregates that are said; the "top" of "top 5" says how many are kept."""
    few = {c.first for c in scene.words.find(ordering.TOP) if c.slot("number") is not None}
    yield from (c.means for c in scene.words.find(aggregation.RULES) if c.first not in few)


def _after_value(scene: Scene, at: int) -> int:
    """The thing that a value stands before: "each Iron Maiden album" asks for albums."""
    ends = [v.last + 1 for v in scene.values if v.first == at and v.how in ("exact", "stem")]
    named = {one.first for one in scene.mentions if one.coverage >= _PARTLY}
    named |= {one.first for one in scene.tables if one.coverage >= _PARTLY}
    return next((end for end in sorted(ends, reverse=True) if end in named), at)


def _misses_grain(wanted: _Wanted, sketch: Sketch) -> bool:
    """Whether months are asked for and none are shown."""
    if not wanted.grains:
        return False
    places = (*sketch.shown, *sketch.split)
    if sketch.grain in wanted.grains and any(place.time for place in places):
        return False
    words = {word for place in places if not place.time for word in place.words}
    return not any(words & {*PARTS[grain]} for grain in wanted.grains)


def _misses_entity(scene: Scene, wanted: _Wanted, sketch: Sketch) -> bool:
    """Whether people, places or the thing after "which" are asked for and not shown."""
    if sketch.change is not None:
        return False
    if wanted.columns:
        return wanted.columns.isdisjoint(sketch.shown)
    return bool(wanted.entities) and not any(_shows(scene, sketch, one) for one in wanted.entities)


def _misses_group(scene: Scene, wanted: _Wanted, sketch: Sketch) -> bool:
    """Whether the one thing after "by" or "per" neither splits nor sorts: "humidity by sensor"."""
    used = {place.index for place in (*sketch.shown, *sketch.split, *sketch.within, *sketch.ratio)}
    used |= {sketch.sorted_by.index} if sketch.sorted_by is not None else set()
    worked_out = {place.index for place in sketch.shown_places if place.definition is not None}
    mentions = [m for m in scene.mentions if m.place.index in worked_out]
    for at in wanted.groups:
        if any(m.first <= at <= m.last for m in mentions):
            continue  # "price per carat"
        intended = {
            m.place.index for m in scene.mentions if m.first == at and m.coverage >= _PARTLY
        }
        if not (intended & used or _tells_part(sketch, scene, at)) and (
            intended or _misses_rows_of(scene, sketch, at)
        ):
            return True
    return False


def _misses_rows_of(scene: Scene, sketch: Sketch, at: int) -> bool:
    """Whether a table's rows are what each number is to be of, and nothing refers to them: "how
    many customers does each employee have"."""
    tables = {t.table.name for t in scene.tables if t.first == at and t.coverage >= _CLEARLY}
    keys = {
        (link.from_table, link.from_column)
        for link in scene.schema.catalogue.relationships
        if link.to_table in tables
    }
    places = (*sketch.shown, *sketch.split, *sketch.within)
    return bool(tables) and not any((p.table.name, p.column.name) in keys for p in places)


def _tells_part(sketch: Sketch, scene: Scene, at: int) -> bool:
    """Whether a thing is shown by another column of its table, or is a unit of time that is."""
    tables = {t.table.name for t in scene.tables if t.first == at}
    shown = any(place.table.name in tables for place in (*sketch.shown, *sketch.split))
    return shown or any(cue.first == at for cue in scene.words.find(chart_words.GRAINS))


def _adds_intensive(sketch: Sketch) -> bool:
    """Whether it adds up what does not add up: prices, ratings, hours that something took."""
    return any(
        n.aggregate is Aggregate.SUM
        and n.place is not None
        and n.place.kind is Kind.INTENSIVE
        and (n.place.definition is not None or is_named_not_additive(n.place.words))
        for n in sketch.made
    )


def _misses_total(wanted: _Wanted, sketch: Sketch) -> bool:
    """Whether it averages, or takes an end of, what adds up by its name, and no word asks for that:
    revenue, quantities, visits."""
    return any(
        n.aggregate in _NO_TOTALS - wanted.made
        and n.per is None
        and n.place is not None
        and n.place.kind is Kind.AMOUNT
        and said_to_add_up(n.place.words)
        for n in sketch.made
    )


def _misses_sides(wanted: _Wanted, sketch: Sketch) -> bool:
    """Whether two values are set against each other, and are not told apart: "chat vs email"."""
    rows = sketch.rows
    for at in wanted.against:
        before = {c.place.index for c in rows if c.place is not None and c.last < at}
        after = {c.place.index for c in rows if c.place is not None and c.first > at}
        both = before & after
        apart = {place.index for place in (*sketch.shown, *sketch.split)}
        if both and not both & apart and sketch.change is None:
            return True
    return False


def _shares_other(scene: Scene, wanted: _Wanted, sketch: Sketch) -> bool:
    """Whether the share is of other than what is said first: of women "among team leads"."""
    if len(sketch.share) != 1 or not wanted.shares:
        return False
    rows = (*sketch.rows, *sketch.share)
    if part := part_asked(scene, sketch.rows):
        return set(part) != set(sketch.share)
    after = [c.first for c in rows if c.first > wanted.shares[0]]
    return bool(after) and sketch.share[0].first != min(after)


def _misses_latest(weighed: Weighed, sketch: Sketch) -> bool:
    """Whether numbers that are told year by year are put together over years unasked."""
    if not any(n.place is not None and n.place.kind in _YEARLY_KINDS for n in sketch.made):
        return False
    tables = sketch.tables()
    return any(
        one.rule == "latest"
        and one.place is not None
        and one.place.table.name in tables
        and one.place.index not in sketch.used
        for one in weighed.proposals
    )


def _find_entities(scene: Scene) -> Iterator[Mention | TableMention]:
    """What is named right after "which", or after the superlative that a question begins with."""
    starts = [token.index + 1 for token in scene.tokens if token.lower in _WHICH]
    ends = [cue for cue in scene.words.find(ordering.DIRECTIONS) if cue.first == 0]
    starts += [cue.last + 1 for cue in ends if not cue.last]
    for start in starts:
        start += _OF_EACH if is_of_each(scene, start) else 0  # "the cheapest 3 bedroom house"
        for at in range(start, min(start + _APART + 1, len(scene.tokens))):
            found: list[Mention | TableMention] = [
                m for m in scene.mentions if m.first == at and m.coverage >= _CLEARLY
            ]
            found += [t for t in scene.tables if t.first == at and t.coverage >= _CLEARLY]
            found += [] if found else _of_value(scene, at)
            if found:
                yield from found
                break
            if not _qualifies(scene, scene.tokens[at]):
                break


def _of_value(scene: Scene, at: int) -> list[TableMention]:
    """The things of which one is told by a value that nothing follows: "the cheapest Riesling"."""
    values = [v for v in scene.values if v.first == at and v.how in ("exact", "stem")]
    if len({v.place.index for v in values}) != 1 or values[0].last + 1 < len(scene.tokens):
        return []
    place = values[0].place
    return [TableMention(place.table, at, values[0].last, _CLEARLY, _CLEARLY)]


def _qualifies(scene: Scene, token: Token) -> bool:
    """Whether a word may stand between "which" and the thing: a number, a value, "worst"."""
    valued = scene.valued[token.index] > 0
    return token.number is not None or valued or token.lower.endswith("est")


def _shows(scene: Scene, sketch: Sketch, entity: Mention | TableMention) -> bool:
    if isinstance(entity, Mention):
        if entity.place.number and not entity.place.key:
            return entity.place in sketch.shown_places
        same = _of_same(scene, sketch, entity.place)
        return any(place is entity.place for place in sketch.shown) or same
    shown = [place for place in sketch.shown if place.table.name == entity.table.name]
    names = names_of(scene.schema, entity.table.name)
    return any(place.key or not names or place in names for place in shown)


def _of_same(scene: Scene, sketch: Sketch, place: Place) -> bool:
    """Whether another column of the things is shown, as a name for a key: of the table that the
    key tells apart, not of one that refers to it."""
    if not place.key:
        return False
    own = {p.table.name for p in scene.schema.places if p.words == place.words and p.unique >= _OWN}
    own |= set() if own else {place.table.name}
    return any(p.table.name in own for p in sketch.shown)


def _counts(sketch: Sketch) -> bool:
    """Whether it tells a number, and does not list rows."""
    made = sketch.numbers or sketch.share or sketch.ratio
    return bool(made) or sketch.entity is not None or sketch.change is not None


def _misses_name(scene: Scene, sketch: Sketch) -> bool:
    """Whether a little word in capitals that is a value, or a part of one, is no condition: IT."""
    change = (sketch.change.before, sketch.change.after) if sketch.change is not None else ()
    taken = (*sketch.conditions, *sketch.either, *sketch.share, *change)
    read = {at for one in taken for at in range(one.first, one.last + 1)}
    return any(scene.valued[at] and at not in read for at in scene.loud)


def _kinds(sketch: Sketch) -> bool:
    """Whether different values are counted."""
    return any(n.aggregate is Aggregate.COUNT_DISTINCT for n in sketch.made)
