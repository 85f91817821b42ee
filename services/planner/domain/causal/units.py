"""Which rows belong together: several of one student, firm or shop are no independent rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from services.planner.domain.causal.agent import Row
from services.planner.domain.causal.knowledge import Knowledge
from services.planner.domain.causal.state import AnalysisState


def found_units(
    rows: Sequence[Row], known: Knowledge, pair: Sequence[str | None]
) -> dict[str, Any]:
    """The column whose units errors count, with how it is known; empty where there is none.

    As people say; else of the columns that seem to name units by the profile, the coarsest whose
    units are treated as a whole, for there chance assigns them (Abadie et al. 2023); where none is
    treated so, the finest.
    """
    if known.unit:
        return {"column": known.unit, "why": "as was said", "adjustable": False}
    named = [row for row in rows if row.get("units") and row["column"] not in pair]
    whole = [row for row in named if row["treated_as_a_whole"]]
    if not named:
        return {}
    place = min(whole, key=_size) if whole else max(named, key=_size)
    number = place["type"] == "numeric"
    return {
        "column": place["column"],
        "why": f"its values repeat as those of {place['units']:,} units do",
        "adjustable": bool(place["usable"]) and not number and not place["treated_as_a_whole"],
    }


def _size(row: Row) -> tuple[int, str]:
    return int(row["units"]), str(row["column"])


def unit_of(state: AnalysisState) -> str | None:
    """The column whose units errors count; None where every row stands for itself."""
    found = (state.domain_knowledge or {}).get("units") or {}
    return found.get("column")


def no_covariates(state: AnalysisState) -> set[str]:
    """The column of units, where its numbers mean nothing or its values tell the treatment."""
    found = (state.domain_knowledge or {}).get("units") or {}
    return {found["column"]} if found and not found["adjustable"] else set()
