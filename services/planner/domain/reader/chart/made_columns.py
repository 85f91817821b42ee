"""What columns that are worked out rule out: their own parts as groups, a metric passed over."""

from __future__ import annotations

from services.planner.domain.query.defining.terms import references
from services.planner.domain.query.measures.metrics import metric_of
from services.planner.domain.reader.chart.requirements import Requirements
from services.planner.domain.reader.chart.sketch import Sketch
from services.planner.domain.reader.grammar.splitting import Split, splits

_NAMED = 0.95


def splits_by_its_part(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "hours from opened to closed" is told by closed, which only says what hours."""
    parts = {
        (part.table, part.column)
        for n in sketch.numbers
        if n.place is not None and n.place.definition is not None
        for part in references(n.place.definition.term)
    }
    after = (
        {cue.last + 1 for cue in splits(requirements.scene.words, Split.OF_EACH)}
        if parts
        else set()
    )
    return any(
        (place.table.name, place.column.name) in parts
        and not any(m.first in after for m in requirements.scene.by_place.get(place.index, ()))
        for place in (*sketch.shown, *sketch.split)
    )


def passes_over_metric(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether a number is worked out by words for which a semantic model declares a metric."""
    worked_out = bool(sketch.ratio) or any(
        n.place is not None and n.place.definition is not None for n in sketch.numbers
    )
    catalogue = requirements.scene.schema.catalogue
    return worked_out and any(
        m.coverage >= _NAMED
        and m.place.index not in sketch.used
        and metric_of(m.place.field, catalogue) is not None
        for m in requirements.scene.mentions
    )
