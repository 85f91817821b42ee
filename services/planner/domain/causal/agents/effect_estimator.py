"""effect_estimator: every method that the study allows, each held to what it rests on."""

from __future__ import annotations

from typing import Any

from services.planner.domain.causal.agent import Brief, Seen
from services.planner.domain.causal.beside import beside_calls, beside_effects, pairs_beside
from services.planner.domain.causal.contrasts import contrast_of
from services.planner.domain.causal.effects import (
    CALIBRATED,
    CALIBRATED_DESIGN,
    DESIGNS,
    calibration_of,
    effects_of,
    estimate_call,
    spoken_for,
)
from services.planner.domain.causal.graph import CausalPair
from services.planner.domain.causal.groups import describe_groups as told_of_groups
from services.planner.domain.causal.groups import judged, left_out
from services.planner.domain.causal.methods import NAIVE, methods_for
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.status import JobStatus
from services.planner.domain.causal.study import study_of
from services.planner.domain.causal.tasks import call, data_task
from services.planner.domain.plan import Subtask

_SHARE_OF_TIME = 0.05
_REPETITIONS = 25


class EffectEstimator:
    """Runs the methods side by side, and plants known effects to see how each fares here."""

    name = "effect_estimator"
    status = JobStatus.ESTIMATING_EFFECTS

    def calls(self, state: AnalysisState, seen: Seen, brief: Brief) -> tuple[Subtask, ...]:
        """A call for each method, and the calibration of those that it serves."""
        chosen = methods_for(state, brief)
        asked = [
            estimate_call(state, brief, method.task, method.arguments)
            for method in chosen
            if not seen.ended(method.task)
        ]
        asked += [task for task in beside_calls(state, brief) if not seen.ended(task.task_id)]
        planted = [m.arguments["method"] for m in chosen if m.calibrated]
        if planted and not seen.ended(CALIBRATED):
            arguments = {
                **study_of(state, brief),
                "methods": planted,
                "repetitions": _REPETITIONS,
                "seconds": round(brief.seconds * _SHARE_OF_TIME, 1),
            }
            what = "known effects planted on these data, and how each method finds them"
            data = data_task(state)
            asked.append(call(CALIBRATED, what, "calibrate", arguments, data, seconds=10.0))
        # Of several designs the first in the field's standing speaks, and is the one that is tried.
        design = next((m.arguments for m in chosen if m.arguments["method"] in DESIGNS), None)
        if design is not None and not seen.ended(CALIBRATED_DESIGN):
            given = {name: value for name, value in design.items() if name != "method"}
            arguments = {
                **study_of(state, brief),
                **given,
                "methods": [design["method"]],
                "repetitions": _REPETITIONS,
                "seconds": round(brief.seconds * _SHARE_OF_TIME, 1),
            }
            what = f"known effects planted in the design of {design['method']} on these data"
            data = data_task(state)
            asked.append(call(CALIBRATED_DESIGN, what, "calibrate", arguments, data, seconds=10.0))
        return tuple(asked)

    def writes(self, state: AnalysisState, seen: Seen, brief: Brief) -> tuple[dict[str, Any], str]:
        """All estimates, rejected ones among them with the reason, and the pair they are of."""
        tasks = [method.task for method in methods_for(state, brief)]
        contrast = contrast_of(state, brief)
        label = contrast.label if contrast is not None else ""
        effects = [
            effect.model_copy(update={"details": {**effect.details, "contrast": label}})
            for effect in judged(effects_of(state, seen, tasks))
        ]
        treatment, outcome = state.get_primary_pair()
        pair = CausalPair(
            treatment=str(treatment), outcome=str(outcome), rationale=_rationale(state, brief)
        )
        accepted = [
            e
            for e in effects
            if e.accepted and e.details.get("task") != NAIVE and not e.details["group"]
        ]
        rejected = [
            f"{e.method}{' of ' + e.details['group'] if e.details['group'] else ''}: "
            f"{e.details['reason']}"
            for e in effects
            if not e.accepted
        ]
        failed = [f"{task}: {seen.failed[task]}" for task in tasks if task in seen.failed]
        text = f"{len(accepted)} estimates stand"
        text += f"; rejected: {'; '.join(rejected)}" if rejected else ""
        text += f"; could not be made: {'; '.join(failed)}" if failed else ""
        groups = [
            told_of_groups(effects),
            *(
                f"the effect is not told by {name}: it comes after the treatment {why}"
                for name, why in left_out(state, brief).items()
            ),
        ]
        text += "".join(f"; {sentence}" for sentence in groups if sentence)
        judged_one = spoken_for(effects, calibration_of(seen)) if contrast is not None else None
        others = beside_effects(state, seen, brief, judged_one)
        text += f"; {len(others)} further estimates beside" if others else ""
        writes = {
            "treatment_effects": [effect.model_dump() for effect in (*effects, *others)],
            "analyzed_pairs": [p.model_dump() for p in (pair, *pairs_beside(brief))],
        }
        return writes, text


def _rationale(state: AnalysisState, brief: Brief) -> str:
    profile = state.data_profile
    treatment, _ = state.get_primary_pair()
    if profile is not None and treatment in profile.treatment_candidates:
        return "named, and the profile bears it out"
    return "as asked"
