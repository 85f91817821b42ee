"""A doubt about numbers that may count what stands for no value (`links/stand_ins.py`)."""

from __future__ import annotations

from collections.abc import Iterator

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.language.filters import conditions_of
from services.planner.domain.language.intent import (
    Aggregate,
    Field,
    Intent,
    Understood,
)
from services.planner.domain.language.normalising.wording import worded
from services.planner.domain.reader.links.stand_ins import stand_in

_HARDLY_SURE = 0.7
_UNHARMED = (Aggregate.COUNT, Aggregate.COUNT_DISTINCT, Aggregate.MAXIMUM)


def with_stand_ins_told(found: Understood, catalogue: Catalogue) -> Understood:
    """The reading with a doubt, and no surer, where its numbers may count what stands for none."""
    told = [one for one in _told(found.intent, catalogue) if one not in found.assumptions]
    if not told:
        return found
    return found.model_copy(
        update={
            "assumptions": (*told, *found.assumptions),
            "confidence": min(found.confidence, _HARDLY_SURE),
        }
    )


def _told(intent: Intent, catalogue: Catalogue) -> Iterator[str]:
    picked = {(c.field.table, c.field.column) for c in conditions_of(intent.filters)}
    used = [m.expression for m in intent.measures if m.aggregate not in _UNHARMED]
    for field in dict.fromkeys(one for one in used if isinstance(one, Field)):
        table = catalogue.table(field.table)
        column = table.column(field.column) if table is not None else None
        number = stand_in(column) if column is not None else ""
        if number and (field.table, field.column) not in picked:
            name = worded(field.column)
            yield (
                f"{name} goes down to {number}, which may stand for a missing value and is counted "
                f'as a number; leave it out with "{name} above {number}"'
            )
