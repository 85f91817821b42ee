"""How well what a reading shows is named in the question."""

from __future__ import annotations

from services.planner.domain.reader.chart.pieces import AGGREGATES, Role
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import Sketch
from services.planner.domain.reader.choice.candidate import Weighed
from services.planner.domain.reader.links.schema import Place

_ROLE_OF = {aggregate: role for role, aggregate in AGGREGATES.items()}
_MOST_SHOWN, _CLEARLY, _NOWHERE = 3, 0.03, 99


def names(weighed: Weighed, sketch: Sketch) -> dict[str, float]:
    """How well what is shown is named, in which order, and whether rivals are named better."""
    key = ("names", sketch.shown, sketch.numbers, sketch.ratio, sketch.used, *sketch.tables())
    found = weighed.known.get(key)
    if found is None:
        found = weighed.known[key] = _names(weighed, sketch)
    return found


def _names(weighed: Weighed, sketch: Sketch) -> dict[str, float]:
    scene, places = weighed.scene, sketch.shown_places
    named = weighed.naming
    fits = [named.fit.get(place.index, 0.0) for place in places]
    first = [named.first.get(place.index, _NOWHERE) for place in places]
    found: dict[str, float] = {
        "least named": min(fits, default=-1),
        "named": sum(fits) / len(fits) if fits else -1,
        "same names": sum(scene.schema.name_counts[place.words] - 1 for place in places),
        "in order": first == sorted(first),
        "apart": (first[1] - first[0]) / 10 if len(first) > 1 else 0,
    }
    found |= _tables(scene, sketch)
    used = sketch.used
    found["better rivals"] = sum(
        other not in used and rival > fit + _CLEARLY
        for fit, at in zip(fits, first, strict=True)
        for other, rival in named.at.get(at, ())
    )
    for number, place in enumerate(places[:_MOST_SHOWN]):
        found[f"odds of {number}"] = _odds(weighed, sketch, place)
        found[f"key {number}"] = place.key
        found[f"unique {number}"] = place.unique
    return found


def _tables(scene: Scene, sketch: Sketch) -> dict[str, float]:
    """How many of its tables are spoken of, and how many are neither said nor hinted at."""
    spoken, used, tables = set(scene.spoken_tables), sketch.used, sketch.tables()
    well = {
        m.place.table.name for m in scene.mentions if m.place.index in used and m.coverage > 0.7
    }
    return {
        "tables unsaid": sum(table not in spoken | well for table in tables),
        "tables said": len(set(tables) & spoken),
    }


def _odds(weighed: Weighed, sketch: Sketch, place: Place) -> float:
    """The best odds that some mention of the column plays the role it has in the sketch."""
    role = Role.SHOWN
    if place not in sketch.shown:
        aggregate = next((n.aggregate for n in sketch.numbers if n.place is place), None)
        role = _ROLE_OF.get(aggregate, Role.SHOWN) if aggregate else Role.SHOWN
    odds = weighed.best_role.get((place.index, role), 0.0)
    if role is Role.SHOWN:
        odds = max(odds, weighed.best_role.get((place.index, Role.GROUPED), 0.0))
    return odds
