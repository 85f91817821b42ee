"""What a "not", a "no" or a "never" says no to: what stands behind it, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from services.planner.domain.query.kinds import Operator
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.chart.requirements import Requirements
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import Sets, Sketch
from services.planner.domain.reader.grammar import comparison, negation
from services.planner.domain.reader.grammar.negation import Negation
from services.planner.domain.reader.links.mentions import TableMention

_REACH, _NAMED = 3, 0.8
_DENIES = (Negation.RELATED, Negation.VALUE)
_NEGATIVE = (Operator.NOT_EQUAL, Operator.NOT_IN, Operator.NOT_CONTAINS, Operator.IS_NULL)
_COUNTED_NO = frozenset(("no of", "no ."))
_SETS = (Sets.WITHOUT, Sets.EXCEPT)


def passes_over_denial(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "people that are not sailors" is answered as though nothing were denied."""
    return bool(_denied_tables(requirements.scene)) and not (
        sketch.sets in _SETS
        or any(c.operator in _NEGATIVE or c.source == "flag no" for c in _conditions(sketch))
        or any(c.place is None and 0 in c.values for c in sketch.groups)
    )


def denies_other(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether something else is lacking than what is denied: "customers who never ordered" are no
    orders without customers, and "not more than 7" lacks nothing."""
    if sketch.sets not in _SETS:
        return False
    if not any(True for _ in _denials(requirements.scene)):
        return bool(_comparing(requirements.scene))
    denied = _denied_tables(requirements.scene)
    return sketch.sets is Sets.WITHOUT and bool(denied) and sketch.missing_table not in denied


def _conditions(sketch: Sketch) -> tuple[Proposal, ...]:
    return (*sketch.conditions, *sketch.either, *sketch.share)


@lru_cache(maxsize=8)
def _denied_tables(scene: Scene) -> frozenset[str]:
    """The tables that are named right behind a word that says no."""
    found: set[str] = set()
    for last in _denials(scene):
        near = [
            t
            for t in scene.tables
            if last < t.first <= last + _REACH
            and t.coverage >= _NAMED
            and not _another_starts(scene, last + 1, t)
        ]
        first = min((t.first for t in near), default=0)
        found |= {t.table.name for t in near if t.first == first}
    return frozenset(found)


def _another_starts(scene: Scene, at: int, table: TableMention) -> bool:
    """Whether a column, a value or a number is denied before the table is named."""
    between = scene.tokens[at : table.first]
    return any(
        scene.named[t.index] >= _NAMED or scene.valued[t.index] >= _NAMED or t.number is not None
        for t in between
    )


def _denials(scene: Scene) -> Iterator[int]:
    """The last word of each denial that compares no number."""
    compared = _comparing(scene)
    for cue in scene.words.find(negation.RULES):
        two = scene.between(cue.last, cue.last + 2)
        if cue.means in _DENIES and cue.first not in compared and two not in _COUNTED_NO:
            yield cue.last


def _comparing(scene: Scene) -> frozenset[int]:
    """The words of comparisons that say no themselves: "not more than 7", "no fewer than 3"."""
    return frozenset(
        at
        for cue in scene.words.find(comparison.RULES)
        for at in range(cue.first, cue.last + 1)
        if scene.tokens[at].lower in ("not", "no")
    )
