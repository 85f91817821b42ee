"""The state that all agents of a causal job share (seed 001): frozen, changed by patches alone.

It is no second truth: it is folded from the job's recorded decisions, so that whoever takes a job
up after a crash has the same.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from services.planner.domain.catalogue import Frozen
from services.planner.domain.causal.data_models import DataProfile, DatasetInfo, EDAResult
from services.planner.domain.causal.graph import CausalDAG, CausalPair
from services.planner.domain.causal.results import (
    CritiqueDecision,
    CritiqueFeedback,
    SensitivityResult,
    TreatmentEffectResult,
)
from services.planner.domain.causal.status import PROGRESS, JobStatus
from services.planner.domain.causal.traces import AgentTrace, added

MAX_ITERATIONS = 3


class AnalysisState(Frozen):
    """Everything so far. Every method that changes anything gives another state, and moves
    `updated_at`; `progress_percentage` is 0 to 100 and never goes back."""

    job_id: str
    dataset_info: DatasetInfo
    status: JobStatus = JobStatus.PENDING
    treatment_variable: str | None = None
    outcome_variable: str | None = None
    raw_metadata: dict[str, Any] | None = None
    domain_knowledge: dict[str, Any] | None = None
    data_profile: DataProfile | None = None
    dataframe_path: str | None = None
    eda_result: EDAResult | None = None
    proposed_dag: CausalDAG | None = None
    treatment_effects: tuple[TreatmentEffectResult, ...] = ()
    analyzed_pairs: tuple[CausalPair, ...] = ()
    sensitivity_results: tuple[SensitivityResult, ...] = ()
    confounder_discovery: dict[str, Any] | None = None
    ps_diagnostics: dict[str, Any] | None = None
    data_repairs: tuple[dict[str, Any], ...] = ()
    debate_history: tuple[dict[str, Any], ...] = ()
    critique_history: tuple[CritiqueFeedback, ...] = ()
    iteration_count: int = 0
    max_iterations: int = Field(default=MAX_ITERATIONS, ge=0)
    notebook_path: str | None = None
    recommendations: tuple[str, ...] = ()
    agent_traces: tuple[AgentTrace, ...] = ()
    error_message: str | None = None
    error_agent: str | None = None
    created_at: datetime
    updated_at: datetime
    completed_at: datetime | None = None
    progress_percentage: float = Field(default=0.0, ge=0, le=100)

    @classmethod
    def created(
        cls, job_id: str, dataset: DatasetInfo, now: datetime, **known: Any
    ) -> AnalysisState:
        """The state that a job begins with."""
        return cls(job_id=job_id, dataset_info=dataset, created_at=now, updated_at=now, **known)

    def changed(self, now: datetime, **values: Any) -> AnalysisState:
        """The state with other values, checked like new ones. Raises ValidationError."""
        return type(self).model_validate({**dict(self), **values, "updated_at": now})

    def add_trace(self, trace: AgentTrace) -> AnalysisState:
        """With one more trace, shortened, older ones summed up where they are many."""
        return self.changed(trace.timestamp, agent_traces=added(self.agent_traces, trace))

    def moved(self, status: JobStatus, now: datetime) -> AnalysisState:
        """In another status. Raises ValueError for a move that seed 001 does not draw."""
        reached = max(self.progress_percentage, PROGRESS.get(status, 0.0))
        return self.changed(now, status=self.status.to(status), progress_percentage=reached)

    def should_iterate(self) -> bool:
        """Whether the newest critique asks for another round and there may be one."""
        newest = self.newest_critique
        asked = newest is not None and newest.decision is CritiqueDecision.ITERATE
        return asked and self.iteration_count < self.max_iterations

    def is_approved(self) -> bool:
        """Whether the newest critique approves."""
        newest = self.newest_critique
        return newest is not None and newest.decision is CritiqueDecision.APPROVE

    @property
    def newest_critique(self) -> CritiqueFeedback | None:
        """The last critique; None before the first."""
        return self.critique_history[-1] if self.critique_history else None

    def get_primary_pair(self) -> tuple[str | None, str | None]:
        """The treatment and outcome that everybody means: as asked for, else the first pair that
        was analysed, else the first effect's."""
        if self.treatment_variable and self.outcome_variable:
            return self.treatment_variable, self.outcome_variable
        if self.analyzed_pairs:
            return self.analyzed_pairs[0].treatment, self.analyzed_pairs[0].outcome
        if self.treatment_effects:
            first = self.treatment_effects[0]
            return first.treatment_variable, first.outcome_variable
        return None, None

    def get_effects_for_pair(
        self, treatment: str | None, outcome: str | None
    ) -> list[TreatmentEffectResult]:
        """The effects of one treatment on one outcome."""
        return [
            effect
            for effect in self.treatment_effects
            if (effect.treatment_variable, effect.outcome_variable) == (treatment, outcome)
        ]

    def get_all_pairs(self) -> list[tuple[str, str]]:
        """All pairs, each once: those analysed, else those that effects are of."""
        pairs = [(pair.treatment, pair.outcome) for pair in self.analyzed_pairs]
        if not pairs:
            pairs = [
                (effect.treatment_variable, effect.outcome_variable)
                for effect in self.treatment_effects
                if effect.treatment_variable and effect.outcome_variable
            ]
        return list(dict.fromkeys(pairs))

    def mark_failed(self, error: str, agent: str, now: datetime) -> AnalysisState:
        """Failed, with what went wrong and in whose hands."""
        status = self.status.to(JobStatus.FAILED)
        return self.changed(now, status=status, error_message=error, error_agent=agent)

    def mark_completed(self, now: datetime) -> AnalysisState:
        """Completed, at this time."""
        return self.moved(JobStatus.COMPLETED, now).changed(now, completed_at=now)

    def mark_cancelling(self, now: datetime) -> AnalysisState:
        """About to stop."""
        return self.moved(JobStatus.CANCELLING, now)

    def mark_cancelled(self, now: datetime, reason: str = "Cancelled by user") -> AnalysisState:
        """Stopped, and why; from wherever it was. Raises ValueError where it had ended."""
        if self.status.final and self.status is not JobStatus.CANCELLED:
            raise ValueError(f"a causal job that is {self.status} cannot be cancelled")
        return self.changed(now, status=JobStatus.CANCELLED, error_message=reason)
