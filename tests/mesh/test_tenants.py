"""What is one tenant's is not there for another: at every rpc of every service, whoever asks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import grpc
from google.protobuf.message import Message

from assay.audit.v1 import audit_service_pb2 as audit_pb
from assay.common.v1 import job_pb2
from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.gateway.v1 import audit_service_pb2 as records_pb
from assay.gateway.v1 import catalogue_service_pb2 as catalogue_pb
from assay.memory.v1 import memory_service_pb2 as memory_pb
from mesh.transport.status import from_rpc_error
from tests.mesh.cases import AUDIT, CASES, MEMORY, NOT_FOUND, NOTHING, OPEN, sourced
from tests.mesh.every_rpc import called, every_rpc, service_of
from tests.mesh.owned import Owned, names
from tests.mesh.support import Caller

RPCS = every_rpc()


def test_every_rpc_has_a_case() -> None:
    assert set(CASES) == set(RPCS)


async def got(
    bob: Caller, name: str, requests: list[Message], seconds: float = 30.0
) -> str | list[Any]:
    """The answers, or the reason of the refusal."""
    try:
        channel = bob.channel(service_of(name))
        return await called(channel, name, RPCS[name], requests, seconds=seconds)
    except grpc.RpcError as error:
        return from_rpc_error(error).reason.code


async def recorded(bob: Caller, until: Callable[[list[dict[str, Any]]], bool]) -> list[Any]:
    """What bob was refused, from the log, which he may read; waits until it is there."""
    found: list[dict[str, Any]] = []
    async with asyncio.timeout(20):
        async for told in bob.audit.Watch(audit_pb.WatchRequest()):
            data = json.loads(told.entry.event_data_json)
            if "not the caller's" in data.get("reason", ""):
                assert data["caller"] == "bob"
                found.append(data)
            if until(found):
                return found
    return found


async def test_no_rpc_gives_another_tenant_anything_and_refusals_are_recorded(
    ann: Caller, bob: Caller, owned: Owned
) -> None:
    wanted: set[str] = set()
    cases = [(name, case) for name in CASES for case in CASES[name]]
    # What he may do comes last: under ann's ids he then has things of his own.
    for name, case in sorted(cases, key=lambda each: each[1].expected == OPEN):
        seconds = 3.0 if name == f"{AUDIT}/Watch" else 30.0  # it waits for what never comes
        answer = await got(bob, name, case.make(owned), seconds)
        if case.expected == NOT_FOUND:
            answer = await observed(answer)
            assert answer == "NOT_FOUND", (name, answer)
        elif case.expected == NOTHING:
            answers = [] if isinstance(answer, str) else answer
            if name == f"{AUDIT}/Watch":  # the record of his own refusals says what he named
                answers = [told for told in answers if '"caller": "bob"' not in entry_of(told)]
            told = "".join(map(str, answers))
            assert not [text for text in names(owned) if text in told], (name, told)
        wanted |= {case.recorded} - {""}
    assert wanted
    await recorded(bob, lambda found: all(any(kind in data for data in found) for kind in wanted))
    await everything_is_still_there(ann, owned)


def entry_of(told: audit_pb.WatchResponse) -> str:
    return told.entry.event_data_json


async def observed(answer: str | list[Any]) -> str:
    """The reason of a refusal, also where it is the observation of a tool's call."""
    if isinstance(answer, str):
        return answer
    details = [json.loads(part.observation.error_details_json or "{}") for part in answer]
    return str(details[-1].get("reason", "")) if details else "nothing"


async def everything_is_still_there(ann: Caller, owned: Owned) -> None:
    """Nothing that bob tried changed what is ann's."""
    read = executor_pb.ReadFrameRequest(digest=owned.frame.digest)
    assert [piece async for piece in ann.executor.ReadFrame(read)]
    described = executor_pb.DescribeSourceRequest(sources=sourced(owned))
    assert (await ann.executor.DescribeSource(described)).tables
    get = executor_pb.GetArtifactRequest(content_ref=owned.artifact.content_ref)
    assert [piece async for piece in ann.executor.GetArtifact(get)]
    assert (await ann.job(owned.job)).state == job_pb2.JOB_STATE_COMPLETED
    recipes = (await ann.catalogue.ListRecipes(catalogue_pb.ListRecipesRequest())).recipes
    assert [recipe.failure_count for recipe in recipes if recipe.recipe_id == owned.recipe] == [0]
    search = memory_pb.SearchDocumentsRequest(query="north leads in sales")
    name = f"{MEMORY}/SearchDocuments"
    [found] = await called(ann.channel("memory"), name, RPCS[name], [search])
    assert [item.document.content for item in found.documents][:1] == ["north leads in sales"]
    checked = await ann.records.VerifyJob(records_pb.VerifyJobRequest(job_id=owned.job))
    assert checked.ok, checked
