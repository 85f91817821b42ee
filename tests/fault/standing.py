"""What a person has in a mesh, done and then read back through the gateway alone."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from google.protobuf.json_format import MessageToDict

from assay.common.v1 import data_pb2, job_pb2
from assay.gateway.v1 import domain_service_pb2 as domains_pb
from clients.python.client import AssayClient
from clients.python.question import Question
from mesh.proof.checkpoint import Checkpoint, VerifierKey, verify_checkpoint
from mesh.proof.merkle import verify_consistency

PATIENCE_SECONDS = 170
# What a read changes, or what says how a moment ago differs from now.
MOVING = {"elapsed", "lastUsedAt", "lastUsed", "lastAccessed"}


@dataclass(frozen=True)
class Done:
    """What was done: ids of it."""

    session: str
    jobs: tuple[str, ...]
    checkpoint: Checkpoint


async def ended(client: AssayClient, question: Question) -> job_pb2.Job:
    """A question's job once it has ended, however busy the machine is."""
    asked = replace(question, timeout_seconds=PATIENCE_SECONDS)
    job = await client.submit(await client.request(asked))
    async for _ in client.watch(job.job_id):
        pass
    return await client.get_job(job.job_id)


async def something_done(client: AssayClient, sales: Path, place: data_pb2.DataSource) -> Done:
    """A session with a file, answers in it and outside of it, one of them a failure; a named source
    and an answer from it, a domain, and a conversation."""
    session = (await client.sessions.create("Sales of the year")).session_id
    await client.sessions.upload(session, sales)
    await client.sources.add("shop", place)
    domain = domains_pb.Domain(
        name="sales", display_name="Sales", description="what was sold", source_name="shop"
    )
    await client.domains.add(domain)
    asked = (
        Question("total price by region as a bar chart", session=session, assume=True),
        Question("total quantity by product", data=(str(sales),), assume=True),
        Question("number of orders", on=("shop",), assume=True),
    )
    jobs = [await ended(client, question) for question in asked]
    assert {job.state for job in jobs} == {job_pb2.JOB_STATE_COMPLETED}, jobs
    lost = Question("total zorkness by frobnicator", session=session)
    jobs.append(await ended(client, lost))
    terms = await client.request(Question("total quantity", session=session, assume=True))
    async for _ in client.conversations.send("total quantity by region", terms=terms):
        pass
    return Done(session, tuple(job.job_id for job in jobs), await newest(client))


async def newest(client: AssayClient) -> Checkpoint:
    """The log's newest checkpoint, signed by the key that the mesh says is its."""
    told = await client.records.checkpoint()
    return verify_checkpoint(told.note, VerifierKey.parse(told.verifier_key))


async def goes_on_from(client: AssayClient, before: Checkpoint) -> None:
    """The log of now continues the log of then."""
    now = await newest(client)
    proof = await client.records.consistency(before.size, now.size)
    verify_consistency(before.size, now.size, proof, before.root, now.root)


async def read_back(client: AssayClient, folder: Path) -> dict[str, Any]:
    """All that a user can read of what is theirs, contents by their digests."""
    found: dict[str, Any] = {
        "sources": [shown(each) for each in await client.sources.all()],
        "domains": [shown(each) for each in await client.domains.all()],
        "recipes": sorted((shown(each) for each in await client.list_recipes()), key=repr),
    }
    for session in await client.sessions.newest():
        found[f"session {session.session_id}"] = shown(session)
        for file in await client.sessions.files(session.session_id):
            await client.sessions.download(file, folder / file.file_id)
            found[f"file {file.file_id}"] = (shown(file), digest(folder / file.file_id))
        for talk in await client.sessions.conversations(session.session_id):
            said = await client.sessions.messages(talk.conversation_id)
            found[f"conversation {talk.conversation_id}"] = [shown(each) for each in said]
    for listed in await client.list_jobs():
        found |= await _job(client, listed.job_id, folder)
    return found


async def _job(client: AssayClient, job_id: str, folder: Path) -> dict[str, Any]:
    """A job with its events, its files, its chain, and whether it is proved."""
    job = await client.get_job(job_id)
    files = [await client.download(each, folder) for each in job.answer.artifacts]
    chain = b"".join([piece async for piece in client.export_chain(job_id)])
    verified = await client.verify(job_id)
    assert verified.ok or job.state != job_pb2.JOB_STATE_COMPLETED, verified
    return {
        f"job {job_id}": shown(job),
        f"events of {job_id}": [shown(event) async for event in client.watch(job_id)],
        f"files of {job_id}": [digest(file) for file in files],
        f"chain of {job_id}": chain.decode(),
        f"proof of {job_id}": verified.ok,
    }


def shown(message: Any) -> Any:
    """A message without what moves."""
    return _still(MessageToDict(message))


def _still(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _still(each) for key, each in value.items() if key not in MOVING}
    return [_still(each) for each in value] if isinstance(value, list) else value


def digest(path: Path) -> str:
    """A file's SHA-256."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
