"""What a reader sees on its way is repaired at once where that is certain or asked for."""

from __future__ import annotations

from services.executor.domain.doubt import Doubt
from services.executor.domain.source import ReaderOptions
from services.executor.sources.building import Building


def settled(doubt: Doubt, options: ReaderOptions, building: Building) -> bool:
    """Whether the reader is to make the first repair of a doubt; what nobody asked for is told as
    a doubt, and the repair is decided. `one-table=no` settles that it is not to."""
    repair = doubt.repairs[0]
    refusal = repair.model_copy(update={"value": "no"})
    if refusal in options.repairs:
        building.made.add(refusal.option)
        return False
    asked = repair in options.repairs
    made = asked or (doubt.certain and not options.raw)
    if made:
        building.made.add(repair.option)
        building.decide(
            doubt.table,
            "repairs",
            repair.option,
            column=doubt.column,
            because=doubt.said,
        )
    if not asked:
        building.doubts.append(doubt.model_copy(update={"repaired": made}))
    return made
