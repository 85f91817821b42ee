"""Where a causal job is: the fourteen statuses of seed 001 and the moves that it draws."""

from __future__ import annotations

from enum import StrEnum


class JobStatus(StrEnum):
    """The lifecycle of a causal job; the last of each way is final."""

    PENDING = "pending"
    FETCHING_DATA = "fetching_data"
    PROFILING = "profiling"
    EXPLORATORY_ANALYSIS = "exploratory_analysis"
    DISCOVERING_CAUSAL = "discovering_causal"
    ESTIMATING_EFFECTS = "estimating_effects"
    SENSITIVITY_ANALYSIS = "sensitivity_analysis"
    CRITIQUE_REVIEW = "critique_review"
    ITERATING = "iterating"
    GENERATING_NOTEBOOK = "generating_notebook"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLING = "cancelling"
    CANCELLED = "cancelled"

    @property
    def final(self) -> bool:
        """Whether nothing can follow."""
        return not TRANSITIONS[self]

    def to(self, status: JobStatus) -> JobStatus:
        """The next status, or the same. Raises ValueError for a move that is not drawn."""
        if status is not self and status not in TRANSITIONS[self]:
            raise ValueError(f"a causal job that is {self} cannot become {status}")
        return status


def _moves(*following: JobStatus) -> frozenset[JobStatus]:
    return frozenset(following)


_S = JobStatus
TRANSITIONS: dict[JobStatus, frozenset[JobStatus]] = {
    _S.PENDING: _moves(_S.FETCHING_DATA, _S.CANCELLED),
    _S.FETCHING_DATA: _moves(_S.PROFILING, _S.FAILED, _S.CANCELLING),
    _S.PROFILING: _moves(_S.EXPLORATORY_ANALYSIS, _S.FAILED, _S.CANCELLING),
    _S.EXPLORATORY_ANALYSIS: _moves(_S.DISCOVERING_CAUSAL, _S.FAILED, _S.CANCELLING),
    _S.DISCOVERING_CAUSAL: _moves(_S.ESTIMATING_EFFECTS, _S.FAILED, _S.CANCELLING),
    _S.ESTIMATING_EFFECTS: _moves(_S.SENSITIVITY_ANALYSIS, _S.FAILED, _S.CANCELLING),
    _S.SENSITIVITY_ANALYSIS: _moves(_S.CRITIQUE_REVIEW, _S.FAILED),
    _S.CRITIQUE_REVIEW: _moves(_S.ITERATING, _S.GENERATING_NOTEBOOK, _S.FAILED),
    _S.ITERATING: _moves(_S.ESTIMATING_EFFECTS),
    _S.GENERATING_NOTEBOOK: _moves(_S.COMPLETED, _S.FAILED),
    _S.COMPLETED: _moves(),
    _S.FAILED: _moves(),
    _S.CANCELLING: _moves(_S.CANCELLED),
    _S.CANCELLED: _moves(),
}

# Shares of the whole when a status begins: an iteration never takes progress back, because a job
# tells the largest that it has reached.
PROGRESS: dict[JobStatus, float] = {
    _S.PENDING: 0.0,
    _S.FETCHING_DATA: 2.0,
    _S.PROFILING: 6.0,
    _S.EXPLORATORY_ANALYSIS: 14.0,
    _S.DISCOVERING_CAUSAL: 20.0,
    _S.ESTIMATING_EFFECTS: 36.0,
    _S.SENSITIVITY_ANALYSIS: 62.0,
    _S.CRITIQUE_REVIEW: 76.0,
    _S.ITERATING: 78.0,
    _S.GENERATING_NOTEBOOK: 86.0,
    _S.COMPLETED: 100.0,
}
