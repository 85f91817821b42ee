"""What the ranker sees of one candidate before its query is run, by name."""

from __future__ import annotations

from services.planner.domain.reader.chart.sketches import Draft
from services.planner.domain.reader.choice.asked_for import asked_for
from services.planner.domain.reader.choice.candidate import Weighed
from services.planner.domain.reader.choice.coverage import coverage, unused
from services.planner.domain.reader.choice.drawn import drawn
from services.planner.domain.reader.choice.forms import forms
from services.planner.domain.reader.choice.measuring import aggregates, kinds
from services.planner.domain.reader.choice.naming import names
from services.planner.domain.reader.choice.narrowing import filters, order
from services.planner.domain.reader.choice.shape import HEADS

_SHAPES = tuple(f"shape {head}" for head in HEADS)
_CROSSED = ("distinct", "grouped", "limit", "having", "unread", "columns")


def quick_score(weighed: Weighed, draft: Draft) -> float:
    """What a draft is worth at first sight: the log-odds of its choices, less what it costs."""
    shape, _ = weighed.shapes.of(draft.sketch)
    return shape + draft.roles.score + draft.conditions.score - draft.cost


def draft_features(weighed: Weighed, draft: Draft) -> dict[str, float]:
    """What is known of a draft before its query is run."""
    sketch = draft.sketch
    shape, each = weighed.shapes.of(sketch)
    found: dict[str, float] = dict(zip(_SHAPES, each, strict=True))
    found |= {
        "shape": shape,
        "least shape": min(each),
        "roles": draft.roles.score,
        "conditions": draft.conditions.score,
        "cost": draft.cost,
        "tables": len(sketch.tables()),
        "extra tables": len(sketch.extra),
        "columns": len(sketch.shown) + len(sketch.numbers),
        "filters": len(sketch.conditions),
        "grouped": sketch.grouped,
        "set": sketch.sets is not None,
        "limit": bool(sketch.limit),
        "distinct": sketch.distinct,
        "having": len(sketch.groups),
        "series": sketch.series,
        "numbers": len(sketch.numbers),
        "sorted": sketch.sorting is not None,
    }
    found |= unused(draft) | coverage(weighed, sketch) | names(weighed, sketch)
    found |= aggregates(weighed, sketch) | filters(weighed, sketch) | order(weighed, sketch)
    found |= kinds(weighed.scene, sketch) | drawn(weighed, sketch)
    found |= forms(weighed.scene, sketch) | asked_for(weighed, sketch)
    crossed = {
        f"{name} and {one}": value * found[one]
        for name, value in weighed.shared.items()
        for one in _CROSSED
    }
    return {name: float(value) for name, value in (found | crossed).items()}
