"""Which drafts plain words rule out: the wrong end first, one where three are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from services.planner.domain.language.kinds import Aggregate, Operator
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.chart.said import Said
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import COUNT, Number, Sets, Sketch
from services.planner.domain.reader.chart.sketches import Draft
from services.planner.domain.reader.grammar import aggregation, counting, leading, ordering
from services.planner.domain.reader.links.mentions import Tie
from services.planner.domain.reader.links.naming import people_of
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.reader.links.semantics import Kind
from services.planner.domain.reader.links.told_in import in_other_unit, units_asked
from services.planner.domain.reader.links.units import Unit
from services.planner.domain.reader.words.tokens import stem

_FALLING = {"highest": True, "lowest": False}
_WHO = ("who", "whom")
_WHOLE_NAME = 0.7
_EMPTY = (Operator.IS_NULL, Operator.NOT_NULL)
_FEW_ALONE = "top few"  # "at least four" bounds
_ENDS = {
    "worst": "worst", "best": "best", "oldest": "oldest", "earliest": "oldest",
    "youngest": "youngest", "newest": "youngest", "latest": "youngest",
}  # fmt: skip
_EXTREMES = (Aggregate.MAXIMUM, Aggregate.MINIMUM)
_MOST = frozenset(("most", "fewest", "least"))
_IN_ONE = frozenset(
    "single one once record ever highest largest biggest max maximum expensive".split()
)
_MANY_ROWS = 0.5
_AND = frozenset(("and", "both", "also", "well", "but", "too", "yet"))
_BY_TIME = frozenset(("oldest", "youngest"))
_BAD = frozenset(
    stem(word)
    for word in (
        "delay lateness late error defect fault failure complaint loss death accident crash "
        "incident cancellation wait waiting debt absence injury fatality crime pollution churn "
        "position place rank grid"
    ).split()
)
"""Columns of which less is better."""
_GOOD = frozenset(
    stem(word)
    for word in (
        "score rating stars grade satisfaction points mark wins profit success accuracy review "
        "quality happiness vote imdb"
    ).split()
)


def fitting(said: Said, proposals: Iterable[Proposal]) -> Callable[[Draft], bool]:
    """Whether nothing that is said plainly rules a draft out."""
    days = [p for p in proposals if p.source == "month" and p.first == p.last]
    return lambda draft: _fits(draft, said, days)


def _fits(draft: Draft, said: Said, days: list[Proposal]) -> bool:
    sketch = draft.sketch
    if said.few is not None and said.few > 1 and sketch.limit == 1:
        return False
    if not _whole_days(draft.conditions.taken, days):
        return False
    right = all(fits(sketch, said) for fits in (_sorted_as_said, _right_end, _split_by_numbers))
    return right and not any(ruled_out(sketch, said) for ruled_out in _RULED_OUT)


def _right_end(sketch: Sketch, said: Said) -> bool:
    """Whether "the worst delay" is the longest, and the oldest ticket the earliest."""
    ends = {_ENDS[token.lower] for token in said.scene.tokens if token.lower in _ENDS}
    place = sketch.sorted_by
    if len(ends) != 1:
        return True
    end = ends.pop()
    if any(_other_end_of_time(number, end) for number in sketch.numbers):
        return False
    if place is None or sketch.sorting is None:
        return True
    dated = place.time or place.kind is Kind.DATE_PART
    if end in _BY_TIME and not dated and not _BY_TIME & {t.lower for t in said.scene.tokens}:
        return True  # "the latest" of something that tells no time
    wanted = falling(end, sketch)
    return wanted is None or wanted is sketch.sorting.descending


def _row_for_total(sketch: Sketch, said: Said) -> bool:
    """Whether who "scored most goals" is told by the most in a single row, where each has many."""
    by = sketch.sorting.by if sketch.sorting is not None else None
    place = sketch.sorted_by
    in_a_row = by.aggregate in _EXTREMES if isinstance(by, Number) else not sketch.grouped
    if place is None or not in_a_row or sketch.within:
        return False
    words = {token.lower for token in said.scene.tokens}
    things = [one for one in sketch.shown if one is not place]
    repeated = bool(things) and all(
        one.unique < _MANY_ROWS and not one.time and one.kind is not Kind.DATE_PART
        for one in things
    )
    adds = place.number and place.kind is Kind.AMOUNT and place.definition is None
    return repeated and adds and bool(words & _MOST) and not words & _IN_ONE


def _other_end_of_time(number: Number, end: str) -> bool:
    """Whether the last year is told of what is oldest."""
    place, wrong = number.place, {"oldest": Aggregate.MAXIMUM, "youngest": Aggregate.MINIMUM}
    dated = place is not None and (place.time or place.kind is Kind.DATE_PART)
    return dated and number.aggregate is wrong.get(end)


def _cut_unasked(sketch: Sketch, said: Said) -> bool:
    """Whether only the first is told though no word asks for one end, or for a few."""
    if sketch.limit is None or said.few is not None:
        return False
    words = said.scene.words
    asked = any(
        words.find(rules)
        for rules in (ordering.DIRECTIONS, ordering.TOP, ordering.FIRST, leading.ENDS)
    )
    return not asked and not any(t.lower.endswith("est") for t in said.scene.tokens)


def _half_a_name(sketch: Sketch, said: Said) -> bool:
    """Whether people are told by their first names alone though nobody asked for these."""
    for names in people_of(said.scene.schema):
        shown = [place for place in names if place in sketch.shown]
        if len(names) > 1 and len(shown) == 1 and not _named(shown[0], said):
            return True
    return False


def _other_name(sketch: Sketch, said: Said) -> bool:
    """Whether people are told by their titles though nobody asked for these."""
    for names in people_of(said.scene.schema):
        for place in sketch.shown if len(names) > 1 else ():
            other = place.table is names[0].table and place not in names
            if other and place.kind is Kind.NAME and not _named(place, said):
                return True
    return False


def _named(place: Place, said: Said) -> bool:
    mentions = said.scene.by_place.get(place.index, ())
    return any(m.tie is Tie.NAME and m.coverage >= _WHOLE_NAME for m in mentions)


def _denies_twice(sketch: Sketch, said: Said) -> bool:
    """Whether one "without" stands for a gap and for rows of a table that nobody speaks of."""
    if sketch.sets is not Sets.WITHOUT or sketch.lacking in said.scene.spoken_tables:
        return False
    return any(
        (c.operator in _EMPTY or c.denied)
        and c.place is not None and c.place.table.name != sketch.lacking
        for c in sketch.conditions
    )  # fmt: skip


def _adds_running(sketch: Sketch, said: Said) -> bool:
    """Whether totals so far are added up, each of which holds those before."""
    dated = any(place.time for place in (*sketch.shown, *sketch.split))
    averaged = any(c.means is Aggregate.AVERAGE for c in said.scene.words.find(aggregation.RULES))
    unasked = (Aggregate.SUM,) if averaged else (Aggregate.SUM, Aggregate.AVERAGE)
    return not dated and any(
        n.aggregate in unasked and n.place is not None and n.place.running for n in sketch.made
    )


def _both_unasked(sketch: Sketch, said: Said) -> bool:
    """Whether two conditions are met by different rows of a thing though no word says "and"."""
    if sketch.sets is not Sets.BOTH:
        return False
    return not any(token.lower in _AND or token.text in ("&", ",") for token in said.scene.tokens)


def _other_unit(sketch: Sketch, said: Said) -> bool:
    """Whether it tells in milliseconds what is asked for in minutes."""
    told = [n.place for n in sketch.numbers if n.place is not None]
    return any(in_other_unit(unit, place) for unit in _units(said.scene) for place in told)


@lru_cache(maxsize=8)
def _units(scene: Scene) -> tuple[Unit, ...]:
    """The units asked for; the same for all drafts."""
    return tuple(units_asked(scene.tokens))


def _split_by_numbers(sketch: Sketch, said: Said) -> bool:
    """Whether "price by number of rooms" is told for each number of rooms."""
    words = said.scene.words
    if bool(words.find(ordering.SORTING)) or bool(words.find(ordering.TOP)):
        return True
    for cue in said.scene.words.find(counting.BY_NUMBER):
        at = cue.slot("word")
        meant = {
            m.place.index for m in said.scene.mentions
            if m.first == at and m.place.number and m.coverage >= _WHOLE_NAME
        }  # fmt: skip
        shown = {place.index for place in (*sketch.shown, *sketch.split)}
        if meant and not meant & shown:
            return False
    return True


def _few_is_bound(sketch: Sketch, said: Said) -> bool:
    """Whether the three of "top 3" bounds a column, or that of "the 3 towns with the most" does."""
    few = {
        cue.slot("number")
        for cue in said.scene.words.find(ordering.TOP)
        if cue.rule.name == _FEW_ALONE or sketch.limit == said.few
    }
    return any(c.first <= at <= c.last for c in sketch.conditions for at in few if at is not None)


def _sorted_as_said(sketch: Sketch, said: Said) -> bool:
    """With "worst first" rows are sorted by the right end, and none is cut off unasked."""
    cues = said.scene.words.find(ordering.FIRST)
    if not cues or not sketch.shown:
        return True
    sorting = sketch.sorting
    if sorting is None or (sketch.limit is not None and sketch.limit != said.few):
        return False
    place = sketch.sorted_by
    if isinstance(sorting.by, Number) or (place is not None and (place.number or place.time)):
        wanted = falling(cues[-1].means, sketch)
        return wanted is None or wanted is sorting.descending
    return False


def falling(end: str, sketch: Sketch) -> bool | None:
    """Whether the values that it is sorted by fall with that end first; None where it is not plain.

    The oldest has the highest age and the earliest day, the worst the longest delay and the lowest
    score.
    """
    if end in _FALLING:
        return _FALLING[end]
    place = sketch.sorted_by
    if place is None:
        return True if end == "best" else None
    if end in ("oldest", "youngest"):
        dated = place.time or place.kind is Kind.DATE_PART
        return (end == "youngest") if dated else (end == "oldest")
    words = {stem(word) for word in place.words}
    if words & _BAD:
        return end == "worst"
    return end == "best" if words & _GOOD else None


def _counts_who(sketch: Sketch, said: Said) -> bool:
    """Whether it counts rows where people or things are asked for: "who is over 60"."""
    if sketch.shown or sketch.numbers != (COUNT,) or said.counts or not said.scene.tokens:
        return False
    first = said.scene.tokens[0].lower
    return first == "which" or (first in _WHO and bool(people_of(said.scene.schema)))


def _misses_who(sketch: Sketch, said: Said) -> bool:
    """Whether "who hit the most" is told by the hits, and no people are shown."""
    people = people_of(said.scene.schema)
    asked = bool(said.scene.tokens) and said.scene.tokens[0].lower in _WHO
    if not asked or not people or sketch.change is not None or not sketch.shown:
        return False
    return not any(place in sketch.shown for names in people for place in names)


def _whole_days(taken: Iterable[Proposal], days: list[Proposal]) -> bool:
    """Whether a month is taken with the day said beside it: "4 July" is no whole month."""
    chosen = [one for one in taken if one in days]
    for one in chosen:
        beside = [
            p for p in days
            if abs(p.first - one.first) in (1, 2) and p.place is not one.place
            and p.place is not None and one.place is not None
            and p.place.table is one.place.table
        ]  # fmt: skip
        if beside and not any(p in chosen for p in beside):
            return False
    return True


_RULED_OUT = (
    _cut_unasked, _counts_who, _few_is_bound, _adds_running, _both_unasked, _other_unit,
    _half_a_name, _other_name, _denies_twice, _row_for_total, _misses_who,
)  # fmt: skip
