"""Estimates: how they are asked for, what their frames say, which of them speaks for the study."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from services.planner.domain.causal.agent import Brief, Row, Seen
from services.planner.domain.causal.methods import NAIVE
from services.planner.domain.causal.results import TreatmentEffectResult
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.study import study_of
from services.planner.domain.causal.tasks import call, data_task
from services.planner.domain.plan import Subtask

CALIBRATED = "calibrated"
CALIBRATED_DESIGN = "calibrated_design"
PREFIX_BESIDE = "beside_"
AMPLIFIED = "react_amplified"
"""The task that estimates without what may be an instrument."""
LEAST_COVERAGE = 0.85
"""Share of planted effects that a method's 95 % intervals must hold on these data to speak for
them: what 25 repetitions can tell from 95 %."""
_PREFERRED = (
    "DiD",
    "RDD",
    "IV",
    "AIPW",
    "DML",
    "OLS",
    "IPW",
    "PSM",
    "stratification",
    "causal_forest",
)
DESIGNS = ("DiD", "RDD", "IV")
_NONE: Mapping[str, str] = MappingProxyType({})
_FACTS = ("estimate", "std_error", "ci_lower", "ci_upper")


def estimate_call(
    state: AnalysisState, brief: Brief, task: str, arguments: dict[str, Any]
) -> Subtask:
    """A call of `causal.estimate` under this study."""
    data = data_task(state)
    what = f"the effect by {arguments['method']}"
    if task == NAIVE:
        what = "the plain comparison, adjusted for nothing"
    given = {**study_of(state, brief), **arguments}
    return call(task, what, "estimate", given, data, seconds=5.0)


def effects_of(
    state: AnalysisState, seen: Seen, tasks: Iterable[str], variants: Mapping[str, str] = _NONE
) -> list[TreatmentEffectResult]:
    """What calls of `causal.estimate` gave, rejected estimates with their reason among them.

    `variants` are tasks that adjust for another set, with why: they test the study's estimate and
    never speak for it.
    """
    treatment, outcome = state.get_primary_pair()
    found = []
    for task in tasks:
        rows = seen.rows(task)
        for place, row in enumerate(rows[:1] if task == NAIVE else rows):
            if any(row[name] is None or not math.isfinite(row[name]) for name in _FACTS):
                continue
            variant = variants.get(task, "")
            found.append(_effect(row, task, place, treatment, outcome, variant))
    return found


def _effect(
    row: Row,
    task: str,
    place: int,
    treatment: str | None,
    outcome: str | None,
    variant: str,
) -> TreatmentEffectResult:
    tested = json.loads(row["assumptions"] or "[]")
    return TreatmentEffectResult(
        method="naive" if task == NAIVE else row["method"],
        estimand=row["estimand"],
        **{name: float(row[name]) for name in _FACTS},
        p_value=row["p_value"],
        assumptions_tested=tuple(_describe_test(one) for one in tested),
        details={
            **json.loads(row["details"] or "{}"),
            "task": task,
            "row": place,
            "group": row["group"] or "",
            "rows": row["rows"],
            "status": row["status"],
            "reason": row["reason"] or "",
            "variant": variant,
        },
        treatment_variable=treatment,
        outcome_variable=outcome,
    )


def _describe_test(tested: Any) -> str:
    if not isinstance(tested, dict):
        return str(tested)
    passed = tested.get("passed")
    verdict = "told" if passed is None else "held" if passed else "failed"
    return f"{tested.get('name', '')} ({verdict}): {tested.get('text', '')}".strip()


def whole(effects: Sequence[TreatmentEffectResult]) -> list[TreatmentEffectResult]:
    """Accepted estimates of all rows, without the plain comparison, groups and variants."""
    return [
        effect
        for effect in effects
        if effect.accepted
        and effect.method != "naive"
        and not effect.details.get("group")
        and not effect.details.get("variant")
        and not effect.details.get("beside")
    ]


def variants(effects: Sequence[TreatmentEffectResult]) -> list[TreatmentEffectResult]:
    """Accepted estimates that adjust for another set than the study."""
    return [e for e in effects if e.accepted and e.details.get("variant")]


def declined_in(seen: Seen) -> list[str]:
    """Why calls of `causal.estimate` gave no estimate, each reason once."""
    asked = [task for task in (*seen.tables, *seen.failed) if task == NAIVE or "effect_" in task]
    rejected = [
        str(row["reason"])
        for task in asked
        for row in seen.rows(task)
        if row.get("status") == "rejected" and row["reason"]
    ]
    return list(dict.fromkeys([*rejected, *(seen.failed[t] for t in asked if t in seen.failed)]))


def calibration_of(seen: Seen) -> dict[str, Row]:
    """How each method fared on planted effects, by method: on those on which it fared worst."""
    found: dict[str, Row] = {}
    for row in (*seen.rows(CALIBRATED), *seen.rows(CALIBRATED_DESIGN)):
        known = found.get(str(row["method"]))
        if known is None or (row["coverage"] or 0.0) < (known["coverage"] or 0.0):
            found[str(row["method"])] = row
    return found


def spoken_for(
    effects: Sequence[TreatmentEffectResult], calibration: dict[str, Row]
) -> TreatmentEffectResult | None:
    """The estimate that speaks for the study; None where none stands.

    Of those whose intervals hold planted effects as they claim, the one with the smallest error on
    them; methods that were not tried on planted effects, or that declined most of them, come by
    their standing in the field. It is one method's own estimate and no mean over methods, so that
    its interval means what it says.
    """
    candidates = whole(effects)
    if not candidates:
        return None

    def standing(effect: TreatmentEffectResult) -> tuple[Any, ...]:
        seen = calibration.get(effect.method)
        if seen is not None and 2 * (seen.get("failed") or 0) > seen.get("repetitions", 0):
            seen = None  # the few that it took say little of the many that it did not
        covers = seen is None or (seen["coverage"] or 0.0) >= LEAST_COVERAGE
        design = effect.method in DESIGNS
        error = seen["rmse"] if seen is not None and seen["rmse"] is not None else math.inf
        return (
            not design,
            not covers,
            error,
            _PREFERRED.index(effect.method) if effect.method in _PREFERRED else len(_PREFERRED),
        )

    return min(candidates, key=standing)


def disagreeing(
    chosen: TreatmentEffectResult, effects: Sequence[TreatmentEffectResult]
) -> list[TreatmentEffectResult]:
    """Accepted estimates of the same estimand that lie beyond what uncertainty allows."""
    others = [*whole(effects), *variants(effects)]
    return [
        effect
        for effect in others
        if effect is not chosen
        and effect.estimand == chosen.estimand
        and not _agree(chosen, effect)
    ]


def _agree(chosen: TreatmentEffectResult, other: TreatmentEffectResult) -> bool:
    same = other.method == chosen.method
    if same and str(other.details.get("task", "")).endswith(AMPLIFIED):
        return chosen.agrees_without(other)
    return other.agrees_with(chosen)
