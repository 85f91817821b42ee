"""From roles and conditions to sketches: every way to fill in what a question leaves unsaid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from services.planner.domain.language.kinds import Aggregate, Grain
from services.planner.domain.reader.chart.beam import Conditions, Roles
from services.planner.domain.reader.chart.charted import charted_sketches
from services.planner.domain.reader.chart.pieces import AGGREGATES, Proposal, Role
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import COUNT, Number, Sets, Sketch, Sorting
from services.planner.domain.reader.choice.shape import Shape
from services.planner.domain.reader.grammar import chart_words, counting, ordering
from services.planner.domain.reader.links.mentions import Mention
from services.planner.domain.reader.links.schema import Place

_MOST_EXTRA, _DIRECTIONS = 4, (False, True)
_EXTRA_COST, _UNLIKELY_COUNT = 0.3, 1.5


@dataclass(frozen=True, eq=False)
class Said:
    """What the whole question says, beside roles and conditions."""

    scene: Scene
    shape: Shape
    few: int | None
    grain: Grain | None
    least: bool
    denies: bool
    either: bool
    shares: bool
    tables: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Draft:
    """A sketch with the choices behind it; `cost` counts against it."""

    sketch: Sketch
    roles: Roles
    conditions: Conditions
    cost: float


def said_of(scene: Scene, shape: Shape) -> Said:
    """What is said of the whole."""
    few: int | None = None
    for cue in scene.words.find(ordering.TOP):
        at = cue.slot("number")
        number = scene.tokens[at].number if at is not None else None
        if number is not None and 0 < number <= 100:
            few = int(number)
    grains = scene.words.find(chart_words.GRAINS)
    topics = {cue.rule.name for cue in scene.words.find(counting.RULES)}
    directions = {cue.rule.name for cue in scene.words.find(ordering.DIRECTIONS)}
    tables = sorted(scene.spoken_tables, key=lambda t: (-scene.spoken_tables[t], t))
    return Said(
        scene, shape, few, grains[0].means if grains else None,
        least=bool(directions & {"least"}) and "most" not in directions,
        denies="not" in topics, either="or" in topics, shares="share" in topics, tables=tuple(tables[:_MOST_EXTRA]),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Parts:
    """Roles sorted by what they make."""

    shown: tuple[Place, ...]
    numbers: tuple[Number, ...]
    split: tuple[Place, ...]
    ordered: tuple[Place, ...]


def _parts(roles: Roles) -> Parts:
    def of(*wanted: Role) -> tuple[Place, ...]:
        return tuple(mention.place for mention, role in roles.played if role in wanted)

    numbers = tuple(Number(AGGREGATES[r], m.place) for m, r in roles.played if r in AGGREGATES)
    return Parts(of(Role.SHOWN, Role.GROUPED), numbers, of(Role.SPLIT), of(Role.ORDERED))


def drafts(said: Said, roles: Sequence[Roles], chosen: Sequence[Conditions]) -> Iterator[Draft]:
    """Every draft of every pair of roles and conditions."""
    make = charted_sketches if said.scene.charted else _listed
    for one in roles:
        for conditions in chosen:
            for parts, either, more in _ways(said, _parts(one), conditions):
                base = Sketch(conditions=conditions.taken, either=either, grain=said.grain)
                used = set(
                    base.but(
                        shown=parts.shown, split=parts.split + parts.ordered, numbers=parts.numbers
                    ).tables()
                )
                for extra in _extras(said, used):
                    start = base.but(extra=tuple(extra))
                    for sketch, cost in make(said, parts, start):
                        yield Draft(sketch, one, conditions, more + cost + _EXTRA_COST * len(extra))
                for sketch, cost in _shares(said, parts, base):
                    yield Draft(sketch, one, conditions, more + cost)
                for sketch, cost in _set_sketches(said, parts, base):
                    yield Draft(sketch, one, conditions, more + cost)


def _ways(
    said: Said, parts: Parts, conditions: Conditions
) -> Iterator[tuple[Parts, tuple[Proposal, ...], float]]:
    """With each way of tying conditions; several values of one column may be groups too."""
    for either in _alternatives(said, conditions):
        yield parts, either, 0.0
        places = {one.place for one in either}
        place = next(iter(places)) if len(places) == 1 else None
        if place is not None and place not in parts.shown and (parts.numbers or not parts.shown):
            yield replace(parts, shown=(place, *parts.shown)), either, _EXTRA_COST


def _alternatives(said: Said, conditions: Conditions) -> list[tuple[Proposal, ...]]:
    """Which conditions may be alternatives: none, those around an "or", those on one column."""
    rows = sorted((c for c in conditions.taken if not c.of_groups), key=lambda c: c.first)
    found: list[tuple[Proposal, ...]] = [()]
    if len(rows) < 2:
        return found
    ors = [token.index for token in said.scene.tokens if token.lower in ("or", "either")]
    joined = [
        pair for pair in pairwise(rows) if any(pair[0].last < at < pair[1].first for at in ors)
    ]
    if joined:
        found.append(tuple(dict.fromkeys(one for pair in joined for one in pair)))
    for place in dict.fromkeys(c.place for c in rows):
        same = tuple(c for c in rows if c.place is place)
        if len(same) > 1 and same not in found:
            found.append(same)
    if said.either and tuple(rows) not in found:
        found.append(tuple(rows))
    return found


def _extras(said: Said, used: set[str]) -> Iterator[list[str]]:
    rest = [table for table in said.tables if table not in used]
    yield []
    for table in rest:
        yield [table]
    if len(rest) > 1:
        yield rest


def _listed(said: Said, parts: Parts, base: Sketch) -> Iterator[tuple[Sketch, float]]:
    """Answers as tables."""
    yield from _rows(said, parts, base)
    yield from _counted(said, parts, base)
    if (parts.shown or parts.split) and (parts.shown or parts.numbers):
        if said.shape.of("group", "yes") > 0.015:
            yield from _grouped(said, parts, base)


def _rows(said: Said, parts: Parts, base: Sketch) -> Iterator[tuple[Sketch, float]]:
    """Rows as they stand, or one row of numbers over all."""
    if not parts.shown and not parts.numbers:
        return
    whole = base.but(shown=parts.shown, numbers=parts.numbers)
    yield whole, 0.0
    if parts.numbers:
        return
    if said.shape.of("distinct", "yes") > 0.01:
        yield whole.but(distinct=True), 0.0
    for place in (parts.ordered or parts.shown)[:4]:
        for falling in _DIRECTIONS:
            sorted_ = whole.but(sorting=Sorting(place, falling))
            if said.shape.of("order", "no") < 0.95:
                yield sorted_, 0.0
                if said.shape.of("distinct", "yes") > 0.1:
                    yield sorted_.but(distinct=True), 0.0
            if said.shape.of("limit", "no") < 0.95:
                yield sorted_.but(limit=1), 0.0
            if said.few is not None and said.few > 1:
                yield sorted_.but(limit=said.few), 0.0


def _counted(said: Said, parts: Parts, base: Sketch) -> Iterator[tuple[Sketch, float]]:
    """How many rows there are."""
    counted = base.but(numbers=(COUNT,))
    if not parts.shown and not parts.numbers:
        yield counted, 0.0
    elif len(parts.shown) == 1 and not parts.numbers and said.shape.of("count", "yes") > 0.1:
        yield counted.but(extra=(*base.extra, parts.shown[0].table.name)), _UNLIKELY_COUNT
        if parts.shown[0].unique < 1:
            kinds = Number(Aggregate.COUNT_DISTINCT, parts.shown[0])
            yield base.but(numbers=(kinds,)), _EXTRA_COST
    elif not parts.shown and said.shape.of("count", "yes") > 0.2:
        yield base.but(numbers=(*parts.numbers, COUNT)), 0.0


def _shares(said: Said, parts: Parts, base: Sketch) -> Iterator[tuple[Sketch, float]]:
    """Which part of the rows fits all conditions, or the last of them among the others' rows."""
    if not said.shares or not base.rows or parts.numbers or base.either or len(parts.shown) > 1:
        return
    told = base.but(shown=parts.shown, grouped=bool(parts.shown))
    yield told.but(share=base.rows), 0.0
    if len(base.rows) > 1:
        for one in base.rows:
            yield told.but(share=(one,)), 0.0


def _limits(said: Said) -> list[int | None]:
    return [1, None] if said.few in (None, 1) else [1, said.few, None]


def _grouped(said: Said, parts: Parts, base: Sketch) -> Iterator[tuple[Sketch, float]]:
    groups = base.but(shown=parts.shown, split=parts.split, grouped=True)
    numbers = parts.numbers or (COUNT,)
    yield groups.but(numbers=numbers), 0.0
    if parts.numbers and said.shape.of("count", "yes") > 0.08:
        yield groups.but(numbers=(*parts.numbers, COUNT)), 0.0
    if not parts.shown:
        return
    if base.groups:
        yield groups, 0.0
    ranked: list[Number] = [parts.numbers[0]] if parts.numbers else []
    if said.shape.of("order by count", "yes") > 0.015:
        ranked.append(COUNT)
    for number in ranked:
        for falling in _DIRECTIONS:
            for limit in _limits(said):
                sorting = Sorting(number, falling)
                yield groups.but(sorting=sorting, limit=limit), 0.0
                shown = numbers if number in numbers else (*numbers, number)
                yield groups.but(sorting=sorting, limit=limit, numbers=shown), 0.0
    if said.shape.of("order", "no") < 0.9:
        for place in (*parts.shown[:2], *parts.ordered[:1]):
            for falling in _DIRECTIONS:
                yield groups.but(numbers=numbers, sorting=Sorting(place, falling)), _EXTRA_COST


def _set_sketches(said: Said, parts: Parts, base: Sketch) -> Iterator[tuple[Sketch, float]]:
    """Things with both, with one and not the other, or without something."""
    if not parts.shown and not parts.numbers:
        yield from _counts_without(said, base)
    if said.denies and parts.numbers and not parts.shown:
        for table in (*said.tables, *(c.place.table.name for c in base.rows if c.place)):
            yield base.but(numbers=parts.numbers, sets=Sets.WITHOUT, lacking=table), 0.0
    if not parts.shown or parts.numbers or len(parts.shown) > 3:
        return
    listed = base.but(shown=parts.shown)
    if len(base.rows) >= 2:
        yield listed.but(sets=Sets.BOTH, grouped=True), 0.0
    if not said.denies:
        return
    if base.rows:
        yield listed.but(sets=Sets.EXCEPT, grouped=True), 0.0
    counted = base.but(shown=parts.shown, numbers=(COUNT,), grouped=True)
    for table in (*said.tables, *(c.place.table.name for c in base.rows if c.place)):
        yield listed.but(sets=Sets.WITHOUT, lacking=table), 0.0
        if said.scene.charted and len(parts.shown) == 1:
            yield counted.but(sets=Sets.WITHOUT, lacking=table), 0.0


def _counts_without(said: Said, base: Sketch) -> Iterator[tuple[Sketch, float]]:
    """How many things have nothing in another table."""
    if said.denies:
        for table in said.tables:
            for other in said.tables:
                if other != table:
                    yield (
                        base.but(
                            numbers=(COUNT,), sets=Sets.WITHOUT, lacking=table, extra=(other,)
                        ),
                        0.0,
                    )


def mentions_of(roles: Roles) -> dict[int, Mention]:
    """The mention that gave each column its role."""
    return {mention.place.index: mention for mention, _ in roles.played}


__all__ = ["Aggregate", "Draft", "Parts", "Said", "drafts", "said_of"]
