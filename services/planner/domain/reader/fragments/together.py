"""Values of one column that a fragment names together: a range of them, or a group for each."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from services.planner.domain.query.intent import Field, Operator
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.fragments.cues import APART
from services.planner.domain.reader.fragments.fragment import Split
from services.planner.domain.reader.fragments.progress import Progress
from services.planner.domain.semantics.kinds import Kind

_UP_TO = frozenset("to through till until".split())


def read_ranges(got: Progress) -> None:
    """ "June to August" is all months from the one to the other, where months are numbers."""
    found = got.found.conditions
    for one, other in list(pairwise(sorted(found, key=lambda c: c.first))):
        between = got.scene.tokens[one.last + 1 : other.first]
        is_mentioned = len(between) == 1 and between[0].lower in _UP_TO
        if not (is_mentioned and one.place is other.place and _numbers(one, other)):
            continue
        whole = replace(
            one, operator=Operator.BETWEEN, values=(*one.values, *other.values), last=other.last
        )
        got.found.conditions = [c for c in found if c not in (one, other)] + [whole]
        got.read(between[0].index, between[0].index)


def read_apart(got: Progress) -> None:
    """ "Males and females separately": split by the column that has these values."""
    cues = got.scene.words.find(APART)
    if not cues:
        return
    by_place: dict[int, list[Proposal]] = {}
    for one in got.found.conditions:
        if one.place is not None and one.operator in (Operator.EQUAL, Operator.IN):
            by_place.setdefault(one.place.index, []).append(one)
    for several in by_place.values():
        if sum(len(one.values) for one in several) < 2:
            continue
        place = several[0].place
        values = {value for one in several for value in one.values}
        whole = place is not None and place.column.distinct <= len(values)
        if whole and place is not None and not place.column.nulls:
            got.found.conditions = [c for c in got.found.conditions if c not in several]
        got.found.splits.append(Split(place))
        got.found.adds = True
        for cue in cues:
            got.read(cue.first, cue.last)


def read_compared(got: Progress) -> None:
    """ "By year for Asia and Africa": each of the things named stays, beside the times."""
    timely = any(
        split.grain is not None or (split.place is not None and split.place.kind is Kind.DATE_PART)
        for split in got.found.splits
    )
    fields = {dimension.expression for dimension in got.intent.dimensions}
    named: dict[Field, int] = {}
    for one in got.found.conditions:
        if one.place is not None and one.operator in (Operator.EQUAL, Operator.IN):
            named[one.place.field] = named.get(one.place.field, 0) + len(one.values)
    if timely and any(many > 1 and field in fields for field, many in named.items()):
        got.found.adds = True


def _numbers(one: Proposal, other: Proposal) -> bool:
    """Whether they are two numbers, the smaller first."""
    if one.operator is not Operator.EQUAL or other.operator is not Operator.EQUAL:
        return False
    values = (*one.values, *other.values)
    numbers = [float(v) for v in values if isinstance(v, int | float)]
    return len(values) == len(numbers) == 2 and numbers[0] < numbers[1]
