"""Which words of a question its readings differ on, so that a question back can name them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from services.planner.domain.lexicon.normalise import readable, readable_table
from services.planner.domain.query.kinds import Aggregate
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.choice.candidate import Candidate
from services.planner.domain.reader.links.mentions import Mention, Tie
from services.planner.domain.reader.links.schema import Place

_CALLED = {
    Aggregate.SUM: "the total",
    Aggregate.AVERAGE: "the average",
    Aggregate.MINIMUM: "the lowest",
    Aggregate.MAXIMUM: "the highest",
    Aggregate.MEDIAN: "the median",
    Aggregate.COUNT_DISTINCT: "how many different ones",
    Aggregate.COUNT: "how many",
    None: "each one",
}

Span = tuple[int, int]


def asked_about(scene: Scene, readings: Sequence[Candidate]) -> str:
    """ "by “date” do you mean left on or landed on?"; empty where no words are to be named.

    `readings` are those that are offered, the likeliest first.
    """
    for question in (_columns(scene, readings), _values(scene, readings), _made(scene, readings)):
        if question:
            return question
    return ""


def _columns(scene: Scene, readings: Sequence[Candidate]) -> str:
    """One span that the readings take for different columns."""
    own = [_places(one) for one in readings]
    shared = set(own[0]).intersection(*own) if own else set[int]()
    intended = [{at: place for at, place in places.items() if at not in shared} for places in own]
    if not intended or not all(intended):
        return ""
    for mention in _mentions(scene, intended[0]):
        span = (mention.first, mention.last)
        taken = [mention.place, *(_at(scene, places, span) for places in intended[1:])]
        found = [place for place in taken if place is not None]
        if len(found) == len(readings) and len({p.index for p in found}) > 1:
            return _choice(scene, span, _names(found))
    return ""


def _values(scene: Scene, readings: Sequence[Candidate]) -> str:
    """One span that they look for in different columns."""
    taken: list[dict[Span, Place]] = []
    for one in readings:
        rows = one.draft.sketch.rows
        taken.append({(c.first, c.last): c.place for c in rows if c.place is not None})
    for span in taken[0] if taken else ():
        found = [places[span] for places in taken if span in places]
        if len(found) == len(readings) and len({p.index for p in found}) > 1:
            return _choice(scene, span, _names(found))
    return ""


def _made(scene: Scene, readings: Sequence[Candidate]) -> str:
    """One column of which they make different numbers: a total, an average."""
    numbers = [one.draft.sketch.numbers for one in readings]
    if any(len(made) != 1 or made[0].place is None for made in numbers):
        return ""
    places = [made[0].place for made in numbers]
    first = places[0]
    if first is None or any(place is not first for place in places):
        return ""
    ways = list(dict.fromkeys(_CALLED.get(made[0].aggregate, "") for made in numbers))
    mention = next(_mentions(scene, {first.index: first}), None)
    if mention is None or len(ways) < 2 or not all(ways):
        return ""
    return _choice(scene, (mention.first, mention.last), ways)


def _places(one: Candidate) -> dict[int, Place]:
    """The columns that a reading needs, by their index."""
    sketch = one.draft.sketch
    return {place.index: place for place in sketch.places()} if sketch is not None else {}


def _mentions(scene: Scene, places: dict[int, Place]) -> Iterator[Mention]:
    """Where such columns are spoken of, the best first."""
    found = [m for at in places for m in scene.by_place.get(at, ()) if m.tie is not Tie.IMPLIED]
    yield from sorted(found, key=lambda m: (-m.coverage * m.quality, m.first))


def _at(scene: Scene, places: dict[int, Place], span: Span) -> Place | None:
    """The column of these that the words of a span are taken for."""
    first, last = span
    overlapping = (m for m in _mentions(scene, places) if m.first <= last and m.last >= first)
    return next((mention.place for mention in overlapping), None)


def _names(places: Sequence[Place]) -> list[str]:
    """What the columns are called, with their tables where two are alike."""
    different = list({place.index: place for place in places}.values())
    plain = [readable(place.column.name) for place in different]
    if len(set(plain)) == len(plain):
        return plain
    return [f"{readable(p.column.name)} of {readable_table(p.table.name)}" for p in different]


def _choice(scene: Scene, span: Span, ways: Sequence[str]) -> str:
    start, end = scene.tokens[span[0]].start, scene.tokens[span[1]].end
    *others, last = ways
    return f'by "{scene.question[start:end]}" do you mean {", ".join(others)} or {last}?'
