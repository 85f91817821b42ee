"""Whether a draft sorts, splits and dates as plain words say: the wrong end first does not."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from services.planner.domain.lexicon.tokens import stem
from services.planner.domain.query.kinds import Aggregate
from services.planner.domain.reader.chart.every_rule import is_ruled_out
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.chart.requirements import Requirements
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import Number, Sketch
from services.planner.domain.reader.chart.sketches import Draft
from services.planner.domain.reader.grammar import counting, ordering
from services.planner.domain.reader.links.adjectives import ADJECTIVES
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.reader.links.speeds import is_span, is_speed
from services.planner.domain.semantics.kinds import Kind

_FALLING = {"highest": True, "lowest": False}
_WHOLE_NAME = 0.7
_ENDS = {
    "worst": "worst",
    "best": "best",
    "oldest": "oldest",
    "earliest": "oldest",
    "youngest": "youngest",
    "newest": "youngest",
    "latest": "youngest",
    "fastest": "fastest",
    "quickest": "fastest",
    "slowest": "slowest",
}
WRONG_END = {"oldest": Aggregate.MAXIMUM, "youngest": Aggregate.MINIMUM}
"""What tells the other end of years and days than is said."""
_OLD_OR_NEW = frozenset(("oldest", "youngest", "newest"))
_AGES = frozenset(
    """age ages old birth born tenure seniority since date time year day founded built opened
    established""".split()
)
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


def fitting(requirements: Requirements, proposals: Iterable[Proposal]) -> Callable[[Draft], bool]:
    """Whether nothing that is said plainly rules a draft out."""
    days = [p for p in proposals if p.source == "month" and p.first == p.last]
    return lambda draft: _fits(draft, requirements, days)


def _fits(draft: Draft, requirements: Requirements, days: list[Proposal]) -> bool:
    sketch = draft.sketch
    if requirements.few is not None and requirements.few > 1 and sketch.limit == 1:
        return False
    if not _whole_days(draft.conditions.taken, days):
        return False
    right = all(fits(sketch, requirements) for fits in _FITS)
    return right and not is_ruled_out(sketch, requirements)


def _right_end(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "the worst delay" is the longest, and the oldest ticket the earliest."""
    ends = find_ends(requirements.scene)
    place = sketch.sorted_by
    known_old = bool(_OLD_OR_NEW & {token.lower for token in requirements.scene.tokens})
    if known_old and sketch.sorting is not None and not _tells_age(place):
        return False
    if len(ends) != 1:
        return True
    end = ends.pop()
    if any(_other_end_of_time(number, end) for number in sketch.numbers):
        return False
    if place is None or sketch.sorting is None:
        return True
    dated = place.time or place.kind is Kind.DATE_PART
    if (
        end in _BY_TIME
        and not dated
        and not _BY_TIME & {t.lower for t in requirements.scene.tokens}
    ):
        return True  # "the latest" of something that tells no time
    wanted = falling(end, sketch)
    return wanted is None or wanted is sketch.sorting.descending


def _right_extreme(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether the hottest day is sought by the highest temperatures, where lowest are told too."""
    place = sketch.sorted_by
    signs = {ADJECTIVES[t.lower][0] for t in requirements.scene.tokens if t.lower in ADJECTIVES} - {
        0
    }
    if place is None or len(signs) != 1:
        return True
    own, other = ("minimum", "maximum") if signs == {1} else ("maximum", "minimum")
    if own not in place.words or any(t.lower in (own, own[:3]) for t in requirements.scene.tokens):
        return True
    twin = tuple(other if word == own else word for word in place.words)
    return all(p.words != twin for p in requirements.scene.schema.places)


def find_ends(scene: Scene) -> set[str]:
    """The ends that superlatives of time and of worth speak of: worst, best, oldest, youngest."""
    return {_ENDS[token.lower] for token in scene.tokens if token.lower in _ENDS}


def _tells_age(place: Place | None) -> bool:
    """Whether the oldest and the newest can be told by a column; by a count they cannot."""
    if place is None:
        return False
    dated = place.time or place.kind is Kind.DATE_PART or place.definition is not None
    return dated or not _AGES.isdisjoint(place.words)


def _other_end_of_time(number: Number, end: str) -> bool:
    """Whether the last year is told of what is oldest."""
    place = number.place
    dated = place is not None and (place.time or place.kind is Kind.DATE_PART)
    return dated and number.aggregate is WRONG_END.get(end)


def _split_by_numbers(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "price by number of rooms" is told for each number of rooms."""
    words = requirements.scene.words
    if bool(words.find(ordering.SORTING)) or bool(words.find(ordering.TOP)):
        return True
    for cue in requirements.scene.words.find(counting.BY_NUMBER):
        at = cue.slot("word")
        intended = {
            m.place.index
            for m in requirements.scene.mentions
            if m.first == at and m.place.number and m.coverage >= _WHOLE_NAME
        }
        shown = {place.index for place in (*sketch.shown, *sketch.split)}
        if intended and not intended & shown:
            return False
    return True


def _is_sorted_as_asked(sketch: Sketch, requirements: Requirements) -> bool:
    """With "worst first" rows are sorted by the right end, and none is cut off unasked."""
    cues = requirements.scene.words.find(ordering.FIRST)
    if not cues or not sketch.shown:
        return True
    sorting = sketch.sorting
    if sorting is None or (sketch.limit is not None and sketch.limit != requirements.few):
        return False
    place = sketch.sorted_by
    if isinstance(sorting.by, Number) or (place is not None and (place.number or place.time)):
        wanted = falling(cues[-1].means, sketch)
        return wanted is None or wanted is sorting.descending
    return False


def falling(end: str, sketch: Sketch) -> bool | None:
    """Whether the values that it is sorted by fall with that end first; None where it is not plain.

    The oldest has the highest age and the earliest day, the slowest the longest time and the lowest
    speed, the worst the longest delay and the lowest score.
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
    if end in ("fastest", "slowest"):
        if is_speed(place):
            return end == "fastest"
        return end == "slowest" if is_span(place) else None
    if words & _BAD:
        return end == "worst"
    return end == "best" if words & _GOOD else None


def _whole_days(taken: Iterable[Proposal], days: list[Proposal]) -> bool:
    """Whether a month is taken with the day said beside it: "4 July" is no whole month."""
    chosen = [one for one in taken if one in days]
    for one in chosen:
        beside = [
            p
            for p in days
            if abs(p.first - one.first) in (1, 2)
            and p.place is not one.place
            and p.place is not None
            and one.place is not None
            and p.place.table is one.place.table
        ]
        if beside and not any(p in chosen for p in beside):
            return False
    return True


_FITS = (_is_sorted_as_asked, _right_end, _right_extreme, _split_by_numbers)
