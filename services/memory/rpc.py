"""MemoryService: the contract's methods, each a call of one use case."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp
from grpc import aio
from pydantic import ValidationError

from assay.common.v1 import catalogue_pb2, operation_pb2
from assay.memory.v1 import memory_service_pb2 as pb
from assay.memory.v1 import memory_service_pb2_grpc as pb_grpc
from mesh.context import current
from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.faults import faults_of
from mesh.paging import keys_of, moment_key, page_size, token_of
from mesh.paging import moment_of as moment_of_key
from mesh.processes.failpoint import failpoint
from mesh.storage.files import folder_size
from mesh.text.json_text import read_json
from mesh.times import moment_of
from services.memory.app import Memory
from services.memory.domain.document import MemoryDocument
from services.memory.domain.recipe import TOP_RECIPES, Parameter, Recipe

Context = aio.ServicerContext[Any, Any]
_PAGE = 100
_RECIPES = "recipes"
_DOCUMENTS = 5


class MemoryServicer(pb_grpc.MemoryServiceServicer):
    """Turns messages into use cases and back, always for the calling tenant."""

    def __init__(self, memory: Memory, folder: Path | None) -> None:
        """`folder` is where the vectors lie; None where a Qdrant server has them."""
        self._memory = memory
        self._folder = folder

    async def GetStorage(
        self, request: pb.GetStorageRequest, context: Context
    ) -> pb.GetStorageResponse:
        """The folder, which all tenants share."""
        if self._folder is None:
            return pb.GetStorageResponse()
        files, size = await asyncio.to_thread(folder_size, self._folder)
        vectors = operation_pb2.StorageUse(
            kind=operation_pb2.STORAGE_KIND_MEMORY, service="memory", items=files, bytes=size
        )
        return pb.GetStorageResponse(whole=[vectors])

    async def RecallRecipes(
        self, request: pb.RecallRecipesRequest, context: Context
    ) -> pb.RecallRecipesResponse:
        """The best candidates."""
        found = await self._memory.recall_recipes(
            current().tenant,
            request.schema_fingerprint,
            request.intent,
            page_size(request.limit, TOP_RECIPES, 20, "limit"),
        )
        failpoint("memory: recall, unanswered")
        return pb.RecallRecipesResponse(
            recipes=[
                pb.RecalledRecipe(
                    recipe=_recipe_to(item.recipe),
                    similarity=item.similarity,
                    exact_fingerprint=item.exact_fingerprint,
                )
                for item in found
            ]
        )

    async def StoreRecipe(
        self, request: pb.StoreRecipeRequest, context: Context
    ) -> pb.StoreRecipeResponse:
        """Remember a plan that worked."""
        stored = await self._memory.store_recipe(_recipe_from(request.recipe))
        return pb.StoreRecipeResponse(recipe=_recipe_to(stored))

    async def RecordOutcome(
        self, request: pb.RecordOutcomeRequest, context: Context
    ) -> pb.RecordOutcomeResponse:
        """Count a reuse."""
        counted = await self._memory.record_outcome(
            current().tenant,
            request.recipe_id,
            request.succeeded,
            request.outcome_id,
            request.failure,
        )
        return pb.RecordOutcomeResponse(recipe=_recipe_to(counted))

    async def ListRecipes(
        self, request: pb.ListRecipesRequest, context: Context
    ) -> pb.ListRecipesResponse:
        """Newest use first."""
        size = page_size(request.page_size, _PAGE, _PAGE)
        after = keys_of(_RECIPES, request.page_token, (str, str))
        last = None if after is None else (moment_of_key(after[0]), str(after[1]))
        found = await self._memory.list_recipes(current().tenant, size + 1, last)
        page, more = found[:size], ""
        if len(found) > size:
            more = token_of(_RECIPES, (moment_key(page[-1].last_used_at), page[-1].recipe_id))
        return pb.ListRecipesResponse(
            recipes=[_recipe_to(recipe) for recipe in page], next_page_token=more
        )

    async def DeleteRecipe(
        self, request: pb.DeleteRecipeRequest, context: Context
    ) -> pb.DeleteRecipeResponse:
        """Forget one."""
        await self._memory.delete_recipe(current().tenant, request.recipe_id)
        return pb.DeleteRecipeResponse()

    async def StoreDocument(
        self, request: pb.StoreDocumentRequest, context: Context
    ) -> pb.StoreDocumentResponse:
        """Remember a text."""
        stored = await self._memory.store_document(_document_from(request.document))
        return pb.StoreDocumentResponse(document_id=stored.document_id)

    async def SearchDocuments(
        self, request: pb.SearchDocumentsRequest, context: Context
    ) -> pb.SearchDocumentsResponse:
        """Nearest first."""
        found = await self._memory.search_documents(
            current().tenant,
            request.query,
            page_size(request.limit, _DOCUMENTS, 100, "limit"),
            request.session_id,
        )
        return pb.SearchDocumentsResponse(
            documents=[
                pb.FoundDocument(document=_document_to(item.document), similarity=item.similarity)
                for item in found
            ]
        )

    async def Forget(self, request: pb.ForgetRequest, context: Context) -> pb.ForgetResponse:
        """Delete a session's documents."""
        deleted = await self._memory.forget(current().tenant, request.session_id)
        return pb.ForgetResponse(deleted=deleted)

    async def EmbedTexts(
        self, request: pb.EmbedTextsRequest, context: Context
    ) -> pb.EmbedTextsResponse:
        """Vectors of short texts."""
        name, vectors = await self._memory.embed_texts(request.texts)
        answer = pb.EmbedTextsResponse(embedder=name, by_meaning=vectors is not None)
        for vector in vectors if vectors is not None else ():
            answer.embeddings.add(values=vector.tolist())
        return answer


def _stamp(moment: datetime) -> Timestamp:
    stamp = Timestamp()
    stamp.FromDatetime(moment)
    return stamp


def _moment(stamp: Timestamp, present: bool) -> datetime:
    return moment_of(stamp) if present else datetime.now(UTC)


def _recipe_to(recipe: Recipe) -> catalogue_pb2.Recipe:
    parameters = [parameter.model_dump(mode="json") for parameter in recipe.parameters]
    return catalogue_pb2.Recipe(
        recipe_id=recipe.recipe_id,
        schema_fingerprint=recipe.schema_fingerprint,
        intent_template=recipe.intent_template,
        exact_question=recipe.exact_question,
        plan_structure_json=json.dumps(recipe.plan_structure, sort_keys=True),
        tool_argument_templates_json=json.dumps(recipe.tool_argument_templates, sort_keys=True),
        success_count=recipe.success_count,
        created_at=_stamp(recipe.created_at),
        last_used_at=_stamp(recipe.last_used_at),
        failure_count=recipe.failure_count,
        quarantined=recipe.quarantined,
        last_failure=recipe.last_failure,
        parameters_json=json.dumps(parameters, sort_keys=True),
    )


def _recipe_from(message: catalogue_pb2.Recipe) -> Recipe:
    try:
        return Recipe(
            recipe_id=message.recipe_id,
            tenant=current().tenant,
            schema_fingerprint=message.schema_fingerprint,
            intent_template=message.intent_template,
            exact_question=message.exact_question,
            plan_structure=read_json(message.plan_structure_json, "plan_structure_json"),
            tool_argument_templates=read_json(
                message.tool_argument_templates_json, "tool_argument_templates_json", list
            ),
            parameters=tuple(
                Parameter.model_validate(item)
                for item in read_json(message.parameters_json, "parameters_json", list)
            ),
            success_count=max(message.success_count, 1),
            created_at=_moment(message.created_at, message.HasField("created_at")),
            last_used_at=_moment(message.last_used_at, message.HasField("last_used_at")),
        )
    except ValidationError as error:
        raise _malformed("recipe", error) from None


def _document_to(document: MemoryDocument) -> pb.Document:
    return pb.Document(
        document_id=document.document_id,
        session_id=document.session_id,
        content=document.content,
        created_at=_stamp(document.created_at),
        metadata_json=json.dumps(document.metadata, sort_keys=True),
    )


def _document_from(message: pb.Document) -> MemoryDocument:
    try:
        return MemoryDocument(
            document_id=message.document_id,
            session_id=message.session_id,
            tenant=current().tenant,
            content=message.content,
            created_at=_moment(message.created_at, message.HasField("created_at")),
            metadata=read_json(message.metadata_json, "metadata_json"),
        )
    except ValidationError as error:
        raise _malformed("document", error) from None


def _malformed(what: str, error: ValidationError) -> AssayError:
    faults = faults_of(error, what)
    listing = "; ".join(f"{field} {text}" for field, text in faults.items())
    return AssayError(INVALID_ARGUMENT, f"the {what} is malformed: {listing}", fields=faults)
