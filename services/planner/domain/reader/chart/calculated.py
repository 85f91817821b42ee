"""Sketches whose one number is worked out over the groups: growth, running totals, shares."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from services.planner.domain.lexicon.stop_words import STOP_WORDS
from services.planner.domain.query.intent import Derived
from services.planner.domain.query.kinds import Aggregate, Calculation, ChartType, Grain
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import COUNT, Number, Sketch, Worked
from services.planner.domain.reader.grammar import (
    aggregation,
    calculating,
    changing,
    chart_words,
    counting,
)
from services.planner.domain.reader.grammar.rules import Cue
from services.planner.domain.reader.links.naming import sole_measures
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.semantics.kinds import Kind

_USUAL_WINDOW = 3
_PARTLY, _NAMED, _DECADE = 0.5, 0.8, 10.0
_UNITS_A_YEAR = {Grain.MONTH: 12, Grain.QUARTER: 4, Grain.WEEK: 52, Grain.DAY: 365, Grain.YEAR: 1}
_TIMED = frozenset(
    (Calculation.GROWTH, Calculation.CHANGE, Calculation.RUNNING_TOTAL, Calculation.MOVING_AVERAGE)
)


@dataclass(frozen=True, slots=True)
class Working:
    """What is asked to be worked out; with `loose` words that may mean the change between two
    moments as well."""

    worked: Worked
    cues: tuple[Cue[object], ...]
    loose: bool = False


@lru_cache(maxsize=8)
def working_of(scene: Scene) -> Working | None:
    """What the words ask to be worked out; None where nothing is."""
    words = scene.words
    found = [cue for cue in words.find(calculating.RULES) if not _is_named(scene, cue)]
    if not found:
        shares = [cue for cue in words.find(calculating.SHARES) if not _is_named(scene, cue)]
        pie = any(cue.means is ChartType.PIE for cue in words.find(chart_words.KINDS))
        drawn = scene.charted and pie  # a pie tells the shares
        if not shares or drawn or words.find(counting.AS_PART):
            return None
        return Working(Worked(Calculation.SHARE), (shares[0],), loose=True)
    cue = found[0]
    units = words.find(calculating.UNITS)
    unit = units[0].means if units else None
    at = cue.slot("number")
    count = scene.tokens[at].number if at is not None else None
    window = max(2, int(count)) if count else _USUAL_WINDOW
    loose = cue.means is Calculation.GROWTH and unit is None
    return Working(Worked(cue.means, window, unit), (cue, *units), loose)


def aggregates_said(scene: Scene) -> list[Cue[Aggregate]]:
    """The words for averages and totals that are not those of a moving average or a running
    total."""
    worked = scene.words.find(calculating.RULES)
    return [
        cue
        for cue in scene.words.find(aggregation.RULES)
        if not any(one.first <= cue.first and cue.last <= one.last for one in worked)
    ]


def _is_named(scene: Scene, cue: Cue[object]) -> bool:
    """Whether columns are called by those words: the ranks of a column called rank."""
    at = range(cue.first, cue.last + 1)
    content = [i for i in at if scene.tokens[i].lower not in STOP_WORDS]
    return bool(content) and all(scene.named[i] >= _NAMED for i in content)


def worked_out(
    scene: Scene, working: Working | None, plain: Iterable[tuple[Sketch, float]]
) -> Iterator[tuple[Sketch, float]]:
    """The sketches with what is asked for worked out over their groups."""
    if working is None:
        return
    for sketch, cost in plain:
        if not _is_of_groups(sketch):
            continue
        worked = working.worked
        if worked.how not in _TIMED:
            dated = all(c.place is not None and _tells_time(c.place) for c in sketch.rows)
            if worked.how is not Calculation.SHARE or (dated and _adds(sketch)):
                yield sketch.but(worked=worked), cost
            continue
        times = [place for place in sketch.shown if _tells_time(place)]
        if len(times) != 1 or any(one.of_groups for one in sketch.conditions):
            continue
        grain = sketch.grain or worked.unit or Grain.MONTH
        if times[0].time:
            sketch = sketch.but(grain=grain)
        for place in sole_measures(scene.schema) if sketch.numbers == (COUNT,) else ():
            if place.table is times[0].table and place.kind is Kind.AMOUNT:  # the only number
                only = (Number(Aggregate.SUM, place),)
                yield sketch.but(numbers=only, worked=worked, sorting=None, limit=None), cost
        yield sketch.but(worked=worked, sorting=None, limit=None), cost


def _is_of_groups(sketch: Sketch) -> bool:
    number = sketch.numbers[0] if len(sketch.numbers) == 1 else None
    if number is None or number.aggregate is None or number.unusual or not sketch.grouped:
        return False
    plain = sketch.sets is None and not sketch.within and not sketch.split and not sketch.series
    return bool(sketch.shown) and plain


def _tells_time(place: Place) -> bool:
    return place.time or place.year or place.kind is Kind.DATE_PART


def misses(scene: Scene, sketch: Sketch) -> bool:
    """Whether it lacks what is asked to be worked out in so many words, or takes the number of it
    for a condition: the 3 of "3 month moving average"."""
    working = working_of(scene)
    cues = [*(working.cues if working is not None else ()), *scene.words.find(calculating.BINS)]
    if any(cue.first <= c.first and c.last <= cue.last for c in sketch.conditions for cue in cues):
        return True
    if working is None or sketch.worked is not None:
        return False
    if sketch.change is not None or sketch.share or sketch.ratio:
        return not working.loose
    if working.worked.how is Calculation.SHARE:
        return sketch.grouped and bool(sketch.numbers) and _adds(sketch)
    return True


def _adds(sketch: Sketch) -> bool:
    """Whether its numbers are of what parts make a whole."""
    wholes = (Aggregate.COUNT, Aggregate.SUM)
    return all(n.aggregate in wholes and not _is_rate(n.place) for n in sketch.numbers)


def _is_rate(place: Place | None) -> bool:
    return place is not None and (place.flag or place.kind in (Kind.FLAG, Kind.INTENSIVE))


def derived_of(sketch: Sketch, worked: Worked, label: str) -> Derived:
    """What is worked out, of the number that is called so."""
    year = worked.unit is Grain.YEAR and worked.how in (Calculation.GROWTH, Calculation.CHANGE)
    grain = sketch.grain
    back = _UNITS_A_YEAR.get(grain, 1) if year and grain is not None else 1
    name = label.removeprefix("number of ") if worked.how is Calculation.SHARE else label
    lead = "year-over-year " if year else ""
    return Derived(
        calculation=worked.how,
        label=f"{lead}{worked.how.value} of {name}",
        window=worked.window,
        back=back,
    )


def read_of(scene: Scene, sketch: Sketch) -> list[Cue[Any]]:
    """The words that ask for what it works out, or for its ranges."""
    found: list[Cue[Any]] = []
    working = working_of(scene)
    if sketch.worked is not None and working is not None:
        found += working.cues
        if sketch.worked.how in (Calculation.GROWTH, Calculation.CHANGE):
            found += scene.words.find(changing.RULES)
    if any(one.how is Calculation.RATIO and not one.called for one in sketch.made):
        found += [*scene.words.find(calculating.RATIOS), *_counts_of_ratio(scene, sketch)]
    if sketch.bins is not None:
        found += [*scene.words.find(calculating.BINS), *scene.words.find(calculating.RANGES)]
    return found


def _counts_of_ratio(scene: Scene, sketch: Sketch) -> list[Cue[Any]]:
    """The words of what the one number is set against: the "number" of "number of orders"."""
    made = {one.against.aggregate for one in sketch.made if one.against is not None}
    return [cue for cue in scene.words.find(aggregation.RULES) if cue.means in made]


def width_of(scene: Scene) -> float | None:
    """How wide the ranges are that numbers are to be put into; None where none are asked for."""
    for cue in scene.words.find(calculating.BINS):
        at = cue.slot("number")
        width = scene.tokens[at].number if at is not None else None
        if width:
            return width
    return next((_usual_width(place) for place in _in_ranges(scene)), None)


def _in_ranges(scene: Scene) -> Iterator[Place]:
    """The numbers of which ranges are asked for: "by age group", where no column is called so."""
    for cue in scene.words.find(calculating.RANGES):
        if scene.named[cue.last] > _PARTLY:
            continue
        for mention in scene.mentions:
            place = mention.place
            bounds = (place.column.minimum, place.column.maximum)
            named = mention.last == cue.slot("word") and mention.coverage >= _NAMED
            if named and place.number and place.kind is not Kind.ID and None not in bounds:
                yield place


def _usual_width(place: Place) -> float:
    """Ten years of an age; else the least of 1, 2 and 5 times a power of ten that makes about ten
    ranges of the column's values."""
    if "age" in place.words:
        return _DECADE
    span = float(place.column.maximum or 0) - float(place.column.minimum or 0)
    power = 10.0 ** math.floor(math.log10(max(span, 1e-9) / _DECADE))
    return next(power * step for step in (1, 2, 5, 10) if power * step * _DECADE >= span)


def in_ranges(
    width: float | None, plain: Iterable[tuple[Sketch, float]]
) -> Iterator[tuple[Sketch, float]]:
    """The sketches with the one number among what they show put into ranges."""
    for sketch, cost in plain if width is not None else ():
        numbers = [p for p in sketch.shown if p.number and p.kind is not Kind.ID and not p.year]
        if len(numbers) == 1 and sketch.grouped and (sketch.numbers or sketch.share):
            yield sketch.but(bins=(numbers[0], width)), cost
