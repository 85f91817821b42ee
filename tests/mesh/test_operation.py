"""What operators see: the mesh, everybody's jobs of their tenant, and nothing of another."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
import pytest_asyncio
from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from assay.common.v1 import access_pb2, audit_pb2, data_pb2, job_pb2, operation_pb2
from assay.gateway.v1 import file_service_pb2 as files_pb
from assay.gateway.v1 import (
    file_service_pb2_grpc,
    job_service_pb2_grpc,
    operator_service_pb2_grpc,
    session_service_pb2_grpc,
    token_service_pb2_grpc,
)
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from assay.gateway.v1 import operator_service_pb2 as pb
from assay.gateway.v1 import session_service_pb2 as sessions_pb
from assay.gateway.v1 import token_service_pb2 as tokens_pb
from mesh.config import SERVICES
from mesh.ids import new_id
from mesh.transport.dial import open_channel
from tests.mesh import shared
from tests.mesh.support import question, refusal
from tests.unit.gateway.issuing import AUDIENCE, ISSUER, claims, signed, write_keys

pytestmark = shared.ON_ONE_LOOP


class Somebody:
    """A user of a tenant, by a signed token."""

    def __init__(self, address: str, tenant: str, user: str, role: str) -> None:
        token = signed(claims(datetime.now(UTC), tenant=tenant, sub=user, roles=[role]), "EdDSA")
        self.channel = open_channel(address, user, token=token)
        self.jobs = job_service_pb2_grpc.JobServiceStub(self.channel)
        self.files = file_service_pb2_grpc.FileServiceStub(self.channel)
        self.sessions = session_service_pb2_grpc.SessionServiceStub(self.channel)
        self.tokens = token_service_pb2_grpc.TokenServiceStub(self.channel)
        self.operation = operator_service_pb2_grpc.OperatorServiceStub(self.channel)

    async def uploaded(self, path: Path) -> tuple[str, str]:
        """A session and a file in it."""
        create = sessions_pb.CreateSessionRequest(request_id=new_id())
        session = (await self.sessions.CreateSession(create)).session.session_id
        parts = [
            files_pb.UploadFileRequest(
                head=files_pb.UploadFileHead(session_id=session, name=path.name)
            ),
            files_pb.UploadFileRequest(chunk=data_pb2.FileChunk(data=path.read_bytes())),
        ]
        return session, (await self.files.UploadFile(iter(parts))).file.file_id

    async def asked(self, text: str, session: str, file: str) -> job_pb2.Job:
        """The job once it has ended."""
        wanted = question(text)
        wanted.session_id = session
        wanted.analysis.data_sources.append(data_pb2.DataSource(file_id=file))
        job = (await self.jobs.CreateJob(wanted)).job
        async for _ in self.jobs.WatchJob(jobs_pb.WatchJobRequest(job_id=job.job_id)):
            pass
        return (await self.jobs.GetJob(jobs_pb.GetJobRequest(job_id=job.job_id))).job


@dataclass
class World:
    """Two tenants; the first runs the mesh."""

    ann: Somebody
    rita: Somebody
    olga: Somebody
    bob: Somebody
    job: job_pb2.Job
    session: str
    file: str


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    folder = tmp_path_factory.mktemp("keys")
    values = {
        "ASSAY_GATEWAY_AUTH": "tokens",
        "ASSAY_GATEWAY_JWT_KEYS": str(write_keys(folder / "keys")),
        "ASSAY_GATEWAY_JWT_ISSUERS": ISSUER,
        "ASSAY_GATEWAY_JWT_AUDIENCES": AUDIENCE,
        "ASSAY_GATEWAY_PLATFORM_TENANT": "acme",
    }
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        public = f"127.0.0.1:{free.getsockname()[1]}"
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(shared.settled_mesh(values, public=public))
        people = [
            Somebody(public, *who)
            for who in (
                ("acme", "ann", "analyst"),
                ("acme", "rita", "reader"),
                ("acme", "olga", "operator"),
                ("other", "bob", "operator"),
            )
        ]
        for one in people:
            await stack.enter_async_context(one.channel)
        sales = folder / "sales.csv"
        sales.write_text("region,price\nnorth,3\nsouth,4\nnorth,5\n")
        session, file = await people[0].uploaded(sales)
        job = await people[0].asked("total price by region", session, file)
        assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
        ann, rita, olga, bob = people
        yield World(ann, rita, olga, bob, job, session, file)


async def test_who_asked_is_told_and_everybody_of_the_tenant_is_listed(world: World) -> None:
    assert world.job.asked_by == "ann"
    made = tokens_pb.CreateTokenRequest(user="nightly", role=access_pb2.ROLE_ANALYST)
    await world.olga.tokens.CreateToken(made)
    told = await world.olga.operation.ListUsers(pb.ListUsersRequest())
    users = {user.name: user for user in told.users}
    assert users["ann"].jobs >= 1
    assert users["ann"].HasField("newest_job_at")
    assert users["nightly"].role == access_pb2.ROLE_ANALYST
    assert (users["nightly"].keys, users["nightly"].jobs) == (1, 0)
    assert not (await world.bob.operation.ListUsers(pb.ListUsersRequest())).users


async def test_an_operator_lists_watches_and_stops_what_others_asked(world: World) -> None:
    async def of(user: str) -> list[str]:
        wanted = jobs_pb.ListJobsRequest(asked_by=user)
        return [job.job_id for job in (await world.olga.jobs.ListJobs(wanted)).jobs]

    assert world.job.job_id in await of("ann")
    assert await of("olga") == []
    asked = jobs_pb.GetTraceRequest(job_id=world.job.job_id)
    assert (await world.olga.jobs.GetTrace(asked)).trace_id == world.job.trace_id
    assert (await refusal(world.bob.jobs.GetTrace(asked))).reason.code == "NOT_FOUND"
    stop = jobs_pb.CancelJobRequest(job_id=world.job.job_id)
    assert (await refusal(world.olga.jobs.CancelJob(stop))).reason.code == "JOB_FINISHED"
    assert (await refusal(world.rita.jobs.CancelJob(stop))).reason.code == "ROLE_MISSING"
    assert (await refusal(world.bob.jobs.CancelJob(stop))).reason.code == "NOT_FOUND"


async def test_the_mesh_tells_every_service_and_machines_to_who_runs_it_alone(
    world: World,
) -> None:
    told = await world.olga.operation.GetMesh(pb.GetMeshRequest())
    assert [service.name for service in told.services] == list(SERVICES)
    for service in told.services:
        assert service.state == pb.SERVICE_STATE_SERVING, service
        assert service.replicas[0].started_at.seconds > 0
        assert service.replicas[0].host == socket.gethostname()
        assert service.replicas[0].memory_bytes > 1_000_000
    assert told.of_platform
    assert told.HasField("whole_queue")
    assert told.most_waiting > 0
    theirs = await world.bob.operation.GetMesh(pb.GetMeshRequest())
    assert not theirs.of_platform
    assert not theirs.HasField("whole_queue")
    for service in theirs.services:
        assert service.state == pb.SERVICE_STATE_SERVING
        for replica in service.replicas:
            assert not (replica.host or replica.address or replica.process_id)
            assert not (replica.memory_bytes or replica.HasField("processor_time"))


async def test_a_job_at_work_is_told_with_its_lease_to_its_tenant(
    world: World, tmp_path: Path
) -> None:
    path = tmp_path / "many.csv"
    path.write_text("region,price\n" + "".join(f"r{n % 7},{n}\n" for n in range(200_000)))
    wanted = question("total price by region", timeout=60)
    wanted.session_id, file = await world.ann.uploaded(path)
    wanted.analysis.data_sources.append(data_pb2.DataSource(file_id=file))
    job = (await world.ann.jobs.CreateJob(wanted)).job
    async with asyncio.timeout(20):
        while not (held := (await world.olga.operation.GetMesh(pb.GetMeshRequest())).held):
            state = (await world.ann.jobs.GetJob(jobs_pb.GetJobRequest(job_id=job.job_id))).job
            assert state.state not in (job_pb2.JOB_STATE_COMPLETED, job_pb2.JOB_STATE_FAILED)
    assert (held[0].job_id, held[0].asked_by) == (job.job_id, "ann")
    assert held[0].lease_left.ToTimedelta().total_seconds() > 0
    assert not (await world.bob.operation.GetMesh(pb.GetMeshRequest())).held
    await world.olga.jobs.CancelJob(jobs_pb.CancelJobRequest(job_id=job.job_id))


async def test_what_was_not_answered_is_told_by_reason_and_missing_word(world: World) -> None:
    refused = await world.ann.asked("churn rate by loyalty tier", world.session, world.file)
    assert refused.failure.reason == "NOTHING_UNDERSTOOD"
    told = await world.olga.operation.ListGaps(pb.ListGapsRequest())
    gaps = {(gap.kind, gap.subject): gap for gap in told.gaps}
    reason = gaps[operation_pb2.GAP_KIND_REASON, "NOTHING_UNDERSTOOD"]
    word = gaps[operation_pb2.GAP_KIND_WORD, "loyalty"]
    assert (reason.refused, word.refused, told.refused) == (1, 1, 1)
    assert told.ended >= 2
    example = word.examples[0]
    assert (example.job_id, example.asked_by, example.refused) == (refused.job_id, "ann", True)
    assert example.question == "churn rate by loyalty tier"
    assert not (await world.bob.operation.ListGaps(pb.ListGapsRequest())).ended
    for days in (0, 367):
        wanted = pb.ListGapsRequest(within=Duration(seconds=days * 86_400))
        assert (await refusal(world.olga.operation.ListGaps(wanted))).reason.code == (
            "INVALID_ARGUMENT"
        )


async def test_access_is_told_by_role_and_of_columns_under_a_policy(
    world: World, tmp_path: Path
) -> None:
    async def told(**asked: object) -> pb.DescribeAccessResponse:
        wanted = pb.DescribeAccessRequest(**asked)  # type: ignore[arg-type]
        return await world.olga.operation.DescribeAccess(wanted)

    reader = await told(role=access_pb2.ROLE_READER)
    assert "JobService/ListJobs" in reader.methods
    assert "JobService/CreateJob" not in reader.methods
    assert not reader.tables
    stranger = await told(user="mallory")
    assert (stranger.role, list(stranger.methods)) == (access_pb2.ROLE_UNSPECIFIED, [])
    await world.olga.tokens.CreateToken(
        tokens_pb.CreateTokenRequest(user="nina", role=access_pb2.ROLE_ANALYST)
    )
    nobody = await refusal(world.olga.operation.DescribeAccess(pb.DescribeAccessRequest()))
    assert nobody.reason.code == "INVALID_ARGUMENT"
    nina = await told(user="nina", job_id=world.job.job_id)
    assert nina.role == access_pb2.ROLE_ANALYST
    assert "JobService/CreateJob" in nina.methods
    assert {column.sight for table in nina.tables for column in table.columns} == {pb.SIGHT_SHOWN}
    assert nina.tables[0].rows == 3
    assert any("nina" in sentence for sentence in nina.told)

    people = tmp_path / "people.csv"
    rows = "".join(f"p{n}@example.com,x{n}@example.org please,{n},red\n" for n in range(9))
    people.write_text("email,note,age,colour\n" + rows)
    session, file = await world.ann.uploaded(people)
    wanted = question("number of rows by colour", blocked=["email"])
    wanted.session_id = session
    wanted.analysis.data_sources.append(data_pb2.DataSource(file_id=file))
    job = (await world.ann.jobs.CreateJob(wanted)).job
    hidden = await told(role=access_pb2.ROLE_READER, job_id=job.job_id)
    assert list(hidden.policy.blocked_patterns) == ["email"]
    assert {column.name: column.sight for column in hidden.tables[0].columns} == {
        "email": pb.SIGHT_HIDDEN,
        "note": pb.SIGHT_MASKED,
        "age": pb.SIGHT_SHOWN,
        "colour": pb.SIGHT_MASKED_WHERE_MATCHED,
    }
    assert "example" not in str(hidden.tables), "names of columns are told, and no value"
    both = pb.DescribeAccessRequest(
        role=access_pb2.ROLE_READER, job_id=job.job_id, policy=data_pb2.Policy()
    )
    refused = await refusal(world.olga.operation.DescribeAccess(both))
    assert refused.reason.code == "INVALID_ARGUMENT"


async def test_storage_is_told_of_the_tenant_and_of_the_mesh_to_who_runs_it(world: World) -> None:
    def sizes(uses: Iterable[operation_pb2.StorageUse]) -> dict[int, int]:
        return {use.kind: use.bytes for use in uses}

    told = await world.olga.operation.GetStorage(pb.GetStorageRequest())
    assert not told.away
    own = sizes(told.uses)
    assert own[operation_pb2.STORAGE_KIND_UPLOAD] > 0
    assert own[operation_pb2.STORAGE_KIND_FRAME] > 0
    assert own[operation_pb2.STORAGE_KIND_CALL] > 0
    whole = {(use.kind, use.service) for use in told.whole}
    assert (operation_pb2.STORAGE_KIND_DATABASE, "planner") in whole
    assert (operation_pb2.STORAGE_KIND_DATABASE, "gateway") in whole
    assert (operation_pb2.STORAGE_KIND_MEMORY, "memory") in whole
    assert sizes(told.whole)[operation_pb2.STORAGE_KIND_LOG] > 0
    ends = [one for one in told.next if one.reason == pb.REMOVAL_REASON_SESSION_ENDS]
    assert world.session in {one.id for one in ends}
    assert all(one.items >= 1 and one.bytes > 0 for one in ends)
    settings = {rule.setting for rule in told.rules}
    assert {"ASSAY_GATEWAY_SESSION_HOURS", "ASSAY_EXECUTOR_GRACE_SECONDS"} <= settings
    theirs = await world.bob.operation.GetStorage(pb.GetStorageRequest())
    assert not any(use.bytes or use.items for use in theirs.uses)
    assert (list(theirs.whole), list(theirs.next)) == ([], [])


async def test_the_record_is_told_across_jobs_newest_first_and_of_the_tenant_alone(
    world: World,
) -> None:
    async def entries(who: Somebody, **asked: object) -> list[audit_pb2.AuditEntry]:
        found: list[audit_pb2.AuditEntry] = []
        token = ""
        while True:
            wanted = pb.ListTenantEntriesRequest(page_size=7, page_token=token, **asked)  # type: ignore[arg-type]
            page = await who.operation.ListTenantEntries(wanted)
            found += page.entries
            token = page.next_page_token
            if not token:
                return found

    made = tokens_pb.CreateTokenRequest(user="vera", role=access_pb2.ROLE_READER)
    await world.olga.tokens.CreateToken(made)
    every = await entries(world.olga)
    leaves = [one.leaf_index for one in every]
    assert leaves == sorted(set(leaves), reverse=True)
    assert world.job.job_id in {one.request_id for one in every}
    keys = await entries(world.olga, event_types=["policy_decision"], user="vera")
    assert [one.event_type for one in keys] == ["policy_decision"]
    assert "TOKEN_CREATED" in keys[0].event_data_json
    at = Timestamp()
    at.FromDatetime(datetime.fromisoformat(keys[0].timestamp))
    before = await entries(world.olga, until=at)
    assert {one.leaf_index for one in before} == {n for n in leaves if n < keys[0].leaf_index}
    own = {one.leaf_index for one in await entries(world.bob)}
    assert not own & set(leaves)
    for wrong in ({"event_types": ["nothing"]}, {"page_size": -1}, {"page_token": "x"}):
        call = world.olga.operation.ListTenantEntries(pb.ListTenantEntriesRequest(**wrong))
        assert (await refusal(call)).reason.code == "INVALID_ARGUMENT", wrong


async def test_analysts_and_readers_operate_nothing(world: World) -> None:
    for somebody in (world.ann, world.rita):
        for call in (
            somebody.operation.GetMesh(pb.GetMeshRequest()),
            somebody.operation.ListUsers(pb.ListUsersRequest()),
            somebody.operation.ListGaps(pb.ListGapsRequest()),
            somebody.operation.GetStorage(pb.GetStorageRequest()),
            somebody.operation.ListTenantEntries(pb.ListTenantEntriesRequest()),
            somebody.operation.DescribeAccess(pb.DescribeAccessRequest()),
        ):
            assert (await refusal(call)).reason.code == "ROLE_MISSING"
