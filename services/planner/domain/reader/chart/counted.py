"""Which sketches count other than is asked: rows beside a number, each of what is to be counted."""

from __future__ import annotations

from services.planner.domain.query.kinds import Aggregate
from services.planner.domain.reader.chart.requirements import Requirements
from services.planner.domain.reader.chart.sketch import COUNT, Sketch
from services.planner.domain.reader.grammar import aggregation
from services.planner.domain.reader.grammar.splitting import Split, splits
from services.planner.domain.reader.links.mentions import Tie
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.semantics.kinds import Kind

_WHOLE_NAME = 0.7


def adds_counted(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "number of sales" is told by what a column of theirs that is called so adds up to."""
    scene = requirements.scene
    spans = {(t.first, t.last) for t in scene.tables if t.table.name == scene.counted}
    spans = {s for s in spans if scene.tokens[s[0]].lower in scene.counted_words}
    return any(
        n.aggregate not in (None, Aggregate.COUNT, Aggregate.COUNT_DISTINCT)
        and n.place is not None
        and n.place.table.name == scene.counted
        and _spans(n.place, requirements) <= spans
        for n in sketch.made
    )


def _spans(place: Place, requirements: Requirements) -> set[tuple[int, int]]:
    return {(m.first, m.last) for m in requirements.scene.by_place.get(place.index, ())}


def counts_beside(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether rows are counted beside another number though no word asks how many there are."""
    scene = requirements.scene
    if COUNT not in sketch.numbers or len(sketch.numbers) < 2:
        return False
    if (
        requirements.counts
        or scene.counted_words
        or (sketch.sorting and sketch.sorting.by == COUNT)
    ):
        return False
    after = {cue.last + 1 for cue in splits(scene.words)}
    return all(t.first in after for t in scene.tables if t.coverage >= _WHOLE_NAME)


def splits_by_amount(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether what a number is called splits it: "total sales by country" by the column that is
    called total."""
    if not sketch.grouped:
        return False
    cues = requirements.scene.words.find(aggregation.RULES)
    made = {at for cue in cues for at in range(cue.first, cue.last + 1)}
    for place in (n.place for n in sketch.numbers if n.place is not None):
        made |= {at for first, last in _spans(place, requirements) for at in range(first, last + 1)}
    after = {cue.last + 1 for cue in splits(requirements.scene.words)}
    amounts = (p for p in (*sketch.shown, *sketch.split) if p.kind is Kind.AMOUNT)
    return any(
        made.issuperset(range(first, last + 1)) and first not in after
        for place in amounts
        for first, last in _spans(place, requirements)
    )


def splits_by_counted(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether rows are counted for each of what is to be counted: "number of boats by crew" by boat
    and crew."""
    scene = requirements.scene
    after = {cue.last + 1 for cue in splits(scene.words, Split.OF_EACH)}
    if COUNT not in sketch.numbers or not after or scene.counted or scene.charted:
        return False  # charts are asked for "of the number of areas for all appellations"
    groups = {place.index for place in (*sketch.shown, *sketch.split)}
    return any(
        m.place.index in groups
        and not m.place.flag
        and m.tie is Tie.NAME
        and m.coverage >= _WHOLE_NAME
        and m.first not in after
        and scene.tokens[m.last].lower.endswith("s")
        and scene.tokens[m.first].lower in scene.counted_words
        for m in scene.mentions
    )


RULES = (adds_counted, counts_beside, splits_by_amount, splits_by_counted)
