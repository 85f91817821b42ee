"""How well what a reading shows is named in the question."""

from __future__ import annotations

from services.planner.domain.reader.chart.pieces import AGGREGATES, Role
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import Sketch
from services.planner.domain.reader.choice.candidate import Weighed
from services.planner.domain.reader.links.mentions import Mention, Tie
from services.planner.domain.reader.links.schema import Place

_ROLE_OF = {aggregate: role for role, aggregate in AGGREGATES.items()}
_MOST_TOLD, _CLEARLY = 3, 0.03


def names(weighed: Weighed, sketch: Sketch) -> dict[str, float]:
    """How well what is shown is named, in which order, and whether rivals are named better."""
    scene, places = weighed.scene, sketch.told
    fits = [_named(scene, place) for place in places]
    first = [min((m.first for m in scene.by_place.get(p.index, ())), default=99) for p in places]
    found: dict[str, float] = {
        "least named": min(fits, default=-1),
        "named": sum(fits) / len(fits) if fits else -1,
        "same names": sum(
            p.words == q.words and p is not q for p in places for q in scene.schema.places
        ),
        "in order": first == sorted(first),
        "apart": (first[1] - first[0]) / 10 if len(first) > 1 else 0,
    }
    found |= _tables(scene, sketch)
    used = sketch.used
    found["better rivals"] = sum(
        m.place is not place
        and m.place.index not in used
        and m.tie is Tie.NAME
        and m.first <= at <= m.last
        and _fit(m) > fit + _CLEARLY
        for place, fit, at in zip(places, fits, first, strict=True)
        for m in scene.mentions
    )
    for number, place in enumerate(places[:_MOST_TOLD]):
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


def _named(scene: Scene, place: Place) -> float:
    return max((_fit(m) for m in scene.by_place.get(place.index, ())), default=0.0)


def _fit(mention: Mention) -> float:
    return mention.coverage + 0.2 * mention.quality
