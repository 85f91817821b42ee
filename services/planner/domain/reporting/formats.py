"""How columns of an answer read, where their values alone do not say it."""

from __future__ import annotations

from services.planner.domain.evidence import EvidenceTable
from services.planner.domain.language.intent import Calculation, Intent
from services.planner.domain.language.parsing.compared_periods import compares_groups
from services.planner.domain.language.planning.compared_plan import GROWTH
from services.planner.domain.reporting.shape import is_amount, is_name

PER_CENT = "percent"
_FRACTIONS = (Calculation.SHARE, Calculation.GROWTH)


def formats_of(table: EvidenceTable, intent: Intent | None) -> dict[str, str]:
    """By column: "percent", where one means all of it; or the grain of its times ("month")."""
    if intent is None:
        return {}
    formats = {d.label: d.grain.value for d in intent.dimensions if d.grain is not None}
    formats |= {d.label: PER_CENT for d in intent.derived if d.calculation in _FRACTIONS}
    if compares_groups(intent):
        formats[GROWTH] = PER_CENT
    if intent.cohort is not None and intent.derived:  # a pivot spread its shares over columns
        said = {
            *formats,
            *(d.label for d in intent.dimensions),
            *(m.label for m in intent.measures),
        }
        formats |= {name: PER_CENT for name in amounts(table) if name not in said}
    return {name: formats[name] for name in table.rows.column_names if name in formats}


def amounts(table: EvidenceTable) -> list[str]:
    """The columns of numbers that are measured, not names of things."""
    return [
        field.name
        for field in table.rows.schema
        if is_amount(field.type) and not is_name(field.name)
    ]
