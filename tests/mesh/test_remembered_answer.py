"""A remembered plan that runs, and whose answer cannot be, is not told: planned afresh."""

from __future__ import annotations

import json
from pathlib import Path

from assay.common.v1 import analysis_pb2, catalogue_pb2, job_pb2
from assay.gateway.v1 import catalogue_service_pb2 as catalogue_pb
from assay.memory.v1 import memory_service_pb2 as pb
from assay.memory.v1 import memory_service_pb2_grpc as pb_grpc
from mesh.ids import new_id
from tests.mesh import shared
from tests.mesh.support import Caller, question

pytestmark = shared.ON_ONE_LOOP
ann = shared.ann

QUESTION = "average quantity by region"


async def recipe(ann: Caller) -> catalogue_pb2.Recipe:
    (found,) = (await ann.catalogue.ListRecipes(catalogue_pb.ListRecipesRequest())).recipes
    return found


async def test_an_answer_out_of_range_is_planned_afresh_and_the_recipe_mended(
    ann: Caller, sales: Path
) -> None:
    tables = [analysis_pb2.DELIVERABLE_TABLES]
    first = await ann.asked(question(QUESTION, sales, deliverables=tables))
    old = await recipe(ann)
    wrong = catalogue_pb2.Recipe()
    wrong.CopyFrom(old)
    wrong.recipe_id = new_id()
    kept = json.loads(old.plan_structure_json)
    query = kept["draft"]["subtasks"][0]["arguments"]["query"]
    kept["draft"]["subtasks"][0]["arguments"]["query"] = query.replace("AVG(", "1000 * AVG(")
    wrong.plan_structure_json = json.dumps(kept)
    await ann.catalogue.DeleteRecipe(catalogue_pb.DeleteRecipeRequest(recipe_id=old.recipe_id))
    memory = pb_grpc.MemoryServiceStub(ann.channel("memory"))
    await memory.StoreRecipe(pb.StoreRecipeRequest(recipe=wrong))

    job = await ann.asked(question(QUESTION, sales, deliverables=tables))

    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert job.answer.table.digest == first.answer.table.digest
    assert any("is the most there can be" in caveat for caveat in job.answer.caveats)
    mended = await recipe(ann)
    assert mended.recipe_id == wrong.recipe_id, "the plan that was made afresh takes its place"
    assert (
        json.loads(mended.plan_structure_json)["draft"]
        == json.loads(old.plan_structure_json)["draft"]
    )
    again = await ann.asked(question(QUESTION, sales, deliverables=tables))
    assert again.answer.recipe == "recipe used"
    assert again.answer.table.digest == first.answer.table.digest
