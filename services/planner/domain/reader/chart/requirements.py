"""What a question says: of the whole, and with the roles that its mentions play."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from services.planner.domain.query.kinds import Aggregate, Grain
from services.planner.domain.reader.chart.asked import (
    Asked,
    Together,
    asked_of,
    together_of,
)
from services.planner.domain.reader.chart.beam import Roles
from services.planner.domain.reader.chart.calculated import Working, width_of, working_of
from services.planner.domain.reader.chart.pieces import AGGREGATES, Role
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import Number
from services.planner.domain.reader.choice.shape import Shape
from services.planner.domain.reader.grammar import (
    aggregation,
    chart_words,
    counting,
    leading,
    ordering,
)
from services.planner.domain.reader.links.mentions import Tie
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.semantics.kinds import Kind

_MOST_TABLES, _MOST_OF_FEW, _MOST_RATIOS, _NAMED = 4, 100, 3, 0.6
_PART_REACH, _SEVERAL = 3, 2


@dataclass(frozen=True, eq=False)
class Requirements:
    """What the whole question says, beside roles and conditions.

    `few` is how many rows are asked for ("top 5"), `least` whether the lowest come first,
    `either` whether alternatives are spoken of, `ratios` are columns said
    with "per" between them, `statistics` what is asked for and no role stands for (a median),
    `together` columns whose going together is asked for, `counts`
    whether a number of things is asked for, `tables` those spoken of, the surest first, `extreme`
    whether a superlative stands there, so that one end may be wanted whatever else is likely,
    `working` what is to be worked out over groups, `width` that of ranges to put numbers into,
    `before` how many come before the one that is asked for: one before "the second largest",
    `any_few` how many things are to be shown, whichever: "show me 5 products".
    """

    scene: Scene
    shape: Shape
    few: int | None
    grain: Grain | None
    least: bool
    denies: bool
    either: bool
    shares: bool
    ratios: tuple[tuple[Place, Place], ...]
    statistics: tuple[Asked, ...]
    together: tuple[Together, ...]
    counts: bool
    tables: tuple[str, ...]
    extreme: bool
    working: Working | None = None
    width: float | None = None
    before: int = 0
    any_few: int | None = None


@dataclass(frozen=True, slots=True)
class Parts:
    """Roles sorted by what they make."""

    shown: tuple[Place, ...]
    numbers: tuple[Number, ...]
    split: tuple[Place, ...]
    ordered: tuple[Place, ...]


def find_requirements(scene: Scene, shape: Shape) -> Requirements:
    """What is said of the whole."""
    few: int | None = None
    for cue in scene.words.find(ordering.TOP):
        at = cue.slot("number")
        number = scene.tokens[at].number if at is not None else None
        bounds = at is not None and (is_of_each(scene, at) or scene.tokens[at].ordinal)
        if number is not None and 0 < number <= _MOST_OF_FEW and not bounds:
            few = int(number)
    grains = [cue.means for cue in scene.words.find(chart_words.GRAINS)]
    working = working_of(scene)
    if working is not None and working.worked.unit is not None:
        grains.append(working.worked.unit)  # "month-over-month growth" is told by month
    topics = {cue.rule.name for cue in scene.words.find(counting.RULES)}
    directions = {cue.rule.name for cue in scene.words.find(ordering.DIRECTIONS)}
    tables = sorted(scene.spoken_tables, key=lambda t: (-scene.spoken_tables[t], t))
    return Requirements(
        scene,
        shape,
        few,
        grains[0] if grains else None,
        least=bool(directions & {"least"}) and "most" not in directions,
        denies="not" in topics,
        either="or" in topics,
        shares="share" in topics,
        ratios=(
            *_as_parts(scene),
            *_ratios(scene),
            *(_parts_of_all(scene) if "share" in topics else ()),
        ),
        statistics=asked_of(scene),
        together=together_of(scene),
        counts=any(c.means is Aggregate.COUNT for c in scene.words.find(aggregation.RULES)),
        tables=tuple(tables[:_MOST_TABLES]),
        working=working,
        width=width_of(scene),
        before=_before(scene),
        any_few=_any_few(scene),
        extreme=bool(directions & {"most", "least"} or scene.words.find(leading.ENDS)),
    )


def _before(scene: Scene) -> int:
    """How many come before the place that is asked for: none where it is the first."""
    slots = [cue.slot("number") for cue in scene.words.find(ordering.PLACES)]
    numbers = [scene.tokens[at].number or 1 for at in slots if at is not None]
    return int(max(numbers, default=1)) - 1


def _any_few(scene: Scene) -> int | None:
    """How many rows of a table are to be shown; None where nobody says so."""
    for cue in scene.words.find(ordering.ANY):
        at, word = cue.slot("number"), cue.slot("word")
        entities = any(t.first == word and t.coverage > _NAMED for t in scene.tables)
        if at is not None and entities:
            return int(scene.tokens[at].number or 1)
    return None


def is_of_each(scene: Scene, at: int) -> bool:
    """Whether a number says how many each thing has: "the cheapest 3 bedroom house"."""
    tokens = scene.tokens[at : at + 1 + _SEVERAL]
    if len(tokens) <= _SEVERAL or not tokens[0].digits or (tokens[0].number or 0) < _SEVERAL:
        return False
    word = tokens[1]
    return not word.lower.endswith("s") and any(
        m.first == word.index
        and m.last == word.index
        and m.place.number
        and m.tie is Tie.NAME
        and m.coverage > _NAMED
        and m.place.kind is not Kind.ID
        for m in scene.mentions
    )


def _ratios(scene: Scene) -> tuple[tuple[Place, Place], ...]:
    """Columns of numbers around a "per": "price per carat"."""
    found: list[tuple[Place, Place]] = []
    for token in scene.tokens:
        if token.lower not in ("per", "/", "over"):
            continue
        numbers = [m for m in scene.mentions if m.place.number and m.coverage > _NAMED]
        tops = [m for m in numbers if m.last == token.index - 1]
        bottoms = [m for m in numbers if m.first == token.index + 1]
        found += [(a.place, b.place) for a in tops for b in bottoms if a.place is not b.place]
    return tuple(dict.fromkeys(found))[:_MOST_RATIOS]


def _as_parts(scene: Scene) -> Iterator[tuple[Place, Place]]:
    """The number before and the one after "as a percentage of"."""
    numbers = [m for m in scene.mentions if m.place.number and m.coverage > _NAMED]
    for cue in scene.words.find(counting.AS_PART):
        before = [m for m in numbers if 0 < cue.first - m.last <= _PART_REACH]
        after = [m for m in numbers if m.first == cue.last + 1]
        yield from ((a.place, b.place) for a in before for b in after if a.place is not b.place)


def _parts_of_all(scene: Scene) -> Iterator[tuple[Place, Place]]:
    """A number of which another is a part: "share of eggs hatched", "what % of seats was sold"."""
    numbers = [
        m
        for m in scene.mentions
        if m.place.number and m.coverage > _NAMED and m.place.kind not in (Kind.ID, Kind.FLAG)
    ]
    for token in scene.tokens:
        if token.lower != "of":
            continue
        wholes = [m for m in numbers if token.index < m.first <= token.index + 2]
        yield from (
            (part.place, whole.place)
            for whole in wholes
            for part in numbers
            if whole.last < part.first <= whole.last + _PART_REACH
            and part.place is not whole.place
            and part.place.table is whole.place.table
        )


def parts_of(roles: Roles) -> Parts:
    """The parts that these roles make."""

    def of(*wanted: Role) -> tuple[Place, ...]:
        return tuple(mention.place for mention, role in roles.played if role in wanted)

    numbers = tuple(Number(AGGREGATES[r], m.place) for m, r in roles.played if r in AGGREGATES)
    return Parts(of(Role.SHOWN, Role.GROUPED), numbers, of(Role.SPLIT), of(Role.ORDERED))
