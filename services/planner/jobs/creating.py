"""Making a request a job: checked, admitted, audited, stored, and begun if it is its turn."""

from __future__ import annotations

from mesh import context as calls
from mesh.clock import Clock
from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.telemetry.tracing import current_trace_id
from services.planner.domain.causal.request import CausalRequest
from services.planner.domain.decision import Decision
from services.planner.domain.jobs.job import Belonging, Job, JobState
from services.planner.domain.jobs.kinds import Work
from services.planner.domain.jobs.lease import Holder
from services.planner.domain.question import AnalysisRequest
from services.planner.domain.repeated import differences, reused
from services.planner.jobs import records
from services.planner.jobs.accepting import accepted
from services.planner.jobs.admission import Admission
from services.planner.jobs.collaborators import Collaborators
from services.planner.jobs.keeper import Keeper


class Creating:
    """Creates jobs, each once however often its request comes."""

    def __init__(
        self,
        with_: Collaborators,
        keeper: Keeper,
        admission: Admission,
        holder: Holder,
        clock: Clock,
    ) -> None:
        self._with = with_
        self._keeper = keeper
        self._admission = admission
        self._holder = holder
        self._clock = clock

    async def create(self, request: Work, belonging: Belonging, turn: Decision | None) -> Job:
        """The job that a request made, now or before. Raises as `Planner.create` does."""
        request = self._with_time(request)
        request = await accepted(self._with, calls.current().tenant, request)
        if isinstance(request, CausalRequest) and request.origin is not None:
            belonging = belonging.model_copy(update={"parent_job_id": request.origin.job_id})
        new = self.new(request, JobState.SUBMITTED, belonging)
        async with self._admission.admitted(new) as slot:
            job = await self._store(new, slot, turn)
        if changed := differences(job, new):
            raise reused(new.job_id, changed)
        return job

    def _with_time(self, request: Work) -> Work:
        """A question that says nothing of its time gets what is usual here."""
        limits = request.constraints
        if not isinstance(request, AnalysisRequest) or "timeout_seconds" in limits.model_fields_set:
            return request
        update = {"timeout_seconds": self._with.usual_seconds}
        return request.model_copy(update={"constraints": limits.model_copy(update=update)})

    async def _store(self, new: Job, slot: bool, turn: Decision | None) -> Job:
        lease = None
        try:
            await self._record(new)
            decided = (turn,) if turn is not None else ()
            job, lease = await self._with.jobs.create(new, self._holder if slot else None, decided)
        finally:
            if slot and lease is None:
                self._keeper.slots.give_back()
        if lease is not None:
            await self._keeper.begin(lease, slotted=True)
        else:
            self._keeper.waits()
        return job

    def new(self, request: Work, state: JobState, belonging: Belonging) -> Job:
        """A job that is not stored, of the caller's tenant and trace."""
        now = self._clock.now()
        return Job(
            job_id=request.request_id,
            tenant=calls.current().tenant,
            asked_by=calls.current().user,
            state=state,
            request=request,
            created_at=now,
            updated_at=now,
            progress_reason="waiting for its turn" if state is JobState.SUBMITTED else "",
            trace_id=current_trace_id(),
            **belonging.model_dump(),
        )

    async def _record(self, new: Job) -> None:
        """Append the request to its chain, unless the id stands for another request already."""
        try:
            await self._with.audit.append(new.job_id, [records.submitted(new.request)])
        except AssayError as error:
            if error.reason is not INVALID_ARGUMENT:
                raise
            await self._with.audit.length(new.job_id)  # whose id it is; raises NOT_FOUND
            stored = await self._with.jobs.get(new.tenant, new.job_id)
            raise reused(new.job_id, differences(stored, new)) from error
