"""Tables of a causal report whose every number is a claim on a cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from services.planner.domain.analysis.evidence import EvidenceTable
from services.planner.domain.analysis.reporting.story import Speaker
from services.planner.domain.causal.effects import CALIBRATED
from services.planner.domain.causal.report import Cells
from services.planner.domain.causal.results import TreatmentEffectResult


def estimate_cells(
    effects: Sequence[TreatmentEffectResult],
    chosen: TreatmentEffectResult | None,
    tables: Mapping[str, EvidenceTable],
    speaker: Speaker,
) -> list[Cells]:
    """A row an estimate: method, estimand, of which rows, the three numbers, and how it stands."""
    found: list[Cells] = []
    for effect in effects:
        table, row = tables[str(effect.details["task"])], int(effect.details["row"])
        numbers = [
            speaker.number(table, row, name).text for name in ("estimate", "ci_lower", "ci_upper")
        ]
        found.append(
            (
                "plain comparison" if effect.method == "naive" else effect.method,
                effect.estimand,
                str(effect.details.get("group") or effect.details.get("variant") or "all rows"),
                *numbers,
                _standing(effect, chosen),
            )
        )
    return found


def calibration_cells(tables: Mapping[str, EvidenceTable], speaker: Speaker) -> list[Cells]:
    """A row a method and planting: bias, error, share of intervals that hold the truth, trials."""
    table = tables.get(CALIBRATED)
    if table is None:
        return []
    found: list[Cells] = []
    for row in range(table.rows.num_rows):
        if any(table.value(row, name) is None for name in ("bias", "rmse", "coverage")):
            continue
        kind = str(table.value(row, "kind")) if table.has("kind") else ""
        found.append(
            (
                str(table.value(row, "method")),
                {"constant": "the same for all", "heterogeneous": "different"}.get(kind, kind),
                speaker.number(table, row, "bias").text,
                speaker.number(table, row, "rmse").text,
                speaker.number(table, row, "coverage", percent=True).text,
                speaker.number(table, row, "repetitions").text,
            )
        )
    return found


def _standing(effect: TreatmentEffectResult, chosen: TreatmentEffectResult | None) -> str:
    if chosen is not None and effect == chosen:
        return "speaks for the study"
    return "" if effect.accepted else f"rejected: {effect.details.get('reason', '')}"
