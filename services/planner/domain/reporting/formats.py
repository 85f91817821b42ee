"""How columns of an answer read, where their values alone do not say it."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.drafting.compared import GROWTH
from services.planner.domain.query.intent import Calculation, Grain, Intent
from services.planner.domain.query.planning.compared_groups import compares_groups
from services.planner.domain.query.planning.fractions import parts_of_all, parts_of_one
from services.planner.domain.reporting.evidence import EvidenceTable
from services.planner.domain.reporting.shape import (
    is_amount,
    is_name,
    numbered_months,
    true_of,
)
from services.planner.domain.statements.column import ResultColumn

PER_CENT = "percent"
_FRACTIONS = (Calculation.SHARE, Calculation.GROWTH)


def formats_of(
    table: EvidenceTable,
    intent: Intent | None,
    catalogue: Catalogue | None = None,
    columns: Sequence[ResultColumn] = (),
) -> dict[str, str]:
    """By column: "percent", where one means all of it; or the grain of its times ("month")."""
    if intent is None:
        known = true_of(table, columns)
        return {c.name: PER_CENT if c.fraction else c.grain for c in known if c.fraction or c.grain}
    formats = {d.label: d.grain.value for d in intent.dimensions if d.grain is not None}
    formats |= dict.fromkeys(numbered_months(table, intent), Grain.MONTH_OF_YEAR.value)
    formats |= {d.label: PER_CENT for d in intent.derived if d.calculation in _FRACTIONS}
    formats |= dict.fromkeys(parts_of_all(intent) | parts_of_one(intent, catalogue), PER_CENT)
    if compares_groups(intent):
        formats[GROWTH] = PER_CENT
    if _spread_fractions(table, intent, catalogue):
        texts = {
            *formats,
            *(d.label for d in intent.dimensions),
            *(m.label for m in intent.measures),
        }
        formats |= {name: PER_CENT for name in amounts(table, intent) if name not in texts}
    return {name: formats[name] for name in table.rows.column_names if name in formats}


def _spread_fractions(table: EvidenceTable, intent: Intent, catalogue: Catalogue | None) -> bool:
    """Whether a pivot spread shares or growth over columns that are named after something else."""
    if intent.cohort is not None:
        return bool(intent.derived)
    only = intent.measures[0].label if len(intent.measures) == 1 and not intent.derived else ""
    if intent.series == 1 and only in parts_of_one(intent, catalogue) and not table.has(only):
        return True
    spread = intent.series == 1 and len(intent.derived) == 1
    first = intent.derived[0] if spread else None
    return first is not None and first.calculation in _FRACTIONS and not table.has(first.label)


def amounts(
    table: EvidenceTable, intent: Intent | None = None, columns: Sequence[ResultColumn] = ()
) -> list[str]:
    """The columns of numbers that are measured, not names of things.

    What a pivot spread is called after values, which may look like a name of numbers: "No".
    """
    if intent is None and columns:
        numbers = ("measure", "share")
        return [one.name for one in true_of(table, columns) if one.role in numbers]
    split = intent.dimensions if intent is not None and intent.series is not None else ()
    spread = bool(split) and not all(table.has(d.label) for d in split)
    return [
        field.name
        for field in table.rows.schema
        if is_amount(field.type)
        and (
            not is_name(field.name)
            or (spread and field.name not in [dimension.label for dimension in split])
        )
    ]
