"""What groups are compared by: the covariates named, or all that can be."""

from __future__ import annotations

from collections.abc import Mapping

from mesh.tool import ErrorCategory, ToolError
from services.executor.causal.checking.arguments import OverlapArguments
from services.executor.causal.profiling.columns import Column
from services.executor.causal.profiling.words import hints_at_after


def chosen(
    columns: Mapping[str, Column], arguments: OverlapArguments, notes: list[str]
) -> list[Column]:
    """Those named, else all that can be; what cannot be used or comes after is left out aloud.
    Sorted by name, so that what is fitted does not depend on the order of columns."""
    own = {arguments.treatment, arguments.outcome}
    named = [name for name in arguments.adjustment if name not in own]
    kept = named or [name for name in columns if name not in own and columns[name].usable]
    late = [name for name in kept if hints_at_after(name)]
    if late:
        listed = ", ".join(f'"{name}"' for name in late)
        if named:
            notes.append(f"{listed} may come after the treatment; adjusting for it would mislead.")
        else:
            notes.append(f"Left out, since names say they come after the treatment: {listed}.")
            kept = [name for name in kept if name not in late]
    bad = [name for name in kept if columns[name].why_not in ("constant", "all missing")]
    bad += [n for n in kept if columns[n].why_not in ("identifier", "free text")]
    for name in bad:
        notes.append(f'"{name}" is left out: {columns[name].why_not}.')
    folded = [n for n in kept if columns[n].why_not.startswith("too many levels")]
    for name in folded:
        notes.append(f'Rare levels of "{name}" are taken together: {columns[name].why_not}.')
    return [columns[name] for name in sorted(set(kept)) if name not in bad]


def refused(message: str, hint: str) -> ToolError:
    """What is raised where groups cannot be compared."""
    return ToolError(
        ErrorCategory.INVALID_ARGUMENTS, message, hint=hint, details={"reason": "NO_GROUPS"}
    )
