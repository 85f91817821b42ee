"""What a causal answer says of calls that gave nothing."""

from __future__ import annotations

import pyarrow as pa

from services.planner.causal.caveats import caveats_of
from services.planner.domain.causal.agent import Seen
from services.planner.domain.causal.results import TreatmentEffectResult
from services.planner.domain.reporting.evidence import EvidenceTable
from tests.unit.causal.frames_of_study import NOW, begun


def test_one_reason_is_told_once_with_all_that_it_kept_from_being_made() -> None:
    why = "spend is not numeric."
    failed = {
        "naive": why,
        "effect_aipw": why,
        "effect_causal_forest": why,
        "calibrated": why,
        "discover_pc": "no time is left.",
        "r0_test_rosenbaum": "too few.",
        "r1_test_rosenbaum": "too few.",
    }

    assert caveats_of(Seen(failed=failed), begun()) == [
        "Effects planted on these data, AIPW, causal forest, the plain comparison: "
        "spend is not numeric.",
        "Discover pc: no time is left.",
        "Rosenbaum's bounds: too few.",
    ]


def effect(method: str) -> TreatmentEffectResult:
    return TreatmentEffectResult(
        method=method,
        estimand="ATE",
        estimate=2.0,
        std_error=0.1,
        ci_lower=1.8,
        ci_upper=2.2,
        treatment_variable="promo",
        outcome_variable="spend",
        details={"status": "ok"},
    )


def run_again(*methods: str) -> Seen:
    """A notebook that found the estimates of these methods."""
    rows = [
        {"name": f"{method} ATE, {part}", "expected": 2.0, "seen": 2.0, "same": True}
        for method in methods
        for part in ("estimate", "lower end", "upper end")
    ]
    return Seen(
        tables={"notebook": EvidenceTable("notebook", "c", "d", pa.Table.from_pylist(rows))}
    )


def test_what_the_notebook_did_not_compute_again_is_told_in_the_answer() -> None:
    state = begun().changed(NOW, treatment_effects=(effect("OLS"), effect("AIPW"), effect("DML")))

    assert caveats_of(run_again("OLS", "AIPW", "DML"), state) == []
    assert caveats_of(run_again("OLS", "AIPW"), state) == [
        "The notebook tells DML ATE as recorded and does not compute it again."
    ]
    assert caveats_of(run_again("OLS"), state) == [
        "The notebook tells AIPW ATE, DML ATE as recorded and does not compute them again."
    ]
    assert caveats_of(Seen(), state) == [], "there is no notebook"
