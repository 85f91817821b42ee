"""Tables of a causal report whose every number is a claim on a cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from services.planner.domain.causal.effects import CALIBRATED, CALIBRATED_DESIGN
from services.planner.domain.causal.groups import ALPHA
from services.planner.domain.causal.report import Cells
from services.planner.domain.causal.results import TreatmentEffectResult
from services.planner.domain.reporting.evidence import EvidenceTable
from services.planner.domain.reporting.story import Speaker


def estimate_cells(
    effects: Sequence[TreatmentEffectResult],
    chosen: TreatmentEffectResult | None,
    tables: Mapping[str, EvidenceTable],
    speaker: Speaker,
) -> list[Cells]:
    """A row an estimate: method, estimand, of which rows, the three numbers, and how it stands."""
    found: list[Cells] = []
    for effect in effects:
        if effect.details.get("group") or effect.details.get("beside"):
            continue  # they have a table of their own
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


def group_cells(
    effects: Sequence[TreatmentEffectResult],
    tables: Mapping[str, EvidenceTable],
    speaker: Speaker,
) -> list[Cells]:
    """A row a group: the three numbers, its rows, and whether it differs from the other rows."""
    found: list[Cells] = []
    for effect in (e for e in effects if e.details.get("group")):
        table, row = tables[str(effect.details["task"])], int(effect.details["row"])
        names = ("estimate", "ci_lower", "ci_upper", "rows")
        numbers = [speaker.number(table, row, name).text for name in names]
        found.append((str(effect.details["group"]), *numbers, _beside(effect)))
    return found


def beside_cells(
    effects: Sequence[TreatmentEffectResult],
    tables: Mapping[str, EvidenceTable],
    speaker: Speaker,
) -> list[Cells]:
    """A row for each estimate beside the judged one: of what, the three numbers, how it stands."""
    found: list[Cells] = []
    for effect in (e for e in effects if e.details.get("beside")):
        table, row = tables[str(effect.details["task"])], int(effect.details["row"])
        names = ("estimate", "ci_lower", "ci_upper")
        numbers = [speaker.number(table, row, name).text for name in names]
        contrast = effect.details.get("contrast")
        treatment = (
            f"{effect.treatment_variable} ({contrast})"
            if contrast
            else (str(effect.treatment_variable))
        )
        found.append(
            (f"{treatment} on {effect.outcome_variable}", effect.method, *numbers, _of_many(effect))
        )
    return found


def _of_many(effect: TreatmentEffectResult) -> str:
    if not effect.accepted:
        return f"rejected: {effect.details.get('reason', '')}"
    chance = effect.details.get("p_corrected_beside")
    if chance is None:
        return ""
    seen = "seen" if chance <= ALPHA else "not told from chance"
    return f"{seen}, corrected for {effect.details['compared']}"


def _beside(effect: TreatmentEffectResult) -> str:
    if not effect.accepted:
        return f"rejected: {effect.details.get('reason', '')}"
    if "p_corrected" not in effect.details:
        return "not compared"
    return "stands out" if effect.details["stands_out"] else "as the others"


def calibration_cells(tables: Mapping[str, EvidenceTable], speaker: Speaker) -> list[Cells]:
    """A row a method and planting: bias, error, share of intervals that hold the truth, trials."""
    found: list[Cells] = []
    for task in (CALIBRATED, CALIBRATED_DESIGN):
        if (table := tables.get(task)) is not None:
            found += _calibrated_in(table, speaker)
    return found


def _calibrated_in(table: EvidenceTable, speaker: Speaker) -> list[Cells]:
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
