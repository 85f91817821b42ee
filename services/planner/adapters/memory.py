"""Memory over gRPC, as the planner's Memory port."""

from __future__ import annotations

import grpc

from assay.memory.v1 import memory_service_pb2 as pb
from assay.memory.v1 import memory_service_pb2_grpc as pb_grpc
from mesh.status import from_rpc_error
from services.planner import contract
from services.planner.domain.recipe import RecalledRecipe, Recipe

PEER = "memory"


class RemoteMemory:
    """Asks the memory service; AssayError says that it is away."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = pb_grpc.MemoryServiceStub(channel)

    async def recall(self, fingerprint: str, intent: str) -> list[RecalledRecipe]:
        """Up to three candidates."""
        try:
            answer = await self._stub.RecallRecipes(
                pb.RecallRecipesRequest(schema_fingerprint=fingerprint, intent=intent, limit=3)
            )
        except grpc.RpcError as error:
            raise from_rpc_error(error, PEER) from error
        return [
            RecalledRecipe(
                recipe=contract.recipe_from(item.recipe),
                similarity=item.similarity,
                exact=item.exact_fingerprint,
            )
            for item in answer.recipes
        ]

    async def store(self, recipe: Recipe) -> None:
        """Remember a plan that worked."""
        try:
            await self._stub.StoreRecipe(pb.StoreRecipeRequest(recipe=contract.recipe_to(recipe)))
        except grpc.RpcError as error:
            raise from_rpc_error(error, PEER) from error

    async def record_outcome(self, recipe_id: str, succeeded: bool, job_id: str) -> None:
        """How a reuse went; counted once a job."""
        try:
            await self._stub.RecordOutcome(
                pb.RecordOutcomeRequest(recipe_id=recipe_id, succeeded=succeeded, outcome_id=job_id)
            )
        except grpc.RpcError as error:
            raise from_rpc_error(error, PEER) from error

    async def store_document(self, job_id: str, content: str) -> None:
        """Remember a report for later questions."""
        document = pb.Document(document_id=job_id, session_id=job_id, content=content)
        try:
            await self._stub.StoreDocument(pb.StoreDocumentRequest(document=document))
        except grpc.RpcError as error:
            raise from_rpc_error(error, PEER) from error

    async def recipes(self, page_size: int, page_token: str) -> tuple[list[Recipe], str]:
        """A page of the caller's recipes and the token of the next."""
        try:
            answer = await self._stub.ListRecipes(
                pb.ListRecipesRequest(page_size=page_size, page_token=page_token)
            )
        except grpc.RpcError as error:
            raise from_rpc_error(error, PEER) from error
        return [contract.recipe_from(item) for item in answer.recipes], answer.next_page_token

    async def delete_recipe(self, recipe_id: str) -> None:
        """Forget one."""
        try:
            await self._stub.DeleteRecipe(pb.DeleteRecipeRequest(recipe_id=recipe_id))
        except grpc.RpcError as error:
            raise from_rpc_error(error, PEER) from error
