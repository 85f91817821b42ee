"""How a job ends."""

from __future__ import annotations

from typing import Any

from services.planner.domain.calls import Artifact
from services.planner.domain.failure import Failure
from services.planner.domain.frozen import Frozen
from services.planner.domain.jobs.job import Job, JobPhase, JobState
from services.planner.domain.jobs.kinds import Result
from services.planner.domain.plan import PlanState
from services.planner.domain.step import skipped


class Ended(Frozen):
    """How a job ends: with an answer or a failure.

    `partial_artifacts` are the files that the answer is not made of: without one, all there are.
    """

    state: JobState
    answer: Result | None = None
    failure: Failure | None = None
    partial_artifacts: tuple[Artifact, ...] = ()

    def of(self, job: Job) -> Job:
        """The job once it has ended like this."""
        update: dict[str, Any] = {
            "state": self.state,
            "answer": self.answer,
            "failure": self.failure,
            "partial_artifacts": self.partial_artifacts,
            "clarification": None,
            "phase": JobPhase.ENDED,
            "progress_reason": self.state.value.replace("_", " "),
            "steps": tuple(map(skipped, job.steps)),
        }
        if job.plan is not None:
            came_to = PlanState.COMPLETED if self.answer is not None else PlanState.ABANDONED
            update["plan"] = job.plan.moved(came_to)
        return job.model_copy(update=update)
