"""Sketches of the first few of each: "the latest reading per station", "top 2 scorers by team"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from services.planner.domain.query.kinds import Aggregate
from services.planner.domain.reader.chart.events import ENDINGS
from services.planner.domain.reader.chart.requirements import Parts, Requirements
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import COUNT, Number, Sketch, Sorting, natural
from services.planner.domain.reader.grammar import ordering
from services.planner.domain.reader.grammar.leading import EACH, ENDS, End
from services.planner.domain.reader.links.mentions import Tie
from services.planner.domain.reader.links.naming import names_of, people_tables, sole_measures
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.semantics.kinds import Kind

_NAMED, _LEAST, _MOST, _MOST_SHOWN, _COST, _REACH, _MOST_OF_EACH = (
    0.95,
    0.45,
    2,
    3,
    0.3,
    4,
    100,
)
_IN_TIME = (End.LATEST, End.EARLIEST)
_EXTREMES = (Aggregate.MINIMUM, Aggregate.MAXIMUM)
_COUNTS = frozenset(("most", "fewest", "least", "top", "bottom"))
_ASKS = frozenset(("which", "who", "what"))
_BORN = frozenset(("birth", "born", "dob", "birthday"))


@dataclass(frozen=True, eq=False)
class Leading:
    """What is said of the first of each: of what, which end, and the words that say so.

    `outright` where "each" is said, which no other form heeds; `within` holds every way to tell
    the groups apart, the likeliest first, `named` every column that the word after "each" names.
    `of_entities` where it is things that come first, and not the highest of a number of theirs.
    `counts` where the most rows may be meant; `most` is how many of each, said at `number_at`.
    """

    within: tuple[tuple[Place, ...], ...]
    named: frozenset[str]
    end: End
    counts: bool
    most: int
    number_at: int | None
    outright: bool
    of_entities: bool = False


def leading_of(scene: Scene) -> Leading | None:
    """The end and the groups that are spoken of; None where one of them is not."""
    ends = [c for c in scene.words.find(ENDS) if scene.named[c.first] < _NAMED]
    if not ends or scene.charted:
        return None
    end = min(ends, key=lambda c: list(ENDS).index(c.rule))
    for cue in scene.words.find(EACH):
        within = tuple(_groups_at(scene, cue.last + 1))
        if within:
            about = _is_about_another(scene, end.last, cue.last, within)
            named = frozenset(
                m.place.column.name for m in scene.mentions if m.first <= cue.last + 1 <= m.last
            )
            outright = about and (cue.means or end.means in _IN_TIME)
            most, at = _how_many(scene)
            counts = end.means is End.COMMONEST or scene.tokens[end.first].lower in _COUNTS
            return Leading(
                within,
                named,
                end.means,
                counts,
                most,
                at,
                outright=outright,
                of_entities=_is_of_entities(scene, end.last, within),
            )
    return None


def _how_many(scene: Scene) -> tuple[int, int | None]:
    for cue in scene.words.find(ordering.TOP):
        at = cue.slot("number")
        number = scene.tokens[at].number if at is not None else None
        if number is not None and 0 < number <= _MOST_OF_EACH:
            return int(number), at
    return 1, None


def _is_about_another(
    scene: Scene, end: int, each: int, within: tuple[tuple[Place, ...], ...]
) -> bool:
    """Whether a thing follows that is first of each: "the best player of each club"."""
    numbers = {place.index for places in within for place in places}
    stop = each if end < each else len(scene.tokens)
    follow = range(end + 1, min(end + 1 + _REACH, stop))
    asked = range(end) if end < each and _ASKS & {t.lower for t in scene.tokens[:end]} else ()
    after = {*follow, *asked}
    named = any(m.first in after and m.place.index not in numbers for m in scene.mentions)
    tables = {places[0].table.name for places in within}
    return named or any(t.first in after and t.table.name not in tables for t in scene.tables)


def _is_of_entities(scene: Scene, end: int, within: tuple[tuple[Place, ...], ...]) -> bool:
    """Whether the end is said of things, and not of a number of theirs: "the cheapest product",
    "the most expensive product" of each, but not "the highest price"."""
    texts = {places[0].table.name for places in within}
    for at in range(end + 1, min(end + 3, len(scene.tokens))):
        named = [m for m in scene.mentions if m.first == at and m.tie is Tie.NAME]
        if any(_measures(m.place) for m in named):
            return False
        entities = [t for t in scene.tables if t.first == at and t.coverage >= _NAMED]
        if entities:
            return any(t.table.name not in texts for t in entities)
    return False


def fulfils(sketch: Sketch, leading: Leading) -> bool:
    """Whether a reading tells the first of each: as such, or as the extreme of what is asked."""
    if sketch.within or sketch.limit is not None:
        return bool(sketch.within)
    for number in sketch.numbers if leading.most == 1 and not leading.of_entities else ():
        if number.aggregate in _EXTREMES and number.place is not None:
            timed = leading.end in _IN_TIME
            return _tells_time(number.place) if timed else _measures(number.place)
    return False


def leading_sketches(
    requirements: Requirements, parts: Parts, base: Sketch
) -> Iterator[tuple[Sketch, float]]:
    """The first rows of each, or the first things by a number of their rows."""
    leading = leading_of(requirements.scene)
    if leading is None or base.groups or base.either or _used(leading, base):
        return
    for at, within in enumerate(leading.within):
        values = (*parts.shown, *(n.place for n in parts.numbers if n.place is not None))
        shown = tuple(
            place
            for place in dict.fromkeys(_as_names(requirements.scene, values))
            if place not in within and place.column.name not in leading.named
        )
        if requirements.grain is not None and leading.end in _IN_TIME:
            continue
        ways = _in_time if leading.end in _IN_TIME else _by_value
        for sketch, cost in ways(requirements, leading, parts, base, within, shown):
            yield sketch.but(within=within), cost + _COST * at


def _as_names(scene: Scene, places: Iterable[Place]) -> Iterator[Place]:
    """With the names of things in the place of their keys."""
    for place in places:
        names = _named_by(scene, place) if place.kind is Kind.ID else []
        yield from names[0] if names else (place,)


def _named_by(scene: Scene, key: Place) -> list[tuple[Place, ...]]:
    """What names the things of a key, where another column than a key does."""
    same = (p for p in scene.schema.places if p.column.name == key.column.name)
    found = [names_of(scene.schema, p.table.name) for p in same if p.unique > _NAMED]
    return [names for names in found if names and names[0].kind is not Kind.ID]


def _used(leading: Leading, base: Sketch) -> bool:
    """Whether the number of "the last 2" states a condition."""
    return any(
        c.first <= leading.number_at <= c.last for c in base.rows if leading.number_at is not None
    )


def _groups_at(scene: Scene, at: int) -> Iterator[tuple[Place, ...]]:
    """What the word after "each" tells apart: the names of its things, a column of that name."""
    found: list[tuple[Place, ...]] = []
    for table in scene.tables:
        if table.first <= at <= table.last and table.coverage > _LEAST:
            found.append(names_of(scene.schema, table.table.name))
    for mention in scene.mentions:
        place = mention.place
        plain = place.kind in (Kind.ID, Kind.DATE_PART, Kind.FLAG) or not place.number
        if not mention.first <= at <= mention.last or mention.coverage <= _LEAST or not plain:
            continue
        if place.kind is Kind.ID:
            found += _named_by(scene, place)
        if not place.time:
            found.append((place,))
    kept = [names for names in dict.fromkeys(found) if names]
    named = [names for names in kept if names[0].kind is not Kind.ID]
    yield from (named or kept)[:_MOST]


def _in_time(
    requirements: Requirements,
    leading: Leading,
    parts: Parts,
    base: Sketch,
    within: tuple[Place, ...],
    shown: tuple[Place, ...],
) -> Iterator[tuple[Sketch, float]]:
    """The rows of the latest or of the earliest time."""
    spoken = {p.table.name for p in (*shown, *parts.ordered)} or {p.table.name for p in within}
    spoken |= set(requirements.tables[:_MOST])
    times = [
        p for p in requirements.scene.schema.places if _tells_time(p) and p.table.name in spoken
    ]
    times.sort(key=lambda p: (p not in parts.ordered, not p.time, p.index))
    for at, time in enumerate(times[:_MOST]):
        sorting = Sorting(time, leading.end is End.LATEST)
        ordered = tuple(p for p in parts.ordered if _measures(p))
        rest = tuple(p for p in (*shown, *ordered) if p is not time)[:_MOST_SHOWN]
        if all(place.kind is Kind.ID for place in rest):  # a key alone tells nothing
            entities = names_of(requirements.scene.schema, time.table.name)
            numbers = [
                p for p in requirements.scene.schema.of_table(time.table.name) if _measures(p)
            ]
            values = dict.fromkeys((*rest, *entities, *numbers))
            rest = tuple(p for p in values if p not in within)[: _MOST_SHOWN + 1]
        if rest:
            known_rows = base.but(shown=(*within, *rest), sorting=sorting, limit=leading.most)
            yield known_rows, _COST * at


def _by_value(
    requirements: Requirements,
    leading: Leading,
    parts: Parts,
    base: Sketch,
    within: tuple[Place, ...],
    shown: tuple[Place, ...],
) -> Iterator[tuple[Sketch, float]]:
    """The rows of the highest value, or the things with the most rows or the highest total."""
    timed = requirements.grain is None  # else days and months are shown
    numbers = [
        p
        for p in (*parts.ordered, *shown)
        if _measures(p) or (timed and (p.time or (p.kind is Kind.DATE_PART and p.number)))
    ]
    numbers = list(dict.fromkeys(numbers))
    entities = tuple(p for p in shown if p not in numbers)[:_MOST_SHOWN]
    options = [entities] if entities else []
    options += [()] if numbers and leading.most > 1 and not entities else []
    for table in () if entities else requirements.tables[:_MOST]:
        names = names_of(requirements.scene.schema, table)
        options += [names] if names and not set(names) & set(within) else []
    if not numbers and leading.end is not End.COMMONEST:
        near = {p.table.name for p in (*shown, *within)} | set(requirements.tables)
        numbers = [p for p in sole_measures(requirements.scene.schema) if p.table.name in near]
    limit, in_groups = leading.most, requirements.grain is not None and any(p.time for p in shown)
    for other in options:
        for place in () if leading.end is End.COMMONEST else numbers[:_MOST]:
            rows = (*within, *other) if other else (*within, place)
            both = base.but(shown=rows, limit=limit)
            for falling in (True, False):
                cost = 0.0 if falling is (leading.end is not End.LOWEST) else _COST
                if not in_groups:
                    yield both.but(sorting=Sorting(place, falling)), cost
                whole = next((n for n in parts.numbers if n.place is place), natural(place))
                whole = whole if whole.aggregate not in _EXTREMES else natural(place)
                apart = all(p.unique < 1 or p.table is not place.table for p in other)
                if place.number and other and apart:
                    yield _of_groups(both, whole, falling), cost + _COST / 2
        counted = leading.counts and all(
            p.unique < 1 or p.table.name in requirements.tables for p in other
        )
        if counted and other:
            both = base.but(shown=(*within, *other), limit=limit)
            yield _of_groups(both, COUNT, leading.end is not End.LOWEST), 0.0


@dataclass(frozen=True, slots=True)
class Latest:
    """Rows of a table of which the latest or the earliest are spoken of by the word `at`, and the
    date that they are told by; `several` where it is said of more than one."""

    table: str
    date: Place
    descending: bool
    several: bool
    at: int


@lru_cache(maxsize=8)
def latest_of(scene: Scene) -> Latest | None:
    """What "the last 5 orders" speaks of; nothing in "the last order date", "the oldest employee"
    and "the last order of each customer"."""
    if scene.charted or leading_of(scene) is not None:
        return None
    ends = [(c.last, c.means is End.LATEST) for c in scene.words.find(ENDS) if c.means in _IN_TIME]
    ends += [(t.index, False) for t in scene.tokens if t.lower == "oldest"]
    for last, descending in ends:
        numbered = scene.tokens[last + 1 : last + 2]
        at = last + (2 if numbered and numbered[0].number is not None else 1)
        columns = [
            m.last
            for m in scene.mentions
            if m.first == at and m.tie is Tie.NAME and m.coverage >= _NAMED
        ]
        for table in scene.tables:
            name = table.table.name
            if table.first != at or table.coverage < _NAMED or table.last < max(columns, default=0):
                continue
            date, old = scene.main_date(name), scene.tokens[last].lower == "oldest"
            if date is None or date.table != name or (old and name in people_tables(scene.schema)):
                continue
            place = _of_coming(scene, scene.schema.of_field[date.table, date.column])
            several = scene.tokens[table.last].lower.endswith("s")
            return Latest(name, place, descending, several, last)
    return None


def _of_coming(scene: Scene, date: Place) -> Place:
    """When somebody came, where it is known, and not when they were born: the newest employee."""
    if _BORN.isdisjoint(date.words):
        return date
    others = [p for p in scene.schema.of_table(date.table.name) if p.time and p.definition is None]
    came = [p for p in others if _BORN.isdisjoint(p.words) and ENDINGS.isdisjoint(p.words)]
    return came[0] if came else date


def find_undated_entity(scene: Scene) -> str:
    """Things of which the newest are asked for though nothing of theirs tells a time, by the words
    of the question: "newest customers"."""
    for token in scene.tokens:
        follow = [t for t in scene.tokens[token.index + 1 : token.index + 3] if t.number is None]
        for table in scene.tables if token.lower == "newest" and follow else ():
            places = scene.schema.of_table(table.table.name)
            timed = any(_tells_time(p) or not _BORN.isdisjoint(p.words) for p in places)
            if table.first == follow[0].index and table.coverage >= _NAMED and not timed:
                return f"{token.text} {follow[0].text}"
    return ""


def latest_sketches(
    requirements: Requirements, parts: Parts, base: Sketch
) -> Iterator[tuple[Sketch, float]]:
    """The latest rows of a table, or the earliest, with their date, or with a number of theirs."""
    found = latest_of(requirements.scene)
    if found is None or base.groups:
        return
    names, intended = (
        names_of(requirements.scene.schema, found.table),
        _find_shown(requirements.scene, found),
    )
    rows = base.but(limit=requirements.few or (None if found.several else 1))
    numbers = tuple(n for n in parts.numbers if intended.issuperset(n.places))
    numbers = tuple(
        natural(n.place) if n.place and n.aggregate in _EXTREMES else n for n in numbers
    )
    if numbers:
        by = Sorting(Number(Aggregate.MAXIMUM, found.date), found.descending)
        yield rows.but(shown=names, numbers=numbers, grouped=True, sorting=by), 0.0
    places = (place for place in parts.shown if place in intended)
    shown = tuple(dict.fromkeys((*names, *places, found.date)))
    yield rows.but(shown=shown, sorting=Sorting(found.date, found.descending)), 0.0


def tells_others(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether the latest rows are told by another column than their date, or with columns that
    nothing but "last" or "oldest" speaks of."""
    found = latest_of(requirements.scene)
    if found is None or sketch.change is not None:
        return False
    by = sketch.sorting
    if by is None or sketch.sorted_by is not found.date or by.descending is not found.descending:
        return True
    highest = any(n.aggregate in _EXTREMES and n.place is not found.date for n in sketch.numbers)
    return highest or not _find_shown(requirements.scene, found).issuperset(sketch.shown_places)


@lru_cache(maxsize=8)
def _find_shown(scene: Scene, found: Latest) -> set[Place]:
    """What may be told of the latest rows: their name, their date, and what the words name."""
    named = (
        m.place
        for m in scene.mentions
        if not m.first <= found.at <= m.last and m.tie is not Tie.IMPLIED
    )
    return {*names_of(scene.schema, found.table), found.date, *named}


def _of_groups(sketch: Sketch, number: Number, falling: bool) -> Sketch:
    """The things of most by a number of their rows, with it: who is first, and by how much."""
    return sketch.but(numbers=(number,), grouped=True, sorting=Sorting(number, falling))


def _measures(place: Place) -> bool:
    return place.number and place.kind not in (Kind.ID, Kind.DATE_PART, Kind.FLAG)


def _tells_time(place: Place) -> bool:
    if _BORN & set(place.words):
        return False
    return place.time or (place.kind is Kind.DATE_PART and place.words[-1] in ("year", "season"))
