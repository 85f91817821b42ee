"""Whether a reading heeds what plain words ask for: every group, the rows counted, sums."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from services.planner.domain.query.kinds import Aggregate, ChartType, Operator
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.chart.requirements import Requirements
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import COUNT, Sets, Sketch
from services.planner.domain.reader.grammar import (
    aggregation,
    chart_words,
    comparison,
    counting,
    leading,
    ordering,
)
from services.planner.domain.reader.grammar.splitting import Split, splits
from services.planner.domain.reader.links.mentions import Tie
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.semantics.kinds import Kind

_PARTLY, _WHOLE, _SURELY, _REACH, _NEAR = 0.45, 0.8, 0.95, 2, 6
_LEADING = frozenset("what what's is was are were the a our show me give tell find get".split())
_ARTICLES = frozenset("the a an each every their its by per".split())
_DONE = ("ed", "built", "born", "made")  # how verbs end that a bound follows: "built after 1995"
_SUMS = (Aggregate.SUM, Aggregate.AVERAGE, Aggregate.MEDIAN)
_BETWEEN = frozenset("different distinct of the".split())
_NARROWING = frozenset("with whose where having".split())
_EXISTS = ("is there", "are there")
_MOST = frozenset("most top best more least fewest bottom worst".split())


@dataclass(frozen=True, slots=True)
class _Group:
    """One thing after "by": one of these columns, a column of these tables, a unit of time."""

    columns: frozenset[int]
    tables: frozenset[str]
    timed: bool


@dataclass(frozen=True, slots=True)
class _Counted:
    """A number of rows of a table that each thing has: "customers with more than 10 orders"."""

    at: int
    table: str
    entity: str
    how_many: bool


def loses_group(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "by country and employee" is told by one of both."""
    places = (*sketch.shown, *sketch.split, *sketch.within)
    if sketch.ratio or sketch.change is not None or not sketch.grouped:
        return False
    return any(not _tells(places, one, requirements.scene) for one in _groups(requirements.scene))


def counts_other_rows(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "customers with more than 10 orders" is not read as a number of orders of each."""
    wanted = _counted(requirements.scene)
    if wanted is None:
        return False
    taken = [c for c in sketch.conditions if c.first <= wanted.at <= c.last]
    if sketch.sets in (Sets.WITHOUT, Sets.BOTH, Sets.EXCEPT) or len(taken) != 1:
        return True
    (one,) = taken
    rows = one.of_groups and (one.place is None or one.place.table.name == wanted.table)
    if not rows or (one.aggregate not in (None, Aggregate.COUNT_DISTINCT)):
        return True
    if one.place is not None and one.place.kind is not Kind.ID:
        return True
    if any(
        n.place is not None and not requirements.scene.by_place.get(n.place.index)
        for n in sketch.made
    ):
        return True  # a number that nobody speaks of
    if wanted.how_many and sketch.entity is None:
        return True
    if sketch.entity is not None:
        return not _is_of(sketch.entity, wanted.entity, requirements.scene)
    return not any(_is_of(place, wanted.entity, requirements.scene) for place in sketch.shown)


def counts_part_for_entity(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether a word that calls a table or a column, or what was done, is also taken for a part of
    some value: the orders of an "Order Administrator", those placed at "24, place Kléber"."""
    scene = requirements.scene
    return any(
        c.source == "part"
        and c.first == c.last
        and (
            max(scene.tabled[c.first], scene.named[c.first]) >= _SURELY
            or _is_other_word(scene.tokens[c.first].lower, c)
            or _is_of_other(scene, c, sketch)
        )
        for c in _conditions(sketch)
    )


def _is_of_other(scene: Scene, part: Proposal, sketch: Sketch) -> bool:
    """Whether the word names the column of another condition: the stock of "out of stock"."""
    return any(
        m.first <= part.first <= m.last and m.tie is Tie.NAME
        for c in sketch.conditions
        if c.place is not None and c.place is not part.place
        for m in scene.by_place.get(c.place.index, ())
    )


def _is_other_word(word: str, condition: Proposal) -> bool:
    """Whether a verb stands in no value by its own letters."""
    held = " ".join(map(str, condition.values)).lower()
    return word.endswith(("ed", "ing")) and word not in held


def misses_asked(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "which employee" is answered by what is no column of employees."""
    asked = _asked(requirements.scene)
    if asked is None or not sketch.shown or sketch.change is not None or sketch.entity is not None:
        return False
    return not _tells(sketch.shown, asked, requirements.scene)


def sums_other(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "the sum of" a text is answered by the sum of another column."""
    text = summed_text(requirements.scene)
    return text is not None and any(
        n.aggregate in _SUMS
        and n.place is not None
        and all(m.tie is not Tie.NAME for m in requirements.scene.by_place.get(n.place.index, ()))
        for n in sketch.made
    )


@lru_cache(maxsize=8)
def summed_text(scene: Scene) -> Place | None:
    """The column of text that a sum or an average is asked of; None where none is."""
    for cue in scene.words.find(aggregation.RULES):
        if cue.means not in _SUMS:
            continue
        at = cue.last + 1
        while scene.between(at, at + 1) in ("of", "the"):
            at += 1
        named = [m for m in scene.mentions if m.first <= at <= m.last and m.tie is Tie.NAME]
        whole = [m for m in named if m.coverage >= _SURELY and m.place.text]
        after = [m for m in scene.mentions if m.first in (at, at + 1) and m.place.number]
        tables = [t for t in scene.tables if t.first <= at <= t.last and t.coverage >= _WHOLE]
        if whole and not after and not tables:
            return whole[0].place
    return None


def misses_each(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "the price of each product" is told without which product it is of."""
    entities = _find_each_entity(requirements.scene)
    if (
        not entities
        or requirements.scene.charted
        or sketch.change is not None
        or sketch.ratio
        or sketch.entity is not None
    ):
        return False
    places = (*sketch.shown, *sketch.split, *sketch.within)
    return not any(
        _is_of(p, entities, requirements.scene) and (not p.number or p.kind is Kind.ID)
        for p in places
    )


@lru_cache(maxsize=8)
def _find_each_entity(scene: Scene) -> str:
    """The table of which each thing is asked for, where no column is called so: "of each product";
    empty where none is."""
    for token in scene.tokens:
        if token.lower not in ("each", "every"):
            continue
        at = token.index + 1
        tables = {t.table.name for t in scene.tables if t.first == at and t.coverage >= _SURELY}
        columns = any(m.first == at and m.coverage >= _WHOLE for m in scene.mentions)
        if len(tables) == 1 and not columns:
            return tables.pop()
    return ""


def puts_together(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether two values that are to be compared are put together, or asked to be both there."""
    for cue in requirements.scene.words.find(counting.AGAINST):
        at = cue.slot("word")
        if at is None:
            continue
        before = {c.place for c in sketch.rows if c.place is not None and c.last < at}
        after = {c.place for c in sketch.rows if c.place is not None and c.first > at}
        both = before & after
        apart = both & {*sketch.shown, *sketch.split}
        if both and sketch.change is None and (sketch.sets is Sets.BOTH or not apart):
            return True
    return False


def draws_other(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether a chart is drawn of other than is said: of counts or averages that nobody asks for,
    with a single row's number in a pie, in the colours of another column, or of single things."""
    scene = requirements.scene
    if not scene.charted:
        return False
    kinds = {cue.means for cue in scene.words.find(chart_words.KINDS)}
    if ChartType.SCATTER in kinds and _has_two_measures(scene):
        return any(n.aggregate is not None for n in sketch.numbers) or _names_points(sketch, scene)
    if ChartType.PIE in kinds and sketch.shown and sketch.shown[0].unique < 1:
        return any(n.aggregate is None for n in sketch.numbers)
    for cue in scene.words.find(chart_words.AXES) if sketch.series else ():
        intended = {m.place.index for m in scene.mentions if m.first == cue.slot("word")}
        if cue.means == "series" and intended & {p.index for p in sketch.shown[:-1]}:
            return not intended & {p.index for p in sketch.shown[-1:]}
    return False


def _names_points(sketch: Sketch, scene: Scene) -> bool:
    """Whether each point gets a colour of its own by a name that nobody asks for."""
    return any(
        p.text
        and p.unique >= _WHOLE
        and all(m.tie is not Tie.NAME for m in scene.by_place.get(p.index, ()))
        for p in sketch.shown
    )


@lru_cache(maxsize=8)
def _has_two_measures(scene: Scene) -> bool:
    """Whether two columns of numbers are named and nothing is to be made of them, where the
    "average" of a column called average crowd makes nothing."""
    whole = [m for m in scene.mentions if m.tie is Tie.NAME and m.coverage >= _WHOLE]
    inside = {at for m in whole if m.last > m.first for at in range(m.first, m.last + 1)}
    made = [c for c in scene.words.find(aggregation.RULES) if c.first not in inside]
    numbers = {m.place for m in whole if m.place.number and m.place.kind is not Kind.ID}
    return not made and len(numbers) > 1 and not scene.words.find(counting.BY_NUMBER)


def counts_listed(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether rows are counted where "names and ages" are to be drawn, and one of both is lost."""
    scene = requirements.scene
    if not scene.charted or requirements.counts or sketch.numbers != (COUNT,):
        return False
    told = (*sketch.shown, *sketch.split)
    return any((one in told) is not (other in told) for one, other in _listed(scene))


@lru_cache(maxsize=8)
def _listed(scene: Scene) -> tuple[tuple[Place, Place], ...]:
    """A name and a number of one table that stand beside each other: "names and ages"."""
    if splits(scene.words, Split.OF_EACH):
        return ()
    if scene.words.find(counting.BY_NUMBER):
        return ()
    whole = [m for m in scene.mentions if m.tie is Tie.NAME and m.coverage >= _WHOLE]
    return tuple(
        (one.place, other.place)
        for one in whole
        for other in whole
        if scene.between(one.last + 1, other.first) == "and"
        and one.place.kind is Kind.NAME
        and other.place.number
        and other.place.kind is not Kind.ID
        and one.place.table is other.place.table
    )


def draws_bound(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether a number that only bounds the rows is drawn as well: the age of "bands above age
    28"."""
    scene = requirements.scene
    if not scene.charted:
        return False
    bounds = {c.place: c for c in sketch.conditions if c.source == "number" and c.place is not None}
    return any(place in bounds and _only_bounds(place, scene) for place in sketch.shown_places)


def _only_bounds(place: Place, scene: Scene) -> bool:
    mentions = [m for m in scene.by_place.get(place.index, ()) if m.tie is Tie.NAME]
    compared = [(c.first, c.last) for c in scene.words.find(comparison.RULES)]
    return bool(mentions) and all(
        any(first < m.first and m.last < last for first, last in compared)
        or (
            scene.tokens[m.last].lower.endswith(_DONE)
            and any(first == m.last + 1 for first, _ in compared)
        )
        or any(t.lower in _NARROWING for t in scene.tokens[max(0, m.first - 2) : m.first])
        for m in mentions
    )


@lru_cache(maxsize=8)
def _asked(scene: Scene) -> _Group | None:
    """What is named right after "which", or after the superlative that a question begins with,
    where it is the things of a table: "what is the most common genre"."""
    tokens = scene.tokens
    for at in _starts(scene):
        while at < len(tokens) and tokens[at].number is not None:
            at += 1
        tables = {t.table.name for t in scene.tables if t.first == at and t.coverage >= _SURELY}
        if tables and not scene.valued[at]:
            columns = frozenset(
                m.place.index
                for m in scene.mentions
                if m.first <= at <= m.last and m.coverage >= _PARTLY
            )
            whole = _Group(columns, frozenset(tables), timed=False)
            return None if _is_part_of_name(scene, at + 1, whole) else whole
    return None


def _starts(scene: Scene) -> Iterator[int]:
    """Where the things that are asked for may be named."""
    yield from (t.index + 1 for t in scene.tokens if t.lower in ("which", "what"))
    for cue in scene.words.find(leading.ENDS):
        at = cue.last + 1
        numbered = scene.tokens[at : at + 1]
        at += bool(numbered) and numbered[0].number is not None
        further = any(t.first == at + 1 for t in scene.tables)  # "top product categories"
        if {t.lower for t in scene.tokens[: cue.first]} <= _LEADING and not further:
            yield at


def _is_part_of_name(scene: Scene, at: int, entities: _Group) -> bool:
    """Whether the next word is a column of the things: "which employee title", "customer's"."""
    return scene.between(at, at + 1) == "'s" or any(
        m.first == at and m.coverage >= _WHOLE and m.place.table.name in entities.tables
        for m in scene.mentions
    )


def _conditions(sketch: Sketch) -> tuple[Proposal, ...]:
    return (*sketch.conditions, *sketch.either, *sketch.share)


def ranks_single_rows(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether things are ranked by single rows of another table, where "most" asks for what all
    of them come to: who sold the most, the top 3 products by revenue."""
    place = sketch.sorting.by if sketch.sorting is not None else None
    if not isinstance(place, Place) or sketch.grouped or sketch.limit is None or sketch.numbers:
        return False
    if place.kind is not Kind.AMOUNT or _MOST.isdisjoint(
        t.lower for t in requirements.scene.tokens
    ):
        return False
    entities = [p for p in sketch.shown if p not in sketch.within]
    return bool(entities) and all(p.table.name != place.table.name for p in entities)


def _tells(places: tuple[Place, ...], group: _Group, scene: Scene) -> bool:
    if group.timed and any(p.time or p.kind is Kind.DATE_PART for p in places):
        return True
    return any(
        p.index in group.columns or any(_is_of(p, table, scene) for table in group.tables)
        for p in places
    )


def _is_of(place: Place, table: str, scene: Scene) -> bool:
    """Whether a column is one of a table, or refers to it."""
    links = scene.schema.catalogue.relationships
    return place.table.name == table or any(
        one.to_table == table
        and (one.from_table, one.from_column) == (place.table.name, place.column.name)
        for one in links
    )


@lru_cache(maxsize=8)
def _groups(scene: Scene) -> tuple[_Group, ...]:
    """The things after "by", where several are said: "by country and year"; else none."""
    sorting, top = scene.words.find(ordering.SORTING), scene.words.find(ordering.TOP)
    if sorting or top:
        return ()
    found: list[_Group] = []
    for cue in splits(scene.words, Split.OF_EACH):
        at = cue.last + 1
        while (one := _group_at(scene, at)) is not None:
            group, end = one
            found.append(group)
            after = scene.tokens[end + 1 : end + 2]
            if not after or after[0].lower not in ("and", ",", "&"):
                break
            at = end + 2
            while at < len(scene.tokens) and scene.tokens[at].lower in _ARTICLES | {"and"}:
                at += 1
    found = list(dict.fromkeys(found))
    return tuple(found) if len(found) > 1 else ()


def _group_at(scene: Scene, at: int) -> tuple[_Group, int] | None:
    """What starts there and may tell groups apart, with its last word; None where nothing does."""
    mentions = [
        m
        for m in scene.mentions
        if m.first == at
        and m.coverage >= _WHOLE
        and m.tie is not Tie.IMPLIED
        and (not m.place.number or m.place.kind in (Kind.ID, Kind.DATE_PART, Kind.FLAG))
    ]
    tables = [t for t in scene.tables if t.first == at and t.coverage >= _WHOLE]
    grains = [c for c in scene.words.find(chart_words.GRAINS) if c.first <= at <= c.last]
    values = [v for v in scene.values if v.first == at and not mentions and not tables]
    ends = [*(m.last for m in mentions), *(t.last for t in tables), *(c.last for c in grains)]
    if not ends or values:
        return None
    columns = frozenset(m.place.index for m in mentions)
    return _Group(columns, frozenset(t.table.name for t in tables), bool(grains)), max(ends)


@lru_cache(maxsize=8)
def _counted(scene: Scene) -> _Counted | None:
    """The number of rows that things are to have; None where none is said, or a column tells it."""
    for cue in scene.words.find(comparison.RULES):
        at = cue.slot("number")
        if at is None or cue.means in (Operator.BETWEEN, Operator.NOT_EQUAL):
            continue
        end = max(at, cue.last)
        table = _table_at(scene, range(end + 1, end + 1 + _REACH))
        entities = _table_at(scene, range(cue.first - 1, max(-1, cue.first - 1 - _NEAR), -1))
        if table and entities and table != entities and not _is_in_column(scene, end + 1):
            how_many = any(
                t.table.name == entities
                and t.first < cue.first
                and scene.between(t.first - 2, t.first) in ("how many", "number of", "count of")
                for t in scene.tables
            )
            return _Counted(at, table, entities, how_many)
    return None


def _table_at(scene: Scene, places: range) -> str:
    """The one table that is named at the first of these words that names any."""
    for at in places:
        if at < 0 or at >= len(scene.tokens):
            break
        found = {t.table.name for t in scene.tables if t.first == at and t.coverage >= _WHOLE}
        if found:
            return found.pop() if len(found) == 1 else ""
        if places.step > 0 and scene.tokens[at].lower not in _BETWEEN:
            break
    return ""


def _is_in_column(scene: Scene, at: int) -> bool:
    """Whether a column tells the number itself: "with more than 3 bedrooms"."""
    return any(
        m.first == at and m.place.number and m.coverage >= _WHOLE and m.place.kind is not Kind.ID
        for m in scene.mentions
    )


def parts_range(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether one end of a range is a bound without the other: the 2 of "between 2 and 3"."""
    ends = [
        (cue.slot("number"), cue.slot("number2"))
        for cue in requirements.scene.words.find(comparison.RULES)
        if cue.means is Operator.BETWEEN
    ]
    return sketch.change is None and any(
        (c.first <= low <= c.last) != (c.first <= high <= c.last)
        for c in _conditions(sketch)
        for low, high in ends
        if low is not None and high is not None
    )


def tells_if_any(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "is there a product that costs over 100" is told by other than how many there are."""
    scene = requirements.scene
    if scene.between(0, 2) not in _EXISTS or scene.charted or splits(scene.words, Split.OF_EACH):
        return False
    return (
        bool(sketch.shown)
        or len(sketch.numbers) != 1
        or any(
            n.aggregate not in (Aggregate.COUNT, Aggregate.COUNT_DISTINCT) for n in sketch.numbers
        )
    )


RULES = (
    parts_range,
    tells_if_any,
    loses_group,
    counts_other_rows,
    counts_part_for_entity,
    misses_asked,
    ranks_single_rows,
    puts_together,
    sums_other,
    misses_each,
    draws_other,
    counts_listed,
    draws_bound,
)
