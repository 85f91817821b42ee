"""PlannerService: the contract's methods, each a call of one use case."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from grpc import aio

from assay.planner.v1 import planner_service_pb2 as pb
from assay.planner.v1 import planner_service_pb2_grpc as pb_grpc
from mesh.clock import Clock
from mesh.errors import REASONS, AssayError
from mesh.ids import new_id
from services.planner import contract
from services.planner.app import Planner
from services.planner.domain.job import Job

Context = aio.ServicerContext[Any, Any]


class PlannerServicer(pb_grpc.PlannerServiceServicer):
    """Turns messages into use cases and back; errors are the interceptors' business."""

    def __init__(self, planner: Planner, clock: Clock) -> None:
        self._planner = planner
        self._clock = clock

    def _job(self, job: Job, entries: int = 0) -> Any:
        return contract.job_to(job, self._clock.now(), entries)

    async def CreateJob(
        self, request: pb.CreateJobRequest, context: Context
    ) -> pb.CreateJobResponse:
        """Store and start."""
        wanted = contract.request_from(request.request, self._clock.now())
        return pb.CreateJobResponse(job=self._job(await self._planner.create(wanted)))

    async def GetJob(self, request: pb.GetJobRequest, context: Context) -> pb.GetJobResponse:
        """As it stands, with the length of its audit chain."""
        job = await self._planner.get(request.job_id)
        entries = await self._planner.audit_length(job.job_id)
        return pb.GetJobResponse(job=self._job(job, entries))

    async def ListJobs(self, request: pb.ListJobsRequest, context: Context) -> pb.ListJobsResponse:
        """Newest first."""
        jobs, token = await self._planner.page(request.page_size or 20, request.page_token)
        return pb.ListJobsResponse(jobs=[self._job(job) for job in jobs], next_page_token=token)

    async def WatchJob(
        self, request: pb.WatchJobRequest, context: Context
    ) -> AsyncIterator[pb.WatchJobResponse]:
        """Events as they come."""
        async for event in self._planner.watch(request.job_id, request.after_sequence):
            yield pb.WatchJobResponse(event=contract.event_to(event))

    async def CancelJob(
        self, request: pb.CancelJobRequest, context: Context
    ) -> pb.CancelJobResponse:
        """Stop."""
        return pb.CancelJobResponse(job=self._job(await self._planner.cancel(request.job_id)))

    async def AnswerJob(
        self, request: pb.AnswerJobRequest, context: Context
    ) -> pb.AnswerJobResponse:
        """Go on with the person's answer."""
        job = await self._planner.answer(request.job_id, request.answer)
        return pb.AnswerJobResponse(job=self._job(job))

    async def Plan(self, request: pb.PlanRequest, context: Context) -> pb.PlanResponse:
        """Understand and plan only."""
        wanted = contract.request_from(request.request, self._clock.now())
        planning = await self._planner.plan(wanted)
        if planning.failure is not None:
            failure = planning.failure
            raise AssayError(REASONS[failure.reason], failure.message, hint=failure.hint)
        response = pb.PlanResponse(understood=planning.understood)
        if planning.clarification is not None:
            response.clarification.CopyFrom(contract.clarification_to(planning.clarification))
        if planning.draft is not None:
            plan = contract.plan_to(
                new_id(), wanted.request_id, planning.draft, self._clock.now(), "draft"
            )
            response.plan.CopyFrom(plan)
        return response

    async def ListRecipes(
        self, request: pb.ListRecipesRequest, context: Context
    ) -> pb.ListRecipesResponse:
        """The caller's."""
        recipes, token = await self._planner.recipes(request.page_size, request.page_token)
        return pb.ListRecipesResponse(recipes=contract.recipes_to(recipes), next_page_token=token)

    async def DeleteRecipe(
        self, request: pb.DeleteRecipeRequest, context: Context
    ) -> pb.DeleteRecipeResponse:
        """Forget one."""
        await self._planner.delete_recipe(request.recipe_id)
        return pb.DeleteRecipeResponse()
