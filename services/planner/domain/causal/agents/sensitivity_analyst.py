"""sensitivity_analyst: how strong what was not seen would have to be, and tests that must fail."""

from __future__ import annotations

import json
import math
from typing import Any

from services.planner.domain.causal.agent import Brief, Seen
from services.planner.domain.causal.agents.domain_knowledge import known_of
from services.planner.domain.causal.effects import calibration_of, spoken_for
from services.planner.domain.causal.results import SensitivityResult, TreatmentEffectResult
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.status import JobStatus
from services.planner.domain.causal.study import is_binary, study_of
from services.planner.domain.causal.tasks import call, data_task, in_round
from services.planner.domain.causal.units import unit_of
from services.planner.domain.plan import Subtask

_REFUTERS = ("placebo_treatment", "random_common_cause", "subset")
_STRENGTHS = ("e_value", "omitted_variable")
_OF_ADJUSTMENT = frozenset({"OLS", "IPW", "AIPW", "PSM", "stratification", "DML", "causal_forest"})


NOTHING_TO_EXPLAIN = (
    "No effect is seen that something unseen would have to explain; it could hide one, up to the "
    "ends of the interval and beyond."
)


class SensitivityAnalyst:
    """Tests the estimate that speaks for the study, all tests side by side."""

    name = "sensitivity_analyst"
    status = JobStatus.SENSITIVITY_ANALYSIS

    def calls(self, state: AnalysisState, seen: Seen, brief: Brief) -> tuple[Subtask, ...]:
        """A call for each test that applies; none where no estimate stands."""
        chosen = self._chosen(state, seen)
        if chosen is None:
            return ()
        data = data_task(state)
        return tuple(
            call(
                task,
                f"the estimate under {name.replace('_', ' ')}",
                "sensitivity",
                self._arguments(name, chosen, state, brief),
                data,
                seconds=5.0,
            )
            for name in _tests(chosen, state, brief)
            if not seen.ended(task := in_round(state, f"test_{name}"))
        )

    def writes(self, state: AnalysisState, seen: Seen, brief: Brief) -> tuple[dict[str, Any], str]:
        """What every test came to."""
        found = []
        for task in seen.tasks(in_round(state, "test_")):
            for row in seen.rows(task):
                value = row["robustness_value"]
                if value is None or not math.isfinite(value):
                    continue
                details = {
                    **json.loads(row["details"] or "{}"),
                    "passes": row["passes"],
                    "task": task,
                    "round": state.iteration_count,
                }
                found.append(
                    SensitivityResult(
                        method=row["method"],
                        robustness_value=float(value),
                        interpretation=row["interpretation"],
                        details=details,
                    )
                )
        text = " ".join(result.interpretation for result in found)
        chosen = self._chosen(state, seen)
        if chosen is not None and sees_nothing(chosen):
            text = f"{text} {NOTHING_TO_EXPLAIN}".strip()
        writes = {"sensitivity_results": [result.model_dump() for result in found]}
        return writes, text or "no estimate stands that could be tested"

    def _chosen(self, state: AnalysisState, seen: Seen) -> TreatmentEffectResult | None:
        effects = state.get_effects_for_pair(*state.get_primary_pair())
        return spoken_for(effects, calibration_of(seen))

    def _arguments(
        self, name: str, chosen: TreatmentEffectResult, state: AnalysisState, brief: Brief
    ) -> dict[str, Any]:
        known = known_of(state, brief)
        arguments: dict[str, Any] = {
            **study_of(state, brief),
            "method": name,
            "estimator": chosen.method,
            "estimate": chosen.estimate,
            "std_error": chosen.std_error,
        }
        if name == "negative_control":
            arguments["negative_outcome"] = known.negative_outcomes[0]
        return arguments


def sees_nothing(effect: TreatmentEffectResult) -> bool:
    """Whether an estimate's interval holds no effect."""
    return effect.ci_lower <= 0 <= effect.ci_upper


def _tests(chosen: TreatmentEffectResult, state: AnalysisState, brief: Brief) -> list[str]:
    """The tests that apply to an estimate: what rests on adjustment is tested for what was left
    out; designs have tests of their own, which their estimates carry. How strong something unseen
    must be to explain an effect away is asked where an effect is seen."""
    if chosen.method not in _OF_ADJUSTMENT:
        return ["e_value"]
    tests = [*_REFUTERS]
    if not sees_nothing(chosen):
        alone = unit_of(state) is None  # Rosenbaum's pairs are of rows that stand for themselves
        tests += [*_STRENGTHS, *(["rosenbaum"] if alone and is_binary(state, brief) else [])]
    if known_of(state, brief).negative_outcomes:
        tests.append("negative_control")
    return tests
