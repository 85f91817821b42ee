"""OperatorService: what those who run a mesh see of it, and of their own tenant."""

from __future__ import annotations

from typing import Any

from grpc import aio

from assay.gateway.v1 import operator_service_pb2 as pb
from assay.gateway.v1 import operator_service_pb2_grpc
from assay.planner.v1 import planner_service_pb2 as planner_pb
from assay.planner.v1 import planner_service_pb2_grpc
from gateway.forwarding import answered
from gateway.operation.standing import ANSWERED_SECONDS, Peers, standing_of_all
from gateway.operation.users import users_of
from gateway.tokens.app import ApiKeys
from mesh.clock import Clock
from mesh.context import changed, current
from mesh.errors import AssayError

Context = aio.ServicerContext[Any, Any]
_AT_ONCE = 100


class OperatorServicer(operator_service_pb2_grpc.OperatorServiceServicer):
    """Serves assay.gateway.v1.OperatorService.

    `platform` is the tenant whose operators are told what is the mesh's own; empty for none.
    """

    def __init__(
        self,
        planner: planner_service_pb2_grpc.PlannerServiceStub,
        peers: Peers,
        keys: ApiKeys,
        clock: Clock,
        platform: str,
    ) -> None:
        self._planner = planner
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
        keys, token = await self._keys.page(_AT_ONCE, "")
        while token:
            more, token = await self._keys.page(_AT_ONCE, token)
            keys += more
        return pb.ListUsersResponse(users=users_of(keys, asked.askers, self._clock.now()))

    async def ListGaps(self, request: pb.ListGapsRequest, context: Context) -> pb.ListGapsResponse:
        """What the planner has of the tenant's jobs."""
        wanted = planner_pb.ListGapsRequest()
        if request.HasField("within"):
            wanted.within.CopyFrom(request.within)
        found = await answered(self._planner.ListGaps(wanted), "planner")
        return pb.ListGapsResponse(
            gaps=found.gaps, ended=found.ended, refused=found.refused, doubted=found.doubted
        )
