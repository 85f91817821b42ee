"""What became of turns whose callers went away; implements `gateway.conversations.app.Ends`."""

from __future__ import annotations

from assay.planner.v1 import planner_service_pb2 as planner_pb
from assay.planner.v1 import planner_service_pb2_grpc
from gateway.conversations.messages import AT_WORK, outcome_of
from gateway.domain.conversation import Outcome
from gateway.forwarding import answered


class PlannerEnds:
    """Asks the planner."""

    def __init__(self, planner: planner_service_pb2_grpc.PlannerServiceStub) -> None:
        self._planner = planner

    async def end(self, job_id: str) -> tuple[bool, Outcome] | None:
        """Whether a job rests, and what it came to; None where there is none."""
        wanted = planner_pb.GetResponsesRequest(turns=[planner_pb.TurnEnd(job_id=job_id)])
        (found,) = (await answered(self._planner.GetResponses(wanted), "planner")).responses
        if not found.answer:
            return None
        return found.state not in AT_WORK, outcome_of(found)
