"""Memory over gRPC, as the planner's Memory port."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

import grpc

from assay.memory.v1 import memory_service_pb2 as pb
from assay.memory.v1 import memory_service_pb2_grpc as pb_grpc
from mesh.errors import SERVICE_UNAVAILABLE, TIMEOUT, AssayError, Kind
from mesh.transport.breaker import Breaker, BreakerState
from mesh.transport.status import from_rpc_error
from services.planner import contract
from services.planner.domain.analysis.recipe import RecalledRecipe, Recipe
from services.planner.ports import Embedded

log = logging.getLogger("assay.planner")

PEER = "memory"


class RemoteMemory:
    """Asks the memory service; AssayError says that it is away.

    What jobs ask for goes through the breaker: once memory failed too often, they are refused at
    once rather than kept waiting. What a person asks for is always tried.
    """

    def __init__(self, channel: grpc.aio.Channel, breaker: Breaker) -> None:
        self._stub = pb_grpc.MemoryServiceStub(channel)
        self._breaker = breaker

    async def recall(self, fingerprint: str, intent: str) -> list[RecalledRecipe]:
        """Up to three candidates."""
        request = pb.RecallRecipesRequest(schema_fingerprint=fingerprint, intent=intent, limit=3)
        answer = await self._for_a_job(self._stub.RecallRecipes, request)
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
        request = pb.StoreRecipeRequest(recipe=contract.recipe_to(recipe))
        await self._for_a_job(self._stub.StoreRecipe, request)

    async def record_outcome(self, recipe_id: str, job_id: str, failure: str = "") -> None:
        """How a reuse went, and why it failed if it did; counted once a job."""
        request = pb.RecordOutcomeRequest(
            recipe_id=recipe_id, succeeded=not failure, outcome_id=job_id, failure=failure
        )
        await self._for_a_job(self._stub.RecordOutcome, request)

    async def store_document(self, job_id: str, content: str, session_id: str = "") -> None:
        """Remember what a job came to for later questions; it is forgotten with its session."""
        document = pb.Document(document_id=job_id, session_id=session_id or job_id, content=content)
        request = pb.StoreDocumentRequest(document=document)
        await self._for_a_job(self._stub.StoreDocument, request)

    async def search_documents(self, question: str, session_id: str) -> list[str]:
        """Jobs of a session whose documents are nearest to a question, the nearest first."""
        request = pb.SearchDocumentsRequest(query=question, session_id=session_id)
        answer = await self._answered(self._stub.SearchDocuments, request)
        return [found.document.document_id for found in answer.documents]

    async def make_ready(self) -> None:
        """Have the model loaded, by a vector that nobody needs."""
        await self.embed(["ready"])

    async def embed(self, texts: Sequence[str]) -> Embedded:
        """A vector for each short text; none where no model is set up."""
        answer = await self._for_a_job(self._stub.EmbedTexts, pb.EmbedTextsRequest(texts=texts))
        return Embedded(
            embedder=answer.embedder,
            vectors=tuple(tuple(embedding.values) for embedding in answer.embeddings),
        )

    async def recipes(self, page_size: int, page_token: str) -> tuple[list[Recipe], str]:
        """A page of the caller's recipes and the token of the next."""
        request = pb.ListRecipesRequest(page_size=page_size, page_token=page_token)
        answer = await self._answered(self._stub.ListRecipes, request)
        return [contract.recipe_from(item) for item in answer.recipes], answer.next_page_token

    async def delete_recipe(self, recipe_id: str) -> None:
        """Forget one."""
        await self._answered(self._stub.DeleteRecipe, pb.DeleteRecipeRequest(recipe_id=recipe_id))

    async def _for_a_job(self, method: Callable[[Any], Any], request: Any) -> Any:
        if not self._breaker.admits():
            failures, seconds = self._breaker.failures, self._breaker.seconds_left
            raise AssayError(
                SERVICE_UNAVAILABLE,
                f"the memory service failed {failures} times in a row; "
                f"it is asked again in {seconds:.1f} s",
            )
        return await self._answered(method, request)

    async def _answered(self, method: Callable[[Any], Any], request: Any) -> Any:
        before = self._breaker.state
        try:
            answer = await method(request)
        except grpc.RpcError as failure:
            error = from_rpc_error(failure, PEER)
            if _is_away(error):
                self._breaker.failed()
                self._tell(before)
            else:
                self._breaker.succeeded()
            raise error from failure
        self._breaker.succeeded()
        self._tell(before)
        return answer

    def _tell(self, before: BreakerState) -> None:
        now = self._breaker.state
        if now is before:
            return
        if now is BreakerState.CLOSED:
            log.info("memory answers again")
        elif before is BreakerState.CLOSED:
            failures, seconds = self._breaker.failures, self._breaker.seconds_left
            log.warning(
                "memory failed %d times in a row: jobs go on without, it is tried again in %.1f s",
                failures,
                seconds,
            )


def _is_away(error: AssayError) -> bool:
    """Whether memory did not answer, or says that its store does not; all else is an answer."""
    return error.reason is TIMEOUT or error.reason.kind is Kind.UNAVAILABLE
