"""OperatorService: what those who run a mesh see of it, and of their own tenant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from grpc import aio

from assay.audit.v1 import audit_service_pb2 as audit_pb
from assay.audit.v1 import audit_service_pb2_grpc as audit_grpc
from assay.common.v1 import access_pb2, data_pb2
from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.executor.v1 import executor_service_pb2_grpc
from assay.gateway.v1 import operator_service_pb2 as pb
from assay.gateway.v1 import operator_service_pb2_grpc
from assay.planner.v1 import planner_service_pb2 as planner_pb
from assay.planner.v1 import planner_service_pb2_grpc
from gateway.admission.strangers import Strangers
from gateway.domain.api_key import ApiKey
from gateway.domain.known_source import source_name
from gateway.forwarding import answered
from gateway.jobs.preparing import for_the_executor
from gateway.operation.access import (
    as_role,
    describe_policy,
    describe_role,
    methods_of,
    tables_of,
)
from gateway.operation.standing import ANSWERED_SECONDS, Peers, standing_of_all
from gateway.operation.storage import Storage
from gateway.operation.users import users_of
from gateway.sources.app import KnownSources
from gateway.sources.resolving import message_of
from gateway.tokens.app import ApiKeys
from mesh.clock import Clock
from mesh.context import changed, current
from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.ids import parse_id
from mesh.roles import Role
from mesh.transport.patience import patient


class AskedData(Protocol):
    """What jobs were asked about."""

    async def data_of(self, job_id: str) -> tuple[Sequence[executor_pb.Source], data_pb2.Policy]:
        """The sources as the executor finds them, and the policy. Raises AssayError(NOT_FOUND)."""
        ...


Context = aio.ServicerContext[Any, Any]
_AT_ONCE = 100


class OperatorServicer(operator_service_pb2_grpc.OperatorServiceServicer):
    """Serves assay.gateway.v1.OperatorService.

    `platform` is the tenant whose operators are told what is the mesh's own; empty for none.
    """

    def __init__(
        self,
        planner: planner_service_pb2_grpc.PlannerServiceStub,
        executor: executor_service_pb2_grpc.ExecutorServiceStub,
        peers: Peers,
        keys: ApiKeys,
        known: KnownSources,
        jobs: AskedData,
        audit: audit_grpc.AuditServiceStub,
        storage: Storage,
        needed: Mapping[str, Role],
        strangers: Strangers,
        clock: Clock,
        platform: str,
    ) -> None:
        self._planner = planner
        self._executor = executor
        self._known = known
        self._jobs = jobs
        self._audit = audit
        self._storage = storage
        self._needed = needed
        self._strangers = strangers
        self._peers = peers
        self._keys = keys
        self._clock = clock
        self._platform = platform

    def _of_platform(self) -> bool:
        return bool(self._platform) and current().tenant == self._platform

    async def GetMesh(self, request: pb.GetMeshRequest, context: Context) -> pb.GetMeshResponse:
        """Who answers, and what there is to do."""
        of_platform = self._of_platform()
        told = pb.GetMeshResponse(
            services=await standing_of_all(self._peers, of_platform=of_platform),
            of_platform=of_platform,
        )
        try:
            with changed(seconds=ANSWERED_SECONDS):
                queue = await answered(
                    self._planner.GetQueue(planner_pb.GetQueueRequest()), "planner"
                )
        except AssayError:  # that it is away is told above
            return told
        told.queue.CopyFrom(queue.queue)
        told.held.extend(queue.held)
        told.most_waiting, told.jobs_at_once = queue.most_waiting, queue.jobs_at_once
        if of_platform:
            told.whole_queue.CopyFrom(queue.whole_queue)
        return told

    async def ListUsers(
        self, request: pb.ListUsersRequest, context: Context
    ) -> pb.ListUsersResponse:
        """Everybody who has a key or asked."""
        asked = await answered(self._planner.ListAskers(planner_pb.ListAskersRequest()), "planner")
        keys = await self._all_keys()
        return pb.ListUsersResponse(users=users_of(keys, asked.askers, self._clock.now()))

    async def _all_keys(self) -> list[ApiKey]:
        keys, token = await self._keys.page(_AT_ONCE, "")
        while token:
            more, token = await self._keys.page(_AT_ONCE, token)
            keys += more
        return keys

    async def DescribeAccess(
        self, request: pb.DescribeAccessRequest, context: Context
    ) -> pb.DescribeAccessResponse:
        """By role, and under a policy."""
        role = as_role(request.role)
        if not request.user and role is Role.NONE:
            raise AssayError(
                INVALID_ARGUMENT,
                "it is not said whose access is meant",
                hint="Name a user or a role.",
                fields={"user": "user or role must be set"},
            )
        if request.user and role is Role.NONE:
            now = self._clock.now()
            own = [key for key in await self._all_keys() if key.user == request.user]
            good = (key.role for key in own if key.revoked_at is None and now < key.expires_at)
            role = max(good, default=Role.NONE)
        told = pb.DescribeAccessResponse(
            role=access_pb2.Role.ValueType(role),
            methods=methods_of(role, self._needed),
            told=describe_role(request.user, current().tenant, role, by_role=bool(request.role)),
        )
        if request.WhichOneof("data") is None:
            return told
        sources, policy = await self._data(request)
        describe = self._executor.DescribeSource
        asked = executor_pb.DescribeSourceRequest(sources=sources)
        whole = await patient("executor", describe, asked)
        asked.policy.CopyFrom(policy)
        seen = await patient("executor", describe, asked)
        told.policy.CopyFrom(policy)
        told.told.extend(describe_policy(policy))
        told.tables.extend(tables_of(whole, seen, searched=bool(policy.blocked_patterns)))
        return told

    async def _data(
        self, request: pb.DescribeAccessRequest
    ) -> tuple[Sequence[executor_pb.Source], data_pb2.Policy]:
        if request.WhichOneof("data") == "source_name":
            known = await self._known.get(source_name(request.source_name, "source_name"))
            return [for_the_executor(message_of(known))], request.policy
        if request.HasField("policy"):
            raise AssayError(
                INVALID_ARGUMENT,
                "a job has the policy that it was asked with",
                fields={"policy": "must not be set with job_id"},
            )
        job_id = parse_id(request.job_id, "job_id")
        with self._strangers.noticing("job", job_id):
            return await self._jobs.data_of(job_id)

    async def ListGaps(self, request: pb.ListGapsRequest, context: Context) -> pb.ListGapsResponse:
        """What the planner has of the tenant's jobs."""
        wanted = planner_pb.ListGapsRequest()
        if request.HasField("within"):
            wanted.within.CopyFrom(request.within)
        found = await answered(self._planner.ListGaps(wanted), "planner")
        return pb.ListGapsResponse(
            gaps=found.gaps, ended=found.ended, refused=found.refused, doubted=found.doubted
        )

    async def GetStorage(
        self, request: pb.GetStorageRequest, context: Context
    ) -> pb.GetStorageResponse:
        """How much, for how long."""
        return await self._storage.told(of_platform=self._of_platform())

    async def ListTenantEntries(
        self, request: pb.ListTenantEntriesRequest, context: Context
    ) -> pb.ListTenantEntriesResponse:
        """The record of the tenant."""
        wanted = audit_pb.ListTenantEntriesRequest(
            page_size=request.page_size,
            page_token=request.page_token,
            event_types=request.event_types,
            since=request.since if request.HasField("since") else None,
            until=request.until if request.HasField("until") else None,
            user=request.user,
        )
        page = await patient("audit", self._audit.ListTenantEntries, wanted)
        return pb.ListTenantEntriesResponse(
            entries=page.entries, next_page_token=page.next_page_token
        )
