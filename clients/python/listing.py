"""Lists that come in pages, fetched to their end or to a limit."""

from __future__ import annotations

from assay.common.v1.catalogue_pb2 import Recipe
from assay.common.v1.job_pb2 import Job
from assay.gateway.v1 import (
    catalogue_service_pb2,
    catalogue_service_pb2_grpc,
    job_service_pb2,
    job_service_pb2_grpc,
)
from clients.python.calls import answered

_LARGEST_PAGE = 100


async def list_jobs(stub: job_service_pb2_grpc.JobServiceStub, limit: int) -> list[Job]:
    """At most `limit` jobs, newest first. Raises AssayError."""
    jobs: list[Job] = []
    token = ""
    while len(jobs) < limit:
        request = job_service_pb2.ListJobsRequest(
            page_size=min(limit - len(jobs), _LARGEST_PAGE), page_token=token
        )
        page = await answered(stub.ListJobs(request))
        jobs += page.jobs
        token = page.next_page_token
        if not token:
            break
    return jobs


async def beginning_with(stub: job_service_pb2_grpc.JobServiceStub, start: str) -> list[str]:
    """Ids of the caller's jobs that begin with `start`; two at most are looked for."""
    found: dict[str, None] = {}
    token = ""
    while len(found) < 2:
        request = job_service_pb2.ListJobsRequest(page_size=_LARGEST_PAGE, page_token=token)
        page = await answered(stub.ListJobs(request))
        found |= {job.job_id: None for job in page.jobs if job.job_id.startswith(start)}
        token = page.next_page_token
        if not token:
            break
    return list(found)


async def list_recipes(
    stub: catalogue_service_pb2_grpc.CatalogueServiceStub,
) -> list[Recipe]:
    """Every recipe, newest use first. Raises AssayError."""
    recipes: list[Recipe] = []
    token = ""
    while True:
        request = catalogue_service_pb2.ListRecipesRequest(page_token=token)
        page = await answered(stub.ListRecipes(request))
        recipes += page.recipes
        token = page.next_page_token
        if not token:
            return recipes
