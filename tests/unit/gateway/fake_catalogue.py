"""The planner's recipes and looks, played in memory."""

from __future__ import annotations

from typing import Any

from grpc import aio

from assay.common.v1 import catalogue_pb2, checks_pb2, look_pb2, routing_pb2
from assay.planner.v1 import planner_service_pb2 as planner_pb
from assay.planner.v1 import planner_service_pb2_grpc
from mesh import context as calls
from mesh.errors import NOT_FOUND, AssayError

Context = aio.ServicerContext[Any, Any]


class FakeCatalogue(planner_service_pb2_grpc.PlannerServiceServicer):
    """Recipes by their tenant; a look sees a table of each source's name."""

    def __init__(self) -> None:
        self.recipes: dict[str, str] = {}

    async def ListRecipes(
        self, request: planner_pb.ListRecipesRequest, context: Context
    ) -> planner_pb.ListRecipesResponse:
        own = [
            catalogue_pb2.Recipe(recipe_id=recipe)
            for recipe, tenant in self.recipes.items()
            if tenant == calls.current().tenant
        ]
        return planner_pb.ListRecipesResponse(recipes=own)

    async def DeleteRecipe(
        self, request: planner_pb.DeleteRecipeRequest, context: Context
    ) -> planner_pb.DeleteRecipeResponse:
        if self.recipes.get(request.recipe_id) != calls.current().tenant:
            raise AssayError(NOT_FOUND, "there is no such recipe")
        del self.recipes[request.recipe_id]
        return planner_pb.DeleteRecipeResponse()

    async def LookAtSources(
        self, request: planner_pb.LookAtSourcesRequest, context: Context
    ) -> planner_pb.LookAtSourcesResponse:
        tables = [look_pb2.TableLook(name=source.name) for source in request.analysis.data_sources]
        return planner_pb.LookAtSourcesResponse(look=look_pb2.Look(tables=tables))

    async def LintStatement(
        self, request: planner_pb.LintStatementRequest, context: Context
    ) -> planner_pb.LintStatementResponse:
        found = checks_pb2.CheckFinding(code="J01", at=request.analysis.statement)
        return planner_pb.LintStatementResponse(lint=checks_pb2.Lint(findings=[found]))

    async def RouteQuestion(
        self, request: planner_pb.RouteQuestionRequest, context: Context
    ) -> planner_pb.RouteQuestionResponse:
        """Every question is about the first domain."""
        decision = routing_pb2.DomainRoutingDecision(user_query=request.question)
        decision.identified_domains.extend(domain.name for domain in request.domains[:1])
        return planner_pb.RouteQuestionResponse(decision=decision)
