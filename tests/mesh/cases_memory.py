"""Calls of the memory service that name what is a tenant's."""

from __future__ import annotations

from assay.common.v1 import catalogue_pb2
from assay.memory.v1 import memory_service_pb2 as memory_pb
from tests.mesh.case import NOTHING, OPEN, Case, one

MEMORY = "/assay.memory.v1.MemoryService"

MEMORY_CASES: dict[str, list[Case]] = {
    f"{MEMORY}/RecallRecipes": [
        one(
            lambda o: memory_pb.RecallRecipesRequest(
                schema_fingerprint="a" * 64, intent="total price by region"
            ),
            NOTHING,
        )
    ],
    f"{MEMORY}/StoreRecipe": [
        one(
            lambda o: memory_pb.StoreRecipeRequest(
                recipe=catalogue_pb2.Recipe(
                    recipe_id=o.recipe, schema_fingerprint="a" * 64, intent_template="{bob}'s own"
                )
            ),
            OPEN,
        )
    ],
    f"{MEMORY}/RecordOutcome": [
        one(lambda o: memory_pb.RecordOutcomeRequest(recipe_id=o.recipe, succeeded=False))
    ],
    f"{MEMORY}/GetStorage": [one(lambda o: memory_pb.GetStorageRequest(), NOTHING)],
    f"{MEMORY}/ListRecipes": [one(lambda o: memory_pb.ListRecipesRequest(), NOTHING)],
    f"{MEMORY}/DeleteRecipe": [one(lambda o: memory_pb.DeleteRecipeRequest(recipe_id=o.recipe))],
    f"{MEMORY}/StoreDocument": [
        one(
            lambda o: memory_pb.StoreDocumentRequest(
                document=memory_pb.Document(
                    document_id=o.document, session_id=o.session, content="bob's own"
                )
            ),
            OPEN,
        )
    ],
    f"{MEMORY}/SearchDocuments": [
        one(
            lambda o: memory_pb.SearchDocumentsRequest(
                query="north leads in sales", session_id=o.session
            ),
            NOTHING,
        )
    ],
    f"{MEMORY}/Forget": [one(lambda o: memory_pb.ForgetRequest(session_id=o.session), OPEN)],
    f"{MEMORY}/EmbedTexts": [one(lambda o: memory_pb.EmbedTextsRequest(texts=["north"]), OPEN)],
}
