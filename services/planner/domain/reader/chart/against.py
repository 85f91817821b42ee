"""Conditions that set two columns of a row against each other: "more away goals than home goals".

Either both are named around a comparison, or they are twins that but one word tells apart and the
question says those words around it: "the home team scored more than the away team".
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from services.planner.domain.lexicon.stop_words import STOP_WORDS
from services.planner.domain.lexicon.tokens import stem
from services.planner.domain.query.kinds import Operator
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.chart.placing import placed
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.grammar import comparison
from services.planner.domain.reader.grammar.lasting import PROMISED
from services.planner.domain.reader.grammar.rules import Cue
from services.planner.domain.reader.links.durations import (
    holds_times,
    is_planned,
    is_spoken,
    is_start,
)
from services.planner.domain.reader.links.mentions import Mention, Tie
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.semantics.kinds import Kind

_NAMED, _PART, _QUALITY, _REACH, _MOST = 0.6, 0.35, 0.8, 3, 4
_TAKEN = 0.8
_VERB_ENDINGS = ("ed", "ent", "aid")
_EVERY_DATE = frozenset(("date", "time", "day", "at", "on"))
_NO_QUANTITY = (Kind.ID, Kind.FLAG)


def of_columns(scene: Scene) -> Iterator[Proposal]:
    """Each pair of columns of one table that a comparison stands between."""
    cues = scene.words.find(comparison.AGAINST)
    for at, cue in enumerate(cues):
        if any(one.first <= cue.first and one.last >= cue.last for one in cues[:at]):
            continue  # the "exceed" of "do not exceed"
        found = 0
        for left, right in (*_named(scene, cue), *_twins(scene, cue)):
            if found < _MOST and _comparable(left[0], right[0], cue.means):
                found += 1
                first, last = min(left[1], cue.first), max(right[1], cue.last)
                yield Proposal(
                    left[0],
                    cue.means,
                    _factor(scene, cue),
                    first,
                    last,
                    "against",
                    _QUALITY,
                    against=right[0],
                )


def _factor(scene: Scene, cue: Cue[Operator]) -> tuple[float, ...]:
    """How many times the other column is meant, where it is not that itself."""
    number = cue.slot("number")
    value = scene.tokens[number].number if number is not None else None
    factor = value or comparison.TIMES.get(scene.tokens[cue.last].lower)
    return () if factor is None else (factor,)


def as_promised(scene: Scene) -> Iterator[Proposal]:
    """What was done later than it was planned for, or not: "orders shipped late".

    A day of a plan is not set against moments: what was done in its evening is not late.
    """
    for cue in scene.words.find(PROMISED):
        late = scene.tokens[cue.last].lower == "late"  # of a status, or of a fee
        if late and (scene.named[cue.last] >= _TAKEN or scene.valued[cue.last]):
            continue
        times = [p for p in scene.schema.places if p.time and p.definition is None]
        plans = [p for p in times if is_planned(p)]
        done = [p for p in times if p not in plans and not is_start(p)]
        verb = scene.tokens[cue.first].lower if cue.first < cue.last else ""
        named = [p for p in done if is_spoken([verb], p)] if verb.endswith(_VERB_ENDINGS) else done
        pairs = [(p, plan) for p in named for plan in plans if _comparable(p, plan)]
        twins = [pair for pair in pairs if not _EVERY_DATE.issuperset(_shared(*pair))]
        for place, plan in twins or pairs:
            if holds_times(plan) or not holds_times(place):
                yield placed(
                    scene,
                    Proposal(
                        place, cue.means, (), cue.first, cue.last, "against", _QUALITY, against=plan
                    ),
                )


def _shared(one: Place, other: Place) -> set[str]:
    """The words that both are called by: the delivery of actual and planned delivery."""
    return set(one.words) & set(other.words)


_Mentioned = tuple[Place, int]


def _named(scene: Scene, cue: Cue[Operator]) -> Iterator[tuple[_Mentioned, _Mentioned]]:
    """The columns named before the comparison, or within it, and after it."""
    named = [
        m
        for m in scene.mentions
        if m.tie is Tie.NAME
        and m.place.kind not in _NO_QUANTITY
        and (m.coverage >= _NAMED or _best_of_its_table(scene, m))
    ]
    inside = [m for m in named if cue.first < m.first and m.last < cue.last]
    rights = [m for m in named if _follows(scene, cue.last, m)]
    lefts = inside or [m for m in named if m.last < cue.first and cue.first - m.last <= _REACH + 1]
    for left in lefts:
        yield from (((left.place, left.first), (right.place, right.last)) for right in rights)


def _best_of_its_table(scene: Scene, mention: Mention) -> bool:
    """Whether no column of the table is called by more of these words: "stock" of products."""
    others = (m for m in scene.mentions if m.place.table is mention.place.table)
    over = [m for m in others if m.first <= mention.last and m.last >= mention.first]
    return mention.coverage >= _PART and not any(
        m.coverage >= mention.coverage and m is not mention for m in over
    )


def _follows(scene: Scene, at: int, mention: Mention) -> bool:
    """Whether a mention comes right after a token, but for words that say nothing or whose it is:
    "the customer's city"."""
    between = scene.tokens[at + 1 : mention.first]
    own = {t.first for t in scene.tables if t.table is mention.place.table}
    return mention.first > at and all(t.lower in STOP_WORDS or t.index in own for t in between)


def _twins(scene: Scene, cue: Cue[Operator]) -> Iterator[tuple[_Mentioned, _Mentioned]]:
    """Columns that differ by one word each, where these words stand around the comparison."""
    before = {t.stem: t.index for t in scene.tokens[: cue.last]}
    after = {t.stem: t.index for t in reversed(scene.tokens[cue.last + 1 :])}
    for left, right in permutations([p for p in scene.schema.places if p.number], 2):
        if left.kind in _NO_QUANTITY or left.table is not right.table:
            continue
        own, other = set(left.words) - set(right.words), set(right.words) - set(left.words)
        if len(own) == len(other) == 1 and len(left.words) == len(right.words) > 1:
            here, there = stem(own.pop()), stem(other.pop())
            if here in before and there in after:
                yield (left, before[here]), (right, after[there])


def _comparable(left: Place, right: Place, how: Operator = Operator.LESS) -> bool:
    """Whether values of two columns can be told larger and smaller, or those of texts apart, which
    may be of two tables."""
    if left is right or left.definition is not None or right.definition is not None:
        return False
    if how in (Operator.EQUAL, Operator.NOT_EQUAL) and left.text and right.text:
        return True
    same = left.table is right.table
    return same and ((left.number and right.number) or (left.time and right.time))
