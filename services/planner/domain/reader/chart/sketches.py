"""From roles and conditions to sketches: every way to fill in what a question leaves unsaid."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product

from services.planner.domain.query.kinds import Operator
from services.planner.domain.reader.chart.beam import Conditions, Roles
from services.planner.domain.reader.chart.calculated import in_ranges, worked_out
from services.planner.domain.reader.chart.changes import change_sketches
from services.planner.domain.reader.chart.charted import charted_sketches
from services.planner.domain.reader.chart.counted_beside import counted_beside_sketches
from services.planner.domain.reader.chart.implied import implied
from services.planner.domain.reader.chart.leading import latest_sketches, leading_sketches
from services.planner.domain.reader.chart.listed import listed_sketches
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.chart.ratios import ratios_of_numbers
from services.planner.domain.reader.chart.requirements import Parts, Requirements, parts_of
from services.planner.domain.reader.chart.sets import (
    ratio_sketches,
    set_sketches,
    share_sketches,
    sketch_entities,
)
from services.planner.domain.reader.chart.side_by_side import points_sketches
from services.planner.domain.reader.chart.sketch import Sketch
from services.planner.domain.reader.chart.so_many import so_many_sketches
from services.planner.domain.reader.chart.statistics import (
    mode_sketches,
    together_sketches,
    with_statistics,
)

_EXTRA_COST = 0.3
_MOST_PAIRS = 128
_EMPTY = (Operator.IS_NULL, Operator.NOT_NULL)


@dataclass(frozen=True, eq=False)
class Draft:
    """A sketch with the choices behind it; `cost` counts against it."""

    sketch: Sketch
    roles: Roles
    conditions: Conditions
    cost: float


Hopeful = Callable[[Draft], bool]


def drafts(
    requirements: Requirements,
    roles: Sequence[Roles],
    chosen: Sequence[Conditions],
    hopeful: Hopeful,
) -> Iterator[Draft]:
    """Every draft of the likeliest pairs of roles and conditions.

    Further tables, which only cost, are joined where a draft at that cost would be `hopeful`.
    """
    done: set[tuple[Parts, Sketch]] = set()  # other roles may make the very same parts
    pairs = sorted(product(roles, chosen), key=lambda pair: -(pair[0].score + pair[1].score))
    for one, conditions in pairs[:_MOST_PAIRS]:
        for parts, either, more in _ways(requirements, parts_of(one), conditions):
            base = Sketch(
                conditions=conditions.taken,
                either=either,
                grain=requirements.grain,
                before=requirements.before,
            )
            for wider, further in _wider(requirements, parts, base):
                if (wider, base) in done:
                    continue
                done.add((wider, base))
                start = Draft(base, one, conditions, more + further)
                for sketch, cost in _sketches(requirements, wider, start, hopeful):
                    if sketch.holds:
                        yield Draft(sketch, one, conditions, cost)


def _wider(requirements: Requirements, parts: Parts, base: Sketch) -> Iterator[tuple[Parts, float]]:
    """With what is implied, and with the statistics that are asked for."""
    for wider, cost in implied(requirements, parts, base):
        for made, more in with_statistics(requirements, wider):
            yield made, cost + more


def _sketches(
    requirements: Requirements, parts: Parts, start: Draft, hopeful: Hopeful
) -> Iterator[tuple[Sketch, float]]:
    """Every sketch of these parts, with further tables or without, and what it costs in all."""
    base = start.sketch
    make = charted_sketches if requirements.scene.charted else listed_sketches
    used = set(
        base.but(
            shown=parts.shown, split=parts.split + parts.ordered, numbers=parts.numbers
        ).tables()
    )
    plain = list(make(requirements, parts, base))
    plain = [
        *plain,
        *worked_out(requirements.scene, requirements.working, plain),
        *in_ranges(requirements.width, plain),
    ]
    for extra in _extras(requirements, used):
        for sketch, cost in plain:
            whole = start.cost + cost + _EXTRA_COST * len(extra)
            if not extra:
                yield sketch, whole
            elif hopeful(Draft(sketch, start.roles, start.conditions, whole)):
                yield sketch.but(extra=(*extra, *sketch.extra)), whole
    for make_apart in (
        share_sketches,
        ratio_sketches,
        ratios_of_numbers,
        set_sketches,
        change_sketches,
        sketch_entities,
        so_many_sketches,
        leading_sketches,
        latest_sketches,
        together_sketches,
        mode_sketches,
        points_sketches,
        counted_beside_sketches,
    ):
        apart = list(make_apart(requirements, parts, base))
        for sketch, cost in (*apart, *in_ranges(requirements.width, apart)):
            yield sketch, start.cost + cost


def _ways(
    requirements: Requirements, parts: Parts, conditions: Conditions
) -> Iterator[tuple[Parts, tuple[Proposal, ...], float]]:
    """With each way of tying conditions; several values of one column may be groups too."""
    for either in _alternatives(requirements, conditions):
        yield parts, either, 0.0
        places = {one.place for one in either}
        place = next(iter(places)) if len(places) == 1 else None
        if place is not None and place not in parts.shown and (parts.numbers or not parts.shown):
            yield replace(parts, shown=(place, *parts.shown)), either, _EXTRA_COST


def _alternatives(requirements: Requirements, conditions: Conditions) -> list[tuple[Proposal, ...]]:
    """Which conditions may be alternatives: none, those around an "or", those on one column."""
    rows = sorted((c for c in conditions.taken if not c.of_groups), key=lambda c: c.first)
    found: list[tuple[Proposal, ...]] = [()]
    if len(rows) < 2:
        return found
    ors = [token.index for token in requirements.scene.tokens if token.lower in ("or", "either")]
    joined = [
        pair for pair in pairwise(rows) if any(pair[0].last < at < pair[1].first for at in ors)
    ]
    if joined:
        found.append(tuple(dict.fromkeys(one for pair in joined for one in pair)))
    for place in dict.fromkeys(c.place for c in rows):
        same = tuple(c for c in rows if c.place is place)
        if len(same) > 1 and same not in found and not any(c.operator in _EMPTY for c in same):
            found.append(same)
    if requirements.either and tuple(rows) not in found:
        found.append(tuple(rows))
    return [group for group in found if not _hold_always(group)]


def _hold_always(group: tuple[Proposal, ...]) -> bool:
    """Whether alternatives leave nothing out: "not from Spain or Italy" is from neither."""
    denied = [one.place for one in group if one.operator is Operator.NOT_EQUAL]
    return len(denied) > len(set(denied))


def _extras(requirements: Requirements, used: set[str]) -> Iterator[list[str]]:
    """Tables that are spoken of and not used yet: none of them, each, all."""
    rest = [table for table in requirements.tables if table not in used]
    yield []
    for table in rest:
        yield [table]
    if len(rest) > 1:
        yield rest
