"""A changed call for one that failed: by rule, with the reason, or not at all.

One rule for each of seed 000's error categories. A change is kept only if its arguments differ
from those that failed and its statement can be parsed; a step is never tried again unchanged.
"""

from __future__ import annotations

from collections.abc import Callable

from services.planner.domain.analysis.planning import Repair, RepairInput
from services.planner.domain.analysis.repairing.columns import repair_missing
from services.planner.domain.analysis.repairing.limits import repair_exhausted
from services.planner.domain.analysis.repairing.syntax import repair_syntax
from services.planner.domain.analysis.repairing.types import repair_mismatch
from services.planner.domain.calls import ToolCall
from services.planner.domain.statements.parsing import same_statement, statement

_RULES: dict[str, Callable[[RepairInput], Repair | None]] = {
    "missing_column": repair_missing,
    "type_mismatch": repair_mismatch,
    "sql_syntax": repair_syntax,
    "resource_exhausted": repair_exhausted,
}


def repair(given: RepairInput) -> Repair | None:
    """A changed call that could work, or None when no rule knows one."""
    rule = _RULES.get(given.observation.error_category or "")
    found = rule(given) if rule is not None else None
    return found if found is not None and _is_new(found, given.call) else None


def _is_new(found: Repair, failed: ToolCall) -> bool:
    if found.arguments == failed.arguments:
        return False
    query, before = found.arguments.get("query"), failed.arguments.get("query")
    if not isinstance(query, str) or not isinstance(before, str):
        return True
    if statement(query) is None:
        return False
    others = {name: value for name, value in found.arguments.items() if name != "query"}
    failed_others = {name: value for name, value in failed.arguments.items() if name != "query"}
    return others != failed_others or not same_statement(query, before)
