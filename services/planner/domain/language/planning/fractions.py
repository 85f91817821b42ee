"""Which numbers of an answer are parts of one, and so are told and drawn in per cent."""

from __future__ import annotations

from services.planner.domain.language.intent import Calculation, Intent


def parts_of_all(intent: Intent | None) -> frozenset[str]:
    """The ratios that are some of the rows against all of them."""
    found = set()
    for ratio in intent.derived if intent is not None else ():
        if intent is None or ratio.calculation is not Calculation.RATIO or ratio.against is None:
            continue
        some, whole = intent.measures[ratio.of], intent.measures[ratio.against]
        if (
            some.where is not None
            and some.model_copy(update={"where": whole.where, "label": whole.label}) == whole
        ):
            found.add(ratio.label)
    return frozenset(found)


def is_fraction(intent: Intent, label: str) -> bool:
    """Whether the column of that name holds shares, growth, or parts of all rows."""
    worked_out = {derived.label: derived.calculation for derived in intent.derived}.get(label)
    of_one = worked_out in (Calculation.SHARE, Calculation.GROWTH)
    return of_one or label in parts_of_all(intent)
