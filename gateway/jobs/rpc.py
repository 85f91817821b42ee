"""JobService: what callers ask of the planner, passed on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from grpc import aio

from assay.common.v1 import conversation_pb2, job_pb2
from assay.gateway.v1 import job_service_pb2 as pb
from assay.gateway.v1 import job_service_pb2_grpc
from assay.planner.v1 import planner_service_pb2 as planner_pb
from assay.planner.v1 import planner_service_pb2_grpc
from gateway.admission.strangers import Strangers
from gateway.conversations.app import Conversations
from gateway.conversations.messages import outcome_of, shown
from gateway.definitions.app import Definitions
from gateway.domain.conversation import checked_content
from gateway.forwarding import StreamCall, answered, relayed
from gateway.jobs.frames import Frames
from gateway.jobs.showing import shown_event, shown_job
from gateway.jobs.submitting import Credentials, Refusals, SessionFiles, Submitting
from gateway.sources.app import KnownSources
from mesh import context as calls
from mesh.clock import Clock
from mesh.errors import INVALID_ARGUMENT, NOT_FOUND, SERVICE_UNAVAILABLE, AssayError
from mesh.ids import new_id, parse_id
from mesh.policy import Policy
from mesh.telemetry import trace_files
from mesh.telemetry import tracing as telemetry

Context = aio.ServicerContext[Any, Any]
_MOST_VALUES, _LONGEST_VALUE = 20, 200
LONGEST_WATCH_SECONDS = 4_000.0
"""A watch lasts as long as its caller waits: a causal job may take an hour, and other calls of ours
end after four minutes."""


class JobServicer(job_service_pb2_grpc.JobServiceServicer):
    """Serves assay.gateway.v1.JobService."""

    def __init__(
        self,
        planner: planner_service_pb2_grpc.PlannerServiceStub,
        files: SessionFiles,
        strangers: Strangers,
        refusals: Refusals,
        credentials: Credentials,
        known: KnownSources,
        definitions: Definitions,
        conversations: Conversations,
        clock: Clock,
        traces: Path,
        local_paths: Callable[[Context], bool],
    ) -> None:
        self._planner = planner
        self._files = files
        self._strangers = strangers
        self._conversations = conversations
        self.frames = Frames(self._job, files.frames)
        self.submitting = Submitting(
            files, refusals, credentials, known, definitions, clock, local_paths, self.frames
        )
        self._traces = traces
        self._local_paths = local_paths
        self._watches: set[StreamCall[planner_pb.WatchJobResponse]] = set()
        self._stopping = False

    async def CreateJob(
        self, request: pb.CreateJobRequest, context: Context
    ) -> pb.CreateJobResponse:
        """Store and start a job; note it in its session."""
        request_id = parse_id(request.request_id, "request_id")
        session_id = parse_id(request.session_id, "session_id") if request.session_id else ""
        if not session_id and request.causal.HasField("origin"):
            # Its files are those of the session that the investigation belongs to.
            session_id = (await self._job(request.causal.origin.job_id)).session_id
        ready = await self.submitting.ready(request, request_id, session_id, context)
        ready.session_id = session_id
        await self._files.expect(session_id, request_id)
        if session_id and ready.analysis.statement:
            number = await self._files.number_frame(session_id, request_id)
            ready.analysis.frame = f"f{number}" if number else ""
        with (
            calls.changed(request_id=request_id),
            self._strangers.noticing("job", request_id),
        ):
            made = await answered(self._planner.CreateJob(ready), "planner")
        if session_id:  # that was deleted meanwhile: then its job goes with it
            await self._files.resolve(session_id, [])
        return pb.CreateJobResponse(job=shown_job(made.job, self._local_paths(context)))

    async def GetJob(self, request: pb.GetJobRequest, context: Context) -> pb.GetJobResponse:
        """A job as it stands."""
        job = await self._job(request.job_id)
        return pb.GetJobResponse(job=shown_job(job, self._local_paths(context)))

    async def ListJobs(self, request: pb.ListJobsRequest, context: Context) -> pb.ListJobsResponse:
        """The caller's jobs."""
        wanted = planner_pb.ListJobsRequest(
            page_size=request.page_size,
            page_token=request.page_token,
            session_id=parse_id(request.session_id, "session_id") if request.session_id else "",
            kind=request.kind,
            states=request.states,
            asked_by=request.asked_by,
        )
        page = await answered(self._planner.ListJobs(wanted), "planner")
        local = self._local_paths(context)
        return pb.ListJobsResponse(
            jobs=[shown_job(job, local) for job in page.jobs],
            next_page_token=page.next_page_token,
        )

    async def WatchJob(
        self, request: pb.WatchJobRequest, context: Context
    ) -> AsyncIterator[pb.WatchJobResponse]:
        """Events as the planner tells them, until the job ends or the caller goes away."""
        wanted = planner_pb.WatchJobRequest(
            job_id=parse_id(request.job_id, "job_id"), after_sequence=request.after_sequence
        )
        local = self._local_paths(context)
        seconds = calls.current().seconds_left(LONGEST_WATCH_SECONDS)
        call = self._planner.WatchJob(wanted, timeout=seconds)
        self._watches.add(call)
        try:
            if self._stopping:
                call.cancel()
            with self._strangers.noticing("job", wanted.job_id):
                async for value in relayed(call, "planner", context):
                    yield pb.WatchJobResponse(event=shown_event(value.event, local))
        except (AssayError, asyncio.CancelledError) as error:
            if self._stopping and not context.cancelled():
                raise AssayError(
                    SERVICE_UNAVAILABLE,
                    "this gateway is stopping",
                    hint="Watch on at another gateway, after the last event that arrived.",
                ) from error
            raise
        finally:
            self._watches.discard(call)

    def stop_watching(self) -> None:
        """Send watchers on to another gateway, now and from now on."""
        self._stopping = True
        for call in self._watches:
            call.cancel()

    async def CancelJob(
        self, request: pb.CancelJobRequest, context: Context
    ) -> pb.CancelJobResponse:
        """Stop a job."""
        wanted = planner_pb.CancelJobRequest(job_id=parse_id(request.job_id, "job_id"))
        with self._strangers.noticing("job", wanted.job_id):
            stopped = await answered(self._planner.CancelJob(wanted), "planner")
        return pb.CancelJobResponse(job=shown_job(stopped.job, self._local_paths(context)))

    async def AnswerJob(
        self, request: pb.AnswerJobRequest, context: Context
    ) -> pb.AnswerJobResponse:
        """Answer what a job asks."""
        reply = request.WhichOneof("reply")
        if reply is None:
            raise AssayError(
                INVALID_ARGUMENT,
                "the answer is missing",
                hint="Give the id or the text of an option.",
                fields={"reply": "must be set"},
            )
        wanted = planner_pb.AnswerJobRequest(job_id=parse_id(request.job_id, "job_id"))
        setattr(wanted, reply, getattr(request, reply))
        with self._strangers.noticing("job", wanted.job_id):
            going_on = await answered(self._planner.AnswerJob(wanted), "planner")
        return pb.AnswerJobResponse(job=shown_job(going_on.job, self._local_paths(context)))

    async def PlanJob(self, request: pb.PlanJobRequest, context: Context) -> pb.PlanJobResponse:
        """Understand and plan without running or storing anything."""
        request_id = new_id()
        session_id = parse_id(request.session_id, "session_id") if request.session_id else ""
        ready = await self.submitting.ready(request, request_id, session_id, context)
        wanted = planner_pb.PlanJobRequest(files=ready.files, submitted_at=ready.submitted_at)
        kind = str(ready.WhichOneof("work"))
        getattr(wanted, kind).CopyFrom(getattr(ready, kind))
        with calls.changed(request_id=request_id):
            planned = await answered(self._planner.PlanJob(wanted), "planner")
        return pb.PlanJobResponse(
            understood=planned.understood,
            plan=planned.plan if planned.HasField("plan") else None,
            clarification=planned.clarification if planned.HasField("clarification") else None,
        )

    async def AskAboutJob(
        self, request: pb.AskAboutJobRequest, context: Context
    ) -> pb.AskAboutJobResponse:
        """What a finished job, or one of a session, tells of itself."""
        checked_content(request.question, "question")
        if bool(request.job_id) == bool(request.session_id):
            raise AssayError(
                INVALID_ARGUMENT,
                "a question is about a job or about the jobs of a session",
                fields={"job_id": "exactly one of job_id and session_id"},
            )
        wanted = planner_pb.AskAboutJobRequest(question=request.question)
        if request.job_id:
            wanted.job_id = parse_id(request.job_id, "job_id")
        else:
            wanted.session_id = parse_id(request.session_id, "session_id")
            await self._files.exists(wanted.session_id)
        with self._strangers.noticing("job", wanted.job_id):
            value = (await answered(self._planner.AskAboutJob(wanted), "planner")).response
        return pb.AskAboutJobResponse(
            conversation_id=await self._exchanged(request, value),
            response=shown(value, self._local_paths(context)),
        )

    async def _exchanged(
        self, request: pb.AskAboutJobRequest, value: conversation_pb2.AgentResponse
    ) -> str:
        """Store question and answer in the session of the job; where, empty if it is in none."""
        job = await self._job(value.about_job_id)
        if not job.session_id:
            return ""
        try:
            await self._files.exists(job.session_id)
        except AssayError as error:
            if error.reason is NOT_FOUND:  # it was deleted, and with it what was said in it
                return ""
            raise
        policy = getattr(job, str(job.WhichOneof("work"))).policy
        hidden = Policy(blocked_patterns=tuple(policy.blocked_patterns))
        return await self._conversations.exchanged(
            job.session_id, hidden.masked(request.question), outcome_of(value)
        )

    async def LookAtSources(
        self, request: pb.LookAtSourcesRequest, context: Context
    ) -> pb.LookAtSourcesResponse:
        """What there is in sources."""
        _check_values(request.values)
        request_id, ready = await self._about_sources(request, context)
        wanted = planner_pb.LookAtSourcesRequest(
            analysis=ready.analysis,
            files=ready.files,
            submitted_at=ready.submitted_at,
            propose=request.propose,
            values=request.values,
        )
        with calls.changed(request_id=request_id):
            seen = await answered(self._planner.LookAtSources(wanted), "planner")
        return pb.LookAtSourcesResponse(look=seen.look)

    async def LintStatement(
        self, request: pb.LintStatementRequest, context: Context
    ) -> pb.LintStatementResponse:
        """What checks find in a statement."""
        request_id, ready = await self._about_sources(request, context, request.statement)
        wanted = planner_pb.LintStatementRequest(
            analysis=ready.analysis,
            files=ready.files,
            submitted_at=ready.submitted_at,
            question=request.question,
            fix=request.fix,
        )
        with calls.changed(request_id=request_id):
            found = await answered(self._planner.LintStatement(wanted), "planner")
        return pb.LintStatementResponse(lint=found.lint)

    async def _about_sources(
        self,
        request: pb.LookAtSourcesRequest | pb.LintStatementRequest,
        context: Context,
        statement: str = "",
    ) -> tuple[str, planner_pb.CreateJobRequest]:
        """An id for what is asked about sources without a job, and what the planner is told."""
        request_id = new_id()
        session_id = parse_id(request.session_id, "session_id") if request.session_id else ""
        asked = pb.PlanJobRequest(session_id=session_id)
        asked.analysis.statement = statement
        asked.analysis.data_sources.extend(request.data_sources)
        asked.analysis.policy.CopyFrom(request.policy)
        return request_id, await self.submitting.ready(asked, request_id, session_id, context)

    async def GetTrace(self, request: pb.GetTraceRequest, context: Context) -> pb.GetTraceResponse:
        """The spans that this machine recorded."""
        job = await self._job(request.job_id)
        spans = await asyncio.to_thread(self._spans, job.trace_id)
        return pb.GetTraceResponse(trace_id=job.trace_id, spans=spans)

    async def _job(self, job_id: str) -> job_pb2.Job:
        wanted = planner_pb.GetJobRequest(job_id=parse_id(job_id, "job_id"))
        with self._strangers.noticing("job", wanted.job_id):
            return (await answered(self._planner.GetJob(wanted), "planner")).job

    def _spans(self, trace_id: str) -> list[pb.Span]:
        telemetry.flush()
        return [_span(span) for span in trace_files.read_trace(self._traces, trace_id)]


def _check_values(values: Sequence[str]) -> None:
    if len(values) > _MOST_VALUES or any(len(one) > _LONGEST_VALUE for one in values):
        raise AssayError(
            INVALID_ARGUMENT,
            "too much is looked for at once",
            fields={"values": f"at most {_MOST_VALUES} of {_LONGEST_VALUE} characters"},
        )


def _span(span: Mapping[str, Any]) -> pb.Span:
    message = pb.Span(
        span_id=span["span_id"],
        parent_span_id=span["parent_span_id"],
        name=span["name"],
        service=span["service"],
        attributes_json=json.dumps(span["attributes"], sort_keys=True),
        error=span["error"],
    )
    message.started_at.FromNanoseconds(span["start_unix_nano"])
    message.ended_at.FromNanoseconds(span["end_unix_nano"])
    return message
