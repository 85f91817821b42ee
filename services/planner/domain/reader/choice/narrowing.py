"""Whether a reading filters and sorts as the words ask for."""

from __future__ import annotations

from itertools import pairwise

from services.planner.domain.query.kinds import Operator
from services.planner.domain.reader.chart.pieces import Role
from services.planner.domain.reader.chart.sketch import Sketch
from services.planner.domain.reader.choice.candidate import Weighed

_NEGATIONS = (Operator.NOT_EQUAL, Operator.NOT_CONTAINS)


def filters(weighed: Weighed, sketch: Sketch) -> dict[str, float]:
    """How likely its conditions are, and whether "or" and "not" are heeded."""
    conditions, rows = sketch.conditions, sketch.rows
    ors = [t.index for t in weighed.scene.tokens if t.lower == "or"]
    spans = sorted((c.first, c.last) for c in conditions)
    between = any(a[1] < o < b[0] for a, b in pairwise(spans) for o in ors)
    equal = [c.place.index for c in rows if c.place and c.operator is Operator.EQUAL]
    filtered = {c.place.index for c in conditions if c.place is not None}
    odds = weighed.role_columns.get(Role.FILTERED, {})
    whole = sketch.sets is None
    return {
        "or missed": (between != bool(sketch.either)) if len(conditions) > 1 else 0,
        "or between": between,
        "denial missed": whole * sum(c.denied and c.operator not in _NEGATIONS for c in conditions),
        "contradiction": len(equal) != len(set(equal)) and not sketch.either and whole,
        "least odds of filters": min(
            (weighed.odds_of.get(id(c), c.quality) for c in conditions), default=1.0
        ),
        "filter odds unused": max((p for i, p in odds.items() if i not in filtered), default=0.0),
        "filters of parts": sum(c.source in ("part", "quoted") for c in conditions),
        "filters far": max((min(c.distance, 20) / 10 for c in conditions if c.place), default=0.0),
        "filters denied": sum(c.operator in _NEGATIONS for c in conditions),
        "filters hardly named": sum(c.coverage < 0.5 for c in conditions),
    }


def order(weighed: Weighed, sketch: Sketch) -> dict[str, float]:
    """Whether it is sorted by what is said, and the way that is said."""
    sorting, cues = sketch.sorting, weighed.cues.by_name
    falling = len(cues.get("falling", ())) + len(cues.get("most", ()))
    rising = len(cues.get("rising", ())) + len(cues.get("least", ()))
    if sorting is None:
        unused = bool(cues.get("sorted by"))
        return {"order unsaid": 0, "direction": 0, "order odds": 0, "order unused": unused}
    direction = (falling > rising) - (rising > falling)
    place = sketch.sorted_by
    odds = weighed.best_role.get((place.index, Role.ORDERED), 0.0) if place is not None else 0.0
    rivals = max(weighed.role_columns.get(Role.ORDERED, {}).values(), default=0.0)
    return {
        "order unsaid": not (falling or rising or cues.get("sorted by")),
        "direction": direction * (1 if sorting.descending else -1),
        "order odds": odds,
        "order rivals": rivals - odds,
        "order unused": 0,
        "sorted by text": place is not None and not place.number and not place.time,
    }
