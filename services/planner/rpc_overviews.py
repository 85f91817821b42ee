"""The methods of PlannerService that those who run a mesh have called."""

from __future__ import annotations

from typing import Any

from grpc import aio

from assay.planner.v1 import planner_service_pb2 as pb
from mesh.context import current
from services.planner.contract.overviews import asker_to, depth_to, held_to
from services.planner.domain.jobs.queue import Limits
from services.planner.store_ports import Overviews

Context = aio.ServicerContext[Any, Any]


class OverviewMethods:
    """A part of the servicer; it changes nothing."""

    def __init__(self, overviews: Overviews, limits: Limits) -> None:
        self._overviews = overviews
        self._limits = limits

    async def GetQueue(self, request: pb.GetQueueRequest, context: Context) -> pb.GetQueueResponse:
        """What waits, and who works on what."""
        tenant = current().tenant
        seen = await self._overviews.overview(tenant)
        return pb.GetQueueResponse(
            queue=depth_to(seen.of(tenant)),
            whole_queue=depth_to(seen.whole),
            held=map(held_to, seen.held),
            most_waiting=self._limits.of_a_tenant,
            jobs_at_once=self._limits.at_once,
        )

    async def ListAskers(
        self, request: pb.ListAskersRequest, context: Context
    ) -> pb.ListAskersResponse:
        """Who has asked."""
        found = await self._overviews.askers(current().tenant)
        return pb.ListAskersResponse(askers=map(asker_to, found))
