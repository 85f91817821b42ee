"""PlannerService: the contract's methods, each a call of one use case."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import datetime
from typing import Any

from grpc import aio

from assay.planner.v1 import planner_service_pb2 as pb
from assay.planner.v1 import planner_service_pb2_grpc as pb_grpc
from mesh.clock import Clock
from mesh.errors import INVALID_ARGUMENT, QUESTION_EMPTY, REASONS, AssayError
from mesh.ids import new_id, parse_id
from mesh.paging import page_size
from services.planner import contract
from services.planner.app import Planner
from services.planner.contract.checks import lint_to
from services.planner.contract.looks import look_to
from services.planner.contract.routing import decision_to, routing_from
from services.planner.conversing.conversing import Conversing
from services.planner.domain.jobs.job import Belonging, Job
from services.planner.domain.jobs.queue import Limits
from services.planner.domain.question import AnalysisRequest, analysis_of
from services.planner.routing.deciding import Routing
from services.planner.rpc_overviews import OverviewMethods
from services.planner.store_ports import Overviews

Context = aio.ServicerContext[Any, Any]
_MOST_SESSIONS = 100
_MOST_TURNS = 100


class PlannerServicer(OverviewMethods, pb_grpc.PlannerServiceServicer):
    """Turns messages into use cases and back; errors are the interceptors' business."""

    def __init__(
        self,
        planner: Planner,
        conversing: Conversing,
        routing: Routing,
        overviews: Overviews,
        limits: Limits,
        clock: Clock,
    ) -> None:
        OverviewMethods.__init__(self, overviews, limits, clock)
        self._planner = planner
        self._conversing = conversing
        self._routing = routing
        self._clock = clock

    def _job(self, job: Job, entries: int | None = None) -> Any:
        return contract.job_to(job, self._clock.now(), entries)

    async def CreateJob(
        self, request: pb.CreateJobRequest, context: Context
    ) -> pb.CreateJobResponse:
        """Store and start."""
        request_id = parse_id(request.request_id, "request_id")
        wanted = contract.work_from(request, request_id, self._submitted(request))
        belonging = Belonging(
            session_id=request.session_id,
            conversation_id=request.conversation_id,
            turn=request.turn,
            parent_job_id=request.parent_job_id,
        )
        return pb.CreateJobResponse(job=self._job(await self._planner.create(wanted, belonging)))

    def _submitted(
        self, request: pb.CreateJobRequest | pb.PlanJobRequest | pb.ConverseRequest
    ) -> datetime:
        given = request.HasField("submitted_at")
        return contract.moment(request.submitted_at) if given else self._clock.now()

    async def GetJob(self, request: pb.GetJobRequest, context: Context) -> pb.GetJobResponse:
        """As it stands, with the length of its audit chain where the log says it at once."""
        job = await self._planner.get(parse_id(request.job_id, "job_id"))
        entries = await self._planner.audit_length(job.job_id)
        value = self._job(job, entries)
        if (state := await self._planner.causal_state(job)) is not None:
            value.causal_state.CopyFrom(contract.state_to(state))
        return pb.GetJobResponse(job=value, files=contract.files_of(job.request))

    async def ListJobs(self, request: pb.ListJobsRequest, context: Context) -> pb.ListJobsResponse:
        """Newest first."""
        size = page_size(request.page_size, 20, 100)
        wanted = contract.filter_from(request)
        jobs, token = await self._planner.page(wanted, size, request.page_token)
        listed = [self._job(job) for job in jobs]
        for job in listed:
            contract.without_texts(job)
        return pb.ListJobsResponse(jobs=listed, next_page_token=token)

    async def CountJobs(
        self, request: pb.CountJobsRequest, context: Context
    ) -> pb.CountJobsResponse:
        """By session and state."""
        if len(request.session_ids) > _MOST_SESSIONS:
            raise AssayError(
                INVALID_ARGUMENT,
                f"at most {_MOST_SESSIONS} sessions are counted at once",
                fields={"session_ids": f"at most {_MOST_SESSIONS}"},
            )
        counted = await self._planner.counts(list(request.session_ids))
        return pb.CountJobsResponse(counts=[contract.count_to(count) for count in counted])

    async def WatchJob(
        self, request: pb.WatchJobRequest, context: Context
    ) -> AsyncIterator[pb.WatchJobResponse]:
        """Events as they come."""
        async for event in self._planner.watch(
            parse_id(request.job_id, "job_id"), request.after_sequence
        ):
            yield pb.WatchJobResponse(event=contract.event_to(event))

    async def CancelJob(
        self, request: pb.CancelJobRequest, context: Context
    ) -> pb.CancelJobResponse:
        """Stop."""
        return pb.CancelJobResponse(
            job=self._job(await self._planner.cancel(parse_id(request.job_id, "job_id")))
        )

    async def AnswerJob(
        self, request: pb.AnswerJobRequest, context: Context
    ) -> pb.AnswerJobResponse:
        """Go on with the person's answer."""
        job = await self._planner.answer(
            parse_id(request.job_id, "job_id"), request.option_id, request.text
        )
        return pb.AnswerJobResponse(job=self._job(job))

    async def PlanJob(self, request: pb.PlanJobRequest, context: Context) -> pb.PlanJobResponse:
        """Understand and plan only."""
        wanted = contract.work_from(request, new_id(), self._submitted(request))
        preview = await self._planner.plan(wanted)
        if preview.failure is not None:
            failure = preview.failure
            raise AssayError(REASONS[failure.reason], failure.message, hint=failure.hint)
        if preview.clarification is not None:
            return pb.PlanJobResponse(
                understood=preview.understood,
                clarification=contract.clarification_to(preview.clarification),
            )
        return pb.PlanJobResponse(
            understood=preview.understood,
            plan=contract.plan_to(preview.plan, reading=True) if preview.plan else None,
        )

    async def Converse(
        self, request: pb.ConverseRequest, context: Context
    ) -> AsyncIterator[pb.ConverseResponse]:
        """A turn, as it goes on."""
        if not request.content.strip():
            raise AssayError(
                QUESTION_EMPTY,
                "the message has no words in it",
                fields={"content": "must not be empty"},
            )
        request_id = parse_id(request.request_id, "request_id")
        parse_id(request.conversation_id, "conversation_id")
        submitted = self._submitted(request)
        turn = contract.turn_from(request, request_id, submitted)
        async with aclosing(self._conversing.turn(turn)) as readings:
            async for one in readings:
                yield contract.turn_to(one)

    async def GetResponses(
        self, request: pb.GetResponsesRequest, context: Context
    ) -> pb.GetResponsesResponse:
        """Made again of what the jobs hold."""
        if len(request.turns) > _MOST_TURNS:
            raise AssayError(
                INVALID_ARGUMENT,
                f"at most {_MOST_TURNS} responses are given at once",
                fields={"turns": f"at most {_MOST_TURNS}"},
            )
        ends = [
            (parse_id(end.job_id, f"turns[{number}].job_id"), end.job_sequence)
            for number, end in enumerate(request.turns)
        ]
        found = await self._conversing.responses.all(ends)
        return pb.GetResponsesResponse(responses=[contract.response_to(one) for one in found])

    async def AskAboutJob(
        self, request: pb.AskAboutJobRequest, context: Context
    ) -> pb.AskAboutJobResponse:
        """What a finished job tells of itself."""
        if not request.question.strip():
            raise AssayError(
                QUESTION_EMPTY,
                "the question has no words in it",
                fields={"question": "must not be empty"},
            )
        if request.job_id:
            job_id = parse_id(request.job_id, "job_id")
            response = await self._conversing.inquiring.of_job(job_id, request.question)
        else:
            session_id = parse_id(request.session_id, "session_id")
            response = await self._conversing.inquiring.of_session(session_id, request.question)
        return pb.AskAboutJobResponse(response=contract.response_to(response))

    async def LookAtSources(
        self, request: pb.LookAtSourcesRequest, context: Context
    ) -> pb.LookAtSourcesResponse:
        """Describe, look at the rows, and make out what columns mean."""
        asked = self._sources_of(request)
        look = await self._planner.look(asked, propose=request.propose, values=request.values)
        return pb.LookAtSourcesResponse(look=look_to(look))

    async def LintStatement(
        self, request: pb.LintStatementRequest, context: Context
    ) -> pb.LintStatementResponse:
        """Judge a statement, and mend it where that is asked."""
        asked = self._sources_of(request)
        lint = await self._planner.lint(asked, request.question, fix=request.fix)
        return pb.LintStatementResponse(lint=lint_to(lint))

    def _sources_of(
        self, request: pb.LookAtSourcesRequest | pb.LintStatementRequest
    ) -> AnalysisRequest:
        """What is asked about sources without a job of its own."""
        planned = pb.PlanJobRequest(analysis=request.analysis, files=request.files)
        if request.HasField("submitted_at"):
            planned.submitted_at.CopyFrom(request.submitted_at)
        return analysis_of(contract.work_from(planned, new_id(), self._submitted(planned)))

    async def ListRecipes(
        self, request: pb.ListRecipesRequest, context: Context
    ) -> pb.ListRecipesResponse:
        """The caller's."""
        recipes, token = await self._planner.recipes(
            page_size(request.page_size, 100, 100), request.page_token
        )
        return pb.ListRecipesResponse(recipes=contract.recipes_to(recipes), next_page_token=token)

    async def DeleteRecipe(
        self, request: pb.DeleteRecipeRequest, context: Context
    ) -> pb.DeleteRecipeResponse:
        """Forget one."""
        await self._planner.delete_recipe(request.recipe_id)
        return pb.DeleteRecipeResponse()

    async def RouteQuestion(
        self, request: pb.RouteQuestionRequest, context: Context
    ) -> pb.RouteQuestionResponse:
        """Compare a question with domains."""
        question, domains = routing_from(request)
        decided = await self._routing.decide(question, domains.all)
        return pb.RouteQuestionResponse(decision=decision_to(decided))
