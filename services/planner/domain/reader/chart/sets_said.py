"""Which sketches of sets the words rule out: one row that is both, a denial that is taken twice."""

from __future__ import annotations

from functools import lru_cache

from services.planner.domain.query.kinds import Operator
from services.planner.domain.reader.chart.denied_lists import denied_lists
from services.planner.domain.reader.chart.requirements import Requirements
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import Sets, Sketch
from services.planner.domain.reader.grammar import chart_words, negation, ordering
from services.planner.domain.reader.grammar.splitting import Split, splits

_TWO = 2
_SPLITTING = ("by", "per")
_DENYING = frozenset(("no", "not", "never", "without"))
_LEAVING_OUT = _DENYING | {"excluding", "except"}
_EMPTY = (Operator.IS_NULL, Operator.NOT_NULL)
_NEGATIVE = (Operator.NOT_EQUAL, Operator.NOT_IN)
_AND = frozenset(("and", "both", "also", "well", "but", "too", "yet"))


def _denies_twice(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether one "without" stands for a gap and for rows of a table that nobody speaks of, or
    one "not" for a gap and for things that have none."""
    if sketch.sets is Sets.EXCEPT:
        return any(c.operator is Operator.IS_NULL for c in sketch.rows)
    if sketch.sets is not Sets.WITHOUT:
        return False
    if _mixes_denied(sketch):
        return True
    if sketch.missing_table in requirements.scene.spoken_tables:
        without = [t.index for t in requirements.scene.tokens if t.lower in _LEAVING_OUT]
        spoken = [
            t.first for t in requirements.scene.tables if t.table.name == sketch.missing_table
        ]
        return bool(without and spoken) and max(spoken) < min(without)
    return any(
        (c.operator in _EMPTY or c.denied)
        and c.place is not None
        and c.place.table.name != sketch.missing_table
        for c in sketch.conditions
    )


def _mixes_denied(sketch: Sketch) -> bool:
    """Whether of two values of one column only one is denied: "Chai but not Chang"."""
    denied = {c.place for c in sketch.rows if c.denied}
    return any(c.place in denied and not c.denied for c in sketch.rows)


def _misses_but_not(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether of "tea but not coffee", two values of a column, one is left out, or both are asked
    of one row."""
    for one, other in _but_not(requirements.scene):
        plain = [c for c in sketch.rows if c.operator in (Operator.EQUAL, Operator.IN)]
        both = [c for c in plain if c.first in (one, other)]
        if sketch.sets is not Sets.EXCEPT or len(both) < _TWO or sketch.either:
            return True
        if sketch.rows[-1].first != other:
            return True
    return False


@lru_cache(maxsize=8)
def _but_not(scene: Scene) -> tuple[tuple[int, int], ...]:
    """Where two values of one column stand before and after "but not"."""
    whole = [v for v in scene.values if v.how != "part"]
    return tuple(
        dict.fromkeys(
            (one.first, other.first)
            for cue in scene.words.find(negation.BUT_NOT)
            for one in whole
            for other in whole
            if one.last == cue.first - 1
            and other.first == cue.last + 1
            and one.place is other.place
            and one.value != other.value
        )
    )


def _denies_one_of_list(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether of "not from Spain or Italy" one is denied and the other is not."""
    denies = {c.first: c.operator in _NEGATIVE for c in (*sketch.conditions, *sketch.either)}
    return any(
        len({denies[link.first] for link in listed if link.first in denies}) > 1
        for listed in denied_lists(requirements.scene)
    )


def _set_of_one(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether things are told by the column that is to be two values of theirs: no genre is both
    Rock and Jazz, or Rock but not Jazz."""
    of_rows = sketch.sets in (Sets.BOTH, Sets.EXCEPT)
    return of_rows and any(c.place in sketch.shown for c in sketch.rows)


def _both_unasked(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether two conditions are met by different rows of a thing though no word says "and"."""
    if sketch.sets is not Sets.BOTH:
        return False
    return not any(
        token.lower in _AND or token.text in ("&", ",") for token in requirements.scene.tokens
    )


def _set_of_split(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether it lists what is named to split numbers by: "orders by month for Germany and France"
    is how many for each month, and not the months that have some of both."""
    if sketch.sets not in (Sets.BOTH, Sets.EXCEPT):
        return False
    scene = requirements.scene
    sorted_by = {cue.last for cue in scene.words.find(ordering.SORTING)}
    after = {
        cue.last + 1
        for cue in splits(scene.words, Split.OF_EACH)
        if scene.tokens[cue.last].lower in _SPLITTING
        and sorted_by.isdisjoint((cue.first, cue.first - 1))
    }
    grains = scene.words.find(chart_words.GRAINS)
    if sketch.grain is not None and any(c.first <= at <= c.last for c in grains for at in after):
        return True
    return any(m.first in after and m.place in sketch.shown for m in scene.mentions)


RULES = (
    _denies_twice,
    _misses_but_not,
    _denies_one_of_list,
    _set_of_one,
    _set_of_split,
    _both_unasked,
)
