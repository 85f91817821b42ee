"""What a causal job hands over: the answer, and the state that it stands on (seed 001)."""

from __future__ import annotations

from typing import Literal

from services.planner.domain.answer import Answered
from services.planner.domain.causal.results import CritiqueDecision, TreatmentEffectResult
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.request import JobKind


class CausalResult(Answered):
    """The answer of a causal job. `verdict` is the last critique's; `effect` is the estimate that
    speaks for the study, and concluded only where the verdict is APPROVE."""

    kind: Literal[JobKind.CAUSAL] = JobKind.CAUSAL
    verdict: CritiqueDecision
    effect: TreatmentEffectResult | None = None
    state: AnalysisState
