"""The methods of PlannerService that those who run a mesh have called."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from grpc import aio

from assay.common.v1 import operation_pb2
from assay.planner.v1 import planner_service_pb2 as pb
from mesh.clock import Clock
from mesh.context import current
from mesh.errors import INVALID_ARGUMENT, AssayError
from services.planner.contract.overviews import asker_to, depth_to, gap_to, held_to
from services.planner.domain.jobs.queue import Limits
from services.planner.store_ports import Overviews

_USUAL, _LONGEST = timedelta(days=30), timedelta(days=366)
Context = aio.ServicerContext[Any, Any]


class OverviewMethods:
    """A part of the servicer; it changes nothing."""

    def __init__(self, overviews: Overviews, limits: Limits, clock: Clock) -> None:
        self._overviews = overviews
        self._limits = limits
        self._now = clock.now

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

    async def ListGaps(self, request: pb.ListGapsRequest, context: Context) -> pb.ListGapsResponse:
        """What was not answered, or not for sure."""
        within = _within(request)
        if not timedelta() < within <= _LONGEST:
            raise AssayError(
                INVALID_ARGUMENT,
                f"gaps are told of at most {_LONGEST.days} days",
                fields={"within": f"must be above 0 and at most {_LONGEST.days} days"},
            )
        found = await self._overviews.gaps(current().tenant, self._now() - within)
        return pb.ListGapsResponse(
            gaps=map(gap_to, found.gaps),
            ended=found.ended,
            refused=found.refused,
            doubted=found.doubted,
        )

    async def GetStorage(
        self, request: pb.GetStorageRequest, context: Context
    ) -> pb.GetStorageResponse:
        """The database, which all tenants share."""
        size = await self._overviews.database_bytes()
        database = operation_pb2.StorageUse(
            kind=operation_pb2.STORAGE_KIND_DATABASE, service="planner", items=1, bytes=size
        )
        return pb.GetStorageResponse(whole=[database])


def _within(request: pb.ListGapsRequest) -> timedelta:
    if not request.HasField("within"):
        return _USUAL
    try:
        return request.within.ToTimedelta()
    except (ValueError, OverflowError):
        return timedelta(0)  # longer than a time can be, and refused like it
