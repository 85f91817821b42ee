"""CatalogueService: tools of the executor, recipes of the caller."""

from __future__ import annotations

from typing import Any

from grpc import aio

from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.executor.v1 import executor_service_pb2_grpc
from assay.gateway.v1 import catalogue_service_pb2 as pb
from assay.gateway.v1 import catalogue_service_pb2_grpc
from assay.planner.v1 import planner_service_pb2 as planner_pb
from assay.planner.v1 import planner_service_pb2_grpc
from gateway.admission.strangers import Strangers
from gateway.forwarding import answered
from mesh.ids import parse_id
from mesh.transport.patience import patient

Context = aio.ServicerContext[Any, Any]


class CatalogueServicer(catalogue_service_pb2_grpc.CatalogueServiceServicer):
    """Serves assay.gateway.v1.CatalogueService."""

    def __init__(
        self,
        planner: planner_service_pb2_grpc.PlannerServiceStub,
        strangers: Strangers,
        executor: executor_service_pb2_grpc.ExecutorServiceStub,
    ) -> None:
        self._planner = planner
        self._strangers = strangers
        self._executor = executor

    async def ListTools(
        self, request: pb.ListToolsRequest, context: Context
    ) -> pb.ListToolsResponse:
        """Every registered tool."""
        listed = await patient("executor", self._executor.ListTools, executor_pb.ListToolsRequest())
        return pb.ListToolsResponse(tools=listed.tools)

    async def ListRecipes(
        self, request: pb.ListRecipesRequest, context: Context
    ) -> pb.ListRecipesResponse:
        """The caller's recipes."""
        wanted = planner_pb.ListRecipesRequest(
            page_size=request.page_size, page_token=request.page_token
        )
        page = await answered(self._planner.ListRecipes(wanted), "planner")
        return pb.ListRecipesResponse(recipes=page.recipes, next_page_token=page.next_page_token)

    async def DeleteRecipe(
        self, request: pb.DeleteRecipeRequest, context: Context
    ) -> pb.DeleteRecipeResponse:
        """Forget a recipe of the caller."""
        recipe_id = parse_id(request.recipe_id, "recipe_id")
        wanted = planner_pb.DeleteRecipeRequest(recipe_id=recipe_id)
        with self._strangers.noticing("recipe", recipe_id):
            await answered(self._planner.DeleteRecipe(wanted), "planner")
        return pb.DeleteRecipeResponse()
