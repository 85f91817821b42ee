"""The state of a causal job as it is told, whatever became of the job: running, stopped or failed.

Agents' decisions say how far it got; that it failed or was cancelled is the job's own end, and is
told on top of them, by moves that seed 001 draws; and by one more where it draws none, for a job
that was cancelled has ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from services.planner.domain.causal.contracts import ORCHESTRATOR
from services.planner.domain.causal.data_models import DatasetInfo
from services.planner.domain.causal.request import CausalRequest
from services.planner.domain.causal.result import CausalResult
from services.planner.domain.causal.running import BEGUN, Run, folded
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.status import TRANSITIONS, JobStatus
from services.planner.domain.decision import Decision
from services.planner.domain.jobs.job import Job, JobState


def before_sources(request: CausalRequest, job_id: str) -> AnalysisState:
    """The state of a job whose sources nobody has looked at yet."""
    return AnalysisState.created(
        job_id,
        DatasetInfo(
            url=request.data_sources[0].address if request.data_sources else "",
            name=request.data_sources[0].label if request.data_sources else None,
        ),
        request.timestamp,
        treatment_variable=request.treatment or None,
        outcome_variable=request.outcome or None,
        max_iterations=request.max_iterations,
    )


def run_of(job: Job, decisions: Sequence[Decision]) -> Run:
    """How far a job got, by its recorded decisions: it is begun twice, before its sources are read
    and once they are. Raises ValueError for another kind."""
    if not isinstance(job.request, CausalRequest):
        raise ValueError(f"job {job.job_id} is no causal job")
    begun = [d.decided for d in decisions if d.kind == BEGUN]
    if not begun:
        return Run(state=before_sources(job.request, job.job_id))
    return folded(AnalysisState.model_validate(begun[-1]), decisions)


def describe_state(
    job: Job, decisions: Sequence[Decision], *, stopping: bool = False
) -> AnalysisState:
    """The state as it stands; `stopping` says that somebody asked the job to stop."""
    return states_to(job, decisions, stopping=stopping)[-1]


def states_to(
    job: Job, decisions: Sequence[Decision], *, stopping: bool = False
) -> list[AnalysisState]:
    """The state that the agents left, and each that the job went through since; the last is the one
    that it is in."""
    if isinstance(job.answer, CausalResult):
        return [run_of(job, decisions).state, job.answer.state]
    run = run_of(job, decisions)
    now = job.updated_at
    if job.state is JobState.FAILED:
        return _failed(run, job.failure.message if job.failure else "", now)
    if job.state is JobState.CANCELLED:
        return _cancelled(run.state, now)
    passed = [run.state]
    if stopping and JobStatus.CANCELLING in TRANSITIONS[passed[-1].status]:
        passed.append(passed[-1].mark_cancelling(now))
    return passed


def _fetching(state: AnalysisState, now: datetime) -> list[AnalysisState]:
    """On the drawn way from a job that was never begun to one that failed."""
    return [state.moved(JobStatus.FETCHING_DATA, now)] if state.status is JobStatus.PENDING else []


def _failed(run: Run, why: str, now: datetime) -> list[AnalysisState]:
    """Failed in the hands of whoever was at work: before any agent, while sources were read."""
    passed = [run.state, *_fetching(run.state, now)]
    if passed[-1].status is JobStatus.ITERATING:  # from there only the next round is drawn
        passed.append(passed[-1].moved(JobStatus.ESTIMATING_EFFECTS, now))
    agent = run.waiting_for[0] if run.waiting_for else ORCHESTRATOR
    return [*passed, passed[-1].mark_failed(why, agent, now)]


def _cancelled(state: AnalysisState, now: datetime) -> list[AnalysisState]:
    """Stopped by a way that is drawn. From where none is the job is cancelled all the same, as
    seed 001 says of `mark_cancelled`: whoever waits for a final status would else wait for ever."""
    following = TRANSITIONS[state.status]
    if JobStatus.CANCELLED in following:
        return [state, state.mark_cancelled(now)]
    if JobStatus.CANCELLING in following:
        stopping = state.mark_cancelling(now)
        return [state, stopping, stopping.mark_cancelled(now)]
    return [state, state.mark_cancelled(now)]


def list_state_events(states: Sequence[AnalysisState]) -> list[tuple[str, dict[str, object]]]:
    """What watchers are told of states, one by one."""
    return [
        ("causal", {"status": one.status.value, "progress": one.progress_percentage})
        for one in states
    ]
