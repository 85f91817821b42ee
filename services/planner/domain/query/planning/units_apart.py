"""Numbers in several units or currencies, of which there is no sum over all groups."""

from __future__ import annotations

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.query.along import found_in
from services.planner.domain.query.intent import Condition, Intent, Operator
from services.planner.domain.semantics.unit_columns import unit_column


def units_apart(intent: Intent, catalogue: Catalogue) -> Intent:
    """With no sum over all groups of numbers in several units or currencies."""
    one = {
        f.field.column
        for f in intent.filters
        if isinstance(f, Condition) and f.operator is Operator.EQUAL
    }
    measures = []
    for measure in intent.measures:
        found = found_in(measure.expression, catalogue)
        unit = unit_column(*found) if found is not None else None
        mixed = unit is not None and unit.name not in one
        measures.append(measure.model_copy(update={"additive": False}) if mixed else measure)
    return intent.model_copy(update={"measures": tuple(measures)})
