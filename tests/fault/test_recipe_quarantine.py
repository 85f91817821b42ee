"""A recipe that keeps failing: answers are right without it, and after three tries it rests."""

from __future__ import annotations

import asyncio
import csv
import json
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from assay.common.v1 import analysis_pb2, catalogue_pb2, job_pb2
from assay.gateway.v1 import catalogue_service_pb2 as catalogue_pb
from assay.memory.v1 import memory_service_pb2 as pb
from assay.memory.v1 import memory_service_pb2_grpc as pb_grpc
from mesh.config import MeshSettings
from mesh.ids import new_id
from mesh.testing.mesh import running_mesh
from services.__main__ import factories
from services.planner.domain.analysis.way_of_reading import READING
from tests.mesh.support import Caller, question

pytestmark = pytest.mark.asyncio

QUESTION = "total quantity in North"
SUMMARY = [analysis_pb2.DELIVERABLE_SUMMARY, analysis_pb2.DELIVERABLE_TABLES]
SIDES, BANKS = ("North", "South", "West"), ("left", "right")


@pytest_asyncio.fixture
async def settings() -> AsyncIterator[MeshSettings]:
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        async with running_mesh(Path(folder), factories) as settings:
            yield settings


@pytest_asyncio.fixture
async def ann(settings: MeshSettings) -> AsyncIterator[Caller]:
    async with Caller(settings, "ann") as caller:
        yield caller


def write(path: Path, first: str = "side", second: str = "bank", swapped: bool = False) -> int:
    """Sixty sales; `swapped` puts the values of each of the two columns into the other. Returns
    the quantity in the North."""
    total = 0
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["sale_id", first, second, "quantity"])
        for number in range(60):
            side, bank, quantity = SIDES[number % 3], BANKS[number % 2], number % 5 + 1
            total += quantity if side == "North" else 0
            places = (bank, side) if swapped else (side, bank)
            rows.writerow([number + 1, *places, quantity])
    return total


async def answer(ann: Caller, path: Path) -> job_pb2.Job:
    job = await ann.asked(question(QUESTION, path, deliverables=SUMMARY))
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    return job


def figure(job: job_pb2.Job) -> int:
    """The answer's only number."""
    (claim,) = job.answer.claims
    return int(float(claim.value))


async def recipes(ann: Caller) -> dict[str, catalogue_pb2.Recipe]:
    found = await ann.catalogue.ListRecipes(catalogue_pb.ListRecipesRequest())
    return {recipe.recipe_id: recipe for recipe in found.recipes}


async def forget_all_but(ann: Caller, kept: str) -> None:
    """Whoever forgets the plans that were made afresh has the old one tried again."""
    for recipe_id in (await recipes(ann)).keys() - {kept}:
        await ann.catalogue.DeleteRecipe(catalogue_pb.DeleteRecipeRequest(recipe_id=recipe_id))


async def recalled(ann: Caller, fingerprint: str) -> list[str]:
    memory: Any = pb_grpc.MemoryServiceStub(ann.channel("memory"))
    request = pb.RecallRecipesRequest(schema_fingerprint=fingerprint, intent=QUESTION)
    return [item.recipe.recipe_id for item in (await memory.RecallRecipes(request)).recipes]


async def shown(settings: MeshSettings) -> str:
    """What `assay recipes` prints."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "clients.python.cli.main",
        "recipes",
        "--server",
        settings.gateway_address,
        "--user",
        "ann",
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={"COLUMNS": "200", "PATH": "/usr/bin:/bin"},
    )
    output, _ = await process.communicate()
    return " ".join(output.decode().split())


async def test_a_recipe_whose_value_is_gone_fails_thrice_and_rests(
    settings: MeshSettings, ann: Caller, tmp_path: Path
) -> None:
    path = tmp_path / "sales.csv"
    total = write(path)
    first = await answer(ann, path)
    assert (figure(first), first.answer.recipe) == (total, "recipe saved")
    (old,) = (await recipes(ann)).values()
    assert (await answer(ann, path)).answer.recipe == "recipe used"

    write(path, swapped=True)
    for failures in (1, 2, 3):
        job = await answer(ann, path)
        assert figure(job) == total
        assert "recipe" in job.answer.recipe and job.answer.recipe != "recipe used"
        counted = (await recipes(ann))[old.recipe_id]
        assert counted.failure_count == failures
        assert counted.quarantined == (failures == 3)
        assert "'North' is no value of" in counted.last_failure
        await forget_all_but(ann, old.recipe_id)
    assert old.recipe_id not in await recalled(ann, old.schema_fingerprint)
    said = await shown(settings)
    assert "not used any more: failed three times, last because 'North' is no value of" in said

    assert figure(await answer(ann, path)) == total
    assert (await recipes(ann))[old.recipe_id].failure_count == 3, "it is not tried again"


async def test_a_recipe_that_names_a_lost_column_fails_thrice_and_rests(
    ann: Caller, tmp_path: Path
) -> None:
    path = tmp_path / "sales.csv"
    write(path)
    await answer(ann, path)
    (old,) = (await recipes(ann)).values()

    total = write(path, first="area")
    job = await answer(ann, path)
    assert figure(job) == total
    assert (await recipes(ann))[old.recipe_id].failure_count == 0, "of another schema: not tried"
    (today,) = [r for r in (await recipes(ann)).values() if r.recipe_id != old.recipe_id]
    wrong = catalogue_pb2.Recipe()
    wrong.CopyFrom(old)
    wrong.recipe_id, wrong.schema_fingerprint = new_id(), today.schema_fingerprint
    await pb_grpc.MemoryServiceStub(ann.channel("memory")).StoreRecipe(
        pb.StoreRecipeRequest(recipe=wrong)
    )
    for failures in (1, 2, 3):
        await forget_all_but(ann, wrong.recipe_id)
        assert figure(await answer(ann, path)) == total
        counted = (await recipes(ann))[wrong.recipe_id]
        assert (counted.failure_count, counted.quarantined) == (failures, failures == 3)
        assert counted.last_failure.startswith("there is no column")
    assert wrong.recipe_id not in await recalled(ann, today.schema_fingerprint)


async def test_a_recipe_that_cannot_be_read_does_no_harm(ann: Caller, tmp_path: Path) -> None:
    path = tmp_path / "sales.csv"
    total = write(path)
    await answer(ann, path)
    (old,) = (await recipes(ann)).values()
    broken = catalogue_pb2.Recipe()
    broken.CopyFrom(old)
    broken.recipe_id = new_id()
    broken.plan_structure_json = json.dumps(
        {"reading": READING, "intent": {"base": 7}, "places": [], "subtasks": [{}]}
    )
    await forget_all_but(ann, "")
    await pb_grpc.MemoryServiceStub(ann.channel("memory")).StoreRecipe(
        pb.StoreRecipeRequest(recipe=broken)
    )
    job = await answer(ann, path)
    assert (figure(job), job.answer.recipe) == (total, "recipe saved")
    (mended,) = (await recipes(ann)).values()
    assert mended.recipe_id == broken.recipe_id, "the plan made afresh took its place"
    assert mended.failure_count == 0
    assert (await answer(ann, path)).answer.recipe == "recipe used"
