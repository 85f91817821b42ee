"""Which end comes first, and where rows are cut off: what words of most and least rule out."""

from __future__ import annotations

from functools import lru_cache

from services.planner.domain.query.kinds import Aggregate, Grain, Operator
from services.planner.domain.reader.chart.leading import tells_others
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.chart.requirements import Requirements, is_of_each
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import COUNT, Number, Sketch
from services.planner.domain.reader.grammar import comparison, leading, ordering
from services.planner.domain.reader.grammar.rules import Cue
from services.planner.domain.reader.grammar.splitting import Split, splits
from services.planner.domain.reader.links.mentions import Tie
from services.planner.domain.reader.links.naming import names_of
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.semantics.kinds import MEASURED, Kind

_FEW_ALONE = "top few"  # "at least four" bounds
_FEW_OF_MOST = ("the most few", "so many that are most")
_EXTREMES = (Aggregate.MAXIMUM, Aggregate.MINIMUM)
_MOST = frozenset(("most", "fewest", "least"))
_IN_ONE = frozenset(
    "single one once record ever highest largest biggest max maximum expensive".split()
)
_MANY_ROWS, _OWN_ROW = 0.5, 0.99
_WHOLE_NAME = 0.7
_LARGE = frozenset("most highest largest biggest greatest commonest popular busiest top".split())
_SMALL = frozenset("least lowest smallest fewest rarest bottom".split())
_IN_TIME = frozenset(
    "recent recently latest newest oldest earliest youngest last first early late new old time"
    " times date dates day days when ago".split()
)
_EARLY, _LATE = {"first", "earliest", "oldest"}, {"last", "latest", "newest"}
_DAYS = frozenset("different distinct unique dates days".split())
_SPOKEN_OF, _ALL_OF_NAME = 0.3, 0.9
_ASKS = frozenset("which who whose whom where when".split())
_LEADING = frozenset("what what's is was are were the a our show me give tell find get".split())
_HOLDING = frozenset("in for of from on during since before after by per at ? . ever".split())


def _row_for_total(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether who "scored most goals", or is the "top scorer by goals", is told by the most in one
    row, where each has many."""
    by = sketch.sorting.by if sketch.sorting is not None else None
    place = sketch.sorted_by
    in_a_row = not sketch.grouped or place not in sketch.shown
    if isinstance(by, Number):
        in_a_row = by.aggregate in _EXTREMES
    if place is None or not in_a_row or sketch.within:
        return False
    words = {token.lower for token in requirements.scene.tokens}
    entities = [one for one in sketch.shown if one is not place]
    repeated = bool(entities) and all(
        one.unique < _MANY_ROWS and not one.time and one.kind is not Kind.DATE_PART
        for one in entities
    )
    adds = place.number and place.kind is Kind.AMOUNT and place.definition is None
    ranked = bool(words & _MOST) or bool(requirements.scene.words.find(ordering.TOP_BY))
    return repeated and adds and ranked and not words & _IN_ONE


def _ranks_otherwise(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether the "top deals by amount" are told as how many there are of each amount, with how
    many there are, which nobody asks, or from the other end."""
    scene = requirements.scene
    by = {cue.slot("word"): cue.means for cue in scene.words.find(ordering.TOP_BY)}
    intended = {
        m.place: by[m.first]
        for m in scene.mentions
        if m.first in by and m.place.kind in MEASURED and m.coverage >= _WHOLE_NAME
    }
    if not intended:
        return False
    split = sketch.grouped and not intended.keys().isdisjoint(sketch.shown)
    falls = intended.get(sketch.sorted_by) if sketch.sorted_by is not None else None
    other = falls is not None and sketch.sorting is not None and sketch.sorting.descending != falls
    return split or other or (COUNT in sketch.made and not scene.counted_words)


def _cut_unasked(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether only the first is told, or rows are put in an order, though no word asks for one end,
    for a few, or for an order: "more than one" asks for none; or an end, or all, where any few are
    asked for."""
    if requirements.any_few is not None:
        plain = not sketch.numbers and sketch.sorting is None and len(sketch.tables()) == 1
        return sketch.limit != requirements.any_few or not plain
    unlimited = sketch.limit is None and (sketch.sorting is None or not sketch.groups)
    if unlimited or requirements.few is not None:
        return False
    words = requirements.scene.words
    compared = {at for cue in words.find(comparison.RULES) for at in range(cue.first, cue.last + 1)}
    asked = any(
        cue.first not in compared
        for rules in (
            ordering.DIRECTIONS,
            ordering.TOP,
            ordering.FIRST,
            ordering.SORTING,
            leading.ENDS,
        )
        for cue in words.find(rules)
    )
    return not asked and not any(t.lower.endswith("est") for t in requirements.scene.tokens)


def _cut_of_each(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "the highest price by region" is told of one region alone."""
    one = sketch.limit == 1 and sketch.grouped and not sketch.within
    return one and requirements.few is None and _asks_end_of_each(requirements.scene)


@lru_cache(maxsize=8)
def _asks_end_of_each(scene: Scene) -> bool:
    """Whether an end of a number is asked for, and right behind it of what it is told."""
    if not _ASKS.isdisjoint(token.lower for token in scene.tokens):
        return False
    ends = {cue.last for cue in scene.words.find((*leading.ENDS, *ordering.DIRECTIONS))}
    each = {cue.first for cue in splits(scene.words, Split.OF_EACH)}
    return any(
        m.first - 1 in ends and m.last + 1 in each and m.place.number
        for m in scene.mentions
        if m.tie is Tie.NAME and m.coverage >= _WHOLE_NAME
    )


def _counts_one_each(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether things are ranked, or picked, by how many there are of each, which is one: "the most
    frequent shipper" by the names in the table of shippers."""
    by = sketch.sorting is not None and {*sketch.made} == {COUNT}
    picked = any(c.place is None for c in sketch.groups)
    if not sketch.grouped or len(sketch.tables()) > 1 or not (by or picked):
        return False
    if sketch.grain is Grain.WEEKDAY and all(place.time for place in sketch.shown):
        return False  # many moments have one weekday
    names = names_of(requirements.scene.schema, sketch.tables()[0])
    unnamed = bool(names) and not any(_is_named(place, requirements.scene) for place in names)
    return (unnamed and {*names} <= {*sketch.shown}) or any(
        place.unique >= _OWN_ROW and place.table.rows > 1 for place in sketch.shown
    )


def _is_named(place: Place, scene: Scene) -> bool:
    """Whether words name a column for the most part."""
    mentions = scene.by_place.get(place.index, ())
    return any(m.tie is Tie.NAME and m.coverage >= _WHOLE_NAME for m in mentions)


def _few_is_bound(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether the three of "top 3" bounds a column, or that of "the 3 towns with the most" does."""
    found = [(cue, cue.slot("number")) for cue in requirements.scene.words.find(ordering.TOP)]
    few = [(cue, at) for cue, at in found if at is not None]
    limited = sketch.limit is not None and sketch.limit == requirements.few
    return any(
        c.first <= at <= c.last
        and (limited or cue.rule.name == _FEW_ALONE or _is_few(c, cue, at, requirements.scene))
        for c in sketch.conditions
        for cue, at in few
    )


def _is_few(one: Proposal, cue: Cue[str], at: int, scene: Scene) -> bool:
    """Whether a number that bounds nothing in words says how many: "which 5 products", "cheapest
    3 products" are five, and three."""
    plain = one.operator is Operator.EQUAL and (one.of_groups or cue.rule.name in _FEW_OF_MOST)
    return plain and not is_of_each(scene, at)


def _other_end(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether the most popular is told by the fewest rows, or by the lowest total."""
    sorting = sketch.sorting
    if sorting is None or not isinstance(sorting.by, Number) or sketch.limit is None:
        return False
    if sketch.change is not None:  # the biggest drop is the lowest change
        return False
    place = sorting.by.place
    if place is not None and (place.time or place.kind in (Kind.DATE_PART, Kind.ID)):
        return False  # the most recent, the highest rank
    words = _extremes(requirements.scene)
    large, small = not words.isdisjoint(_LARGE), not words.isdisjoint(_SMALL)
    return large is not small and sorting.descending is not large


def _takes_end_for_value(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether the "bottom" of "bottom 4 customers" is taken for a part of a value."""
    tops = [c for c in requirements.scene.words.find(ordering.TOP) if c.rule.name == "top few"]
    return any(
        c.source == "part" and any(cue.first <= c.first and c.last <= cue.last for cue in tops)
        for c in sketch.conditions
    )


def _end_left_out(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "by which shipper are most orders shipped" is told with nothing of most."""
    scene = requirements.scene
    picked = sketch.sorting is not None or sketch.within or sketch.change is not None
    extreme = any(n.aggregate in _EXTREMES or n.against is not None for n in sketch.made)
    if picked or extreme or scene.charted or _ASKS.isdisjoint(t.lower for t in scene.tokens[:2]):
        return False
    ends = _extremes(scene) & (_LARGE | _SMALL)
    called = {t.lower for t in scene.tokens if scene.named[t.index] >= _ALL_OF_NAME}
    return bool(ends - called)


def _extremes(scene: Scene) -> set[str]:
    """The superlatives that are said, but those of a bound: "at most 5", "most of"."""
    words = [token.lower for token in scene.tokens]
    return {
        word
        for at, word in enumerate(words)
        if not (at and words[at - 1] == "at") and words[at + 1 : at + 2] != ["of"]
    }


def _one_of_all(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "the most popular class by branch" is one class of all branches, or every one."""
    return not sketch.within and _asks_for_one_of_each(requirements.scene)


@lru_cache(maxsize=8)
def _asks_for_one_of_each(scene: Scene) -> bool:
    """Whether an end of one column is asked for of each value of another."""
    ends = [cue.last for cue in scene.words.find(leading.ENDS)]
    by = [cue.last for cue in scene.words.find(leading.EACH)]
    named = [
        m
        for m in scene.mentions
        if m.tie is Tie.NAME and m.coverage >= _WHOLE_NAME and not m.place.number
    ]
    return any(
        (one.first - 1 in ends or other.first - 2 in ends)
        and other.first - 1 in by
        and one.last < other.first
        for one in named
        for other in named
    )


def _most_of_days(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether who "sold the most" is told by the last day of selling."""
    place = sketch.sorted_by
    words = {token.lower for token in requirements.scene.tokens}
    return place is not None and place.time and bool(words & _MOST) and not words & _IN_TIME


def _days_for_number(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "how many were sold" is told for each day of selling, or by the number of days."""
    if not asks_for_number(requirements.scene):
        return False
    counted = [n.place for n in sketch.numbers if n.aggregate is Aggregate.COUNT_DISTINCT]
    shown = sketch.shown if sketch.grain is None and sketch.grouped else ()
    return any(place is not None and place.time for place in (*counted, *shown))


def asks_for_number(scene: Scene) -> bool:
    """Whether one number of rows is asked for: not of each, nor of different ones or of days."""
    words = [token.lower for token in scene.tokens]
    return words[:2] == ["how", "many"] and not splits(scene.words) and _DAYS.isdisjoint(words)


def _not_the_rows(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "the fewest members" are told by a number of theirs that nobody speaks of."""
    by = sketch.sorting.by if sketch.sorting is not None else None
    if not isinstance(by, Number) or by.place is None:
        return False
    scene = requirements.scene
    entities = [t.first for t in scene.tables if t.coverage >= _WHOLE_NAME]
    counted = any(t.lower in _MOST and t.index + 1 in entities for t in scene.tokens)
    return counted and not any(
        m.place is by.place and m.coverage >= _SPOKEN_OF for m in scene.mentions
    )


def _other_place(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "the second largest" is told otherwise than by one row after the first."""
    one = sketch.limit == 1 and sketch.sorting is not None and not sketch.within
    return requirements.before > 0 and not one


def _value_left_out(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "the latest order date" or "highest freight" is told by a thing, without the value.

    Only where the question is of nothing else: what follows the column is where or when it holds.
    """
    values = _find_ends_of_nothing_else(requirements.scene)
    return bool(values) and values.isdisjoint(p.index for p in sketch.shown_places)


def _ranks_days(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "the first order date" is told as the day of the least of something else, or as the
    last."""
    if sketch.sorting is None:
        return False
    scene = requirements.scene
    ends = _find_ends_of_nothing_else(scene)
    days = {m.place.index for m in scene.mentions if m.place.time and m.place.index in ends}
    if not days:
        return False
    by = sketch.sorting.by
    if isinstance(by, Number):
        return days.isdisjoint(place.index for place in by.places)
    words = {token.lower for token in scene.tokens} & (_EARLY | _LATE)
    wanted = _LATE if sketch.sorting.descending else _EARLY
    return by.index not in days or (bool(words) and words.isdisjoint(wanted))


@lru_cache(maxsize=8)
def _find_ends_of_nothing_else(scene: Scene) -> frozenset[int]:
    """The columns, by index, of "the latest order date", where the question is of nothing else."""
    if scene.charted or not _ASKS.isdisjoint(token.lower for token in scene.tokens):
        return frozenset()
    for end in scene.words.find((*leading.ENDS, *ordering.DIRECTIONS)):
        lead = [t.lower for t in scene.tokens[: end.first] if not t.ordinal and not t.mark]
        values = {
            m.place.index: m.last
            for m in scene.mentions
            if m.first == end.last + 1
            and m.tie is Tie.NAME
            and m.coverage >= _ALL_OF_NAME
            and (m.place.number or m.place.time)
            and m.place.kind is not Kind.ID
        }
        after = {t.lower for last in values.values() for t in scene.tokens[last + 1 : last + 2]}
        if values and _LEADING.issuperset(lead) and after <= _HOLDING:
            return frozenset(values)
    return frozenset()


RULES = (
    tells_others,
    _other_place,
    _value_left_out,
    _ranks_days,
    _cut_unasked,
    _cut_of_each,
    _few_is_bound,
    _counts_one_each,
    _row_for_total,
    _ranks_otherwise,
    _end_left_out,
    _other_end,
    _takes_end_for_value,
    _one_of_all,
    _not_the_rows,
    _most_of_days,
    _days_for_number,
)
