"""Which drafts plain words rule out: the wrong end first, one where three are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.chart.said import Said
from services.planner.domain.reader.chart.sketch import COUNT, Number, Sketch
from services.planner.domain.reader.chart.sketches import Draft
from services.planner.domain.reader.grammar import ordering
from services.planner.domain.reader.links.naming import people_of
from services.planner.domain.reader.links.semantics import Kind
from services.planner.domain.reader.words.tokens import stem

_FALLING = {"highest": True, "lowest": False}
_WHO = ("who", "whom")
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
    return (
        _sorted_as_said(sketch, said) and not _counts_who(sketch, said)
        and _whole_days(draft.conditions.taken, days)
    )  # fmt: skip


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
