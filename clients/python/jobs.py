"""Jobs over the wire: submitted, planned, watched, answered and stopped."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

from assay.common.v1.conversation_pb2 import AgentResponse
from assay.common.v1.job_pb2 import Job, JobEvent
from assay.gateway.v1 import job_service_pb2
from assay.gateway.v1.job_service_pb2 import CreateJobRequest
from assay.gateway.v1.job_service_pb2_grpc import JobServiceStub
from clients.python import listing, watching
from clients.python.calls import Persistent, answered
from mesh.errors import TIMEOUT, AssayError

SUBMIT_SECONDS = 60.0


class Jobs:
    """JobService as methods; every one raises AssayError."""

    def __init__(
        self, jobs: JobServiceStub, repeated: Persistent, resume_delays: Sequence[float]
    ) -> None:
        self._jobs = jobs
        self._repeated = repeated
        self._resume_delays = resume_delays

    async def submit(self, request: CreateJobRequest) -> Job:
        """Store a job and start it. Submitting the same request again makes nothing twice, so one
        whose answer does not come is submitted again.

        A first one waits for services that start: seconds. Nothing that a job does is waited for.
        Raises AssayError(TIMEOUT) where none is answered within SUBMIT_SECONDS, three times.
        """
        for _ in range(2):
            try:
                return (await self._repeated(lambda: self._created(request))).job
            except AssayError as error:
                if error.reason is not TIMEOUT:
                    raise
        return (await self._repeated(lambda: self._created(request))).job

    async def _created(self, request: CreateJobRequest) -> job_service_pb2.CreateJobResponse:
        return await answered(self._jobs.CreateJob(request, timeout=SUBMIT_SECONDS))

    async def plan(self, request: CreateJobRequest) -> job_service_pb2.PlanJobResponse:
        """What would be done, without doing it."""
        wanted = job_service_pb2.PlanJobRequest(session_id=request.session_id)
        kind = str(request.WhichOneof("work"))
        getattr(wanted, kind).CopyFrom(getattr(request, kind))
        return await answered(self._jobs.PlanJob(wanted))

    def watch(self, job_id: str, after_sequence: int = 0) -> AsyncGenerator[JobEvent]:
        """Events after a sequence number, each once, also through broken connections."""
        return watching.watch(self._jobs, job_id, after_sequence, self._resume_delays)

    async def get_job(self, job_id: str) -> Job:
        """A job by its id."""
        request = job_service_pb2.GetJobRequest(job_id=job_id)
        return (await self._repeated(lambda: answered(self._jobs.GetJob(request)))).job

    async def list_jobs(self, limit: int = 20) -> list[Job]:
        """At most `limit` of the caller's jobs, newest first, without steps and answers."""
        return await listing.list_jobs(self._jobs, limit)

    async def jobs_beginning_with(self, start: str) -> list[str]:
        """Ids of the caller's jobs that begin so; at most a page more than two."""
        return await listing.beginning_with(self._jobs, start)

    async def cancel(self, job_id: str) -> Job:
        """Stop a job; what was finished is kept."""
        request = job_service_pb2.CancelJobRequest(job_id=job_id)
        return (await answered(self._jobs.CancelJob(request))).job

    async def ask_about(
        self, question: str, *, job_id: str = "", session_id: str = ""
    ) -> AgentResponse:
        """What a finished job, or the fitting one of a session, tells of itself."""
        request = job_service_pb2.AskAboutJobRequest(
            job_id=job_id, session_id=session_id, question=question
        )
        return (await answered(self._jobs.AskAboutJob(request))).response

    async def answer(self, job_id: str, *, option_id: str = "", text: str = "") -> Job:
        """Answer a pending clarification with the id or the text of one of its options."""
        request = job_service_pb2.AnswerJobRequest(job_id=job_id)
        if option_id:
            request.option_id = option_id
        else:
            request.text = text
        return (await answered(self._jobs.AnswerJob(request))).job

    async def trace(self, job_id: str) -> job_service_pb2.GetTraceResponse:
        """The spans of a job, as far as the server's machine recorded them."""
        request = job_service_pb2.GetTraceRequest(job_id=job_id)
        return await answered(self._jobs.GetTrace(request))
