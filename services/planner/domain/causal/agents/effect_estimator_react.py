"""effect_estimator_react: looks at what came out, and chooses what to try next, within a budget.

Thought, action, observation (Yao et al. 2023): each round it names what is in doubt, makes the one
or two calls that would settle it, and reads what they say.
"""

from __future__ import annotations

from typing import Any

from services.planner.domain.causal.agent import Brief, Seen
from services.planner.domain.causal.doubts import Doubt, doubts_of
from services.planner.domain.causal.effects import effects_of, estimate_call
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.status import JobStatus
from services.planner.domain.causal.tasks import in_round
from services.planner.domain.plan import Subtask

BUDGET = 3
"""Calls in one round."""


class EffectEstimatorReAct:
    """Chooses its next method from what it saw."""

    name = "effect_estimator_react"
    status = JobStatus.ESTIMATING_EFFECTS

    def calls(self, state: AnalysisState, seen: Seen, brief: Brief) -> tuple[Subtask, ...]:
        """The next call, decided after each: none once the budget is spent or nothing is open."""
        made = self._made(state, seen)
        if len(made) >= BUDGET:
            return ()
        for doubt in doubts_of(state, seen, brief):
            task = in_round(state, doubt.task)
            if not seen.ended(task) and not _tried_before(state, seen, doubt):
                return (estimate_call(state, brief, task, doubt.arguments),)
        return ()

    def writes(self, state: AnalysisState, seen: Seen, brief: Brief) -> tuple[dict[str, Any], str]:
        """The further estimates, and what each was to settle."""
        made = self._made(state, seen)
        doubts = doubts_of(state, seen, brief)
        why = {in_round(state, doubt.task): doubt.thought for doubt in doubts}
        other = {in_round(state, d.task): d.thought for d in doubts if "adjustment" in d.arguments}
        effects = effects_of(state, seen, made, other)
        texts = [
            f"{why.get(str(e.details['task']), 'tried')}: {e.method} gives {e.estimate:.4g}"
            for e in effects
            if not e.details["group"]
        ]
        failed = [seen.failed[task] for task in made if task in seen.failed]
        text = "; ".join([*texts, *failed]) or "there is nothing left to try that would settle it"
        return {"treatment_effects": [effect.model_dump() for effect in effects]}, text

    def _made(self, state: AnalysisState, seen: Seen) -> list[str]:
        prefix = in_round(state, "react_")
        return sorted({n for n in (*seen.frames, *seen.failed) if n.startswith(prefix)})


def _tried_before(state: AnalysisState, seen: Seen, doubt: Doubt) -> bool:
    """Whether an earlier round made this call: the same question has the same answer."""
    rounds = range(state.iteration_count)
    return any(seen.ended(f"r{number}_{doubt.task}") for number in rounds)
