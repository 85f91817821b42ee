"""Which words of a question a reading did not use."""

from __future__ import annotations

from typing import Any

from services.planner.domain.language.kinds import Aggregate
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import Number, Sketch
from services.planner.domain.reader.choice.candidate import Candidate
from services.planner.domain.reader.grammar import aggregation, counting, ordering
from services.planner.domain.reader.grammar.rules import Cue
from services.planner.domain.reader.words.common import PRESENTATION, STOP_WORDS


def unread_words(scene: Scene, one: Candidate) -> list[str]:
    """The content words that the reading did not use, in the order of the question."""
    if one.draft is None:
        return []
    sketch = one.draft.sketch
    tables, used = {*sketch.tables(), sketch.lacking}, sketch.used
    spans = [(m.first, m.last) for m in scene.mentions if m.place.index in used]
    spans += [(t.first, t.last) for t in scene.tables if t.table.name in tables]
    spans += [(c.first, c.last) for c in sketch.conditions]
    spans += [(c.first, c.last) for c in _grammar_read(scene, sketch)]
    read_ = {at for first, last in spans for at in range(first, last + 1)}
    return [
        token.text
        for token in scene.tokens
        if token.index not in read_ and not token.mark and token.number is None
        and token.lower not in STOP_WORDS and token.lower not in PRESENTATION
    ]  # fmt: skip


def _grammar_read(scene: Scene, sketch: Sketch) -> list[Cue[Any]]:
    """The cues that the sketch heeds: an average that it does not take is not read."""
    taken = {number.aggregate for number in sketch.numbers}
    if Aggregate.COUNT_DISTINCT in taken:
        taken.add(Aggregate.COUNT)
    by = sketch.sorting.by if sketch.sorting is not None else None
    taken |= {by.aggregate} if isinstance(by, Number) else set()
    taken |= {Aggregate.AVERAGE for one in sketch.conditions if one.than_average}
    taken |= {one.aggregate for one in sketch.groups}
    found: list[Cue[Any]] = [c for c in scene.words.find(aggregation.RULES) if c.means in taken]
    if sketch.sorting is not None:
        rules = (*ordering.DIRECTIONS, *ordering.SORTING, *ordering.TOP)
        found += scene.words.find(rules)
    return found + list(scene.words.find(counting.RULES))
