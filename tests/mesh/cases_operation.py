"""Calls of the rpcs for operators, and what another tenant's operator gets."""

from __future__ import annotations

from assay.common.v1 import access_pb2
from assay.gateway.v1 import operator_service_pb2 as pb
from assay.planner.v1 import planner_service_pb2 as planner_pb
from tests.mesh.case import NOTHING, Case, one

SERVICE = "/assay.gateway.v1.OperatorService"
PLANNER = "/assay.planner.v1.PlannerService"

OPERATION_CASES: dict[str, list[Case]] = {
    f"{SERVICE}/GetMesh": [one(lambda o: pb.GetMeshRequest(), NOTHING)],
    f"{SERVICE}/ListUsers": [one(lambda o: pb.ListUsersRequest(), NOTHING)],
    f"{SERVICE}/DescribeAccess": [
        one(
            lambda o: pb.DescribeAccessRequest(
                role=access_pb2.ROLE_READER, source_name=o.source_name
            )
        ),
        one(
            lambda o: pb.DescribeAccessRequest(role=access_pb2.ROLE_READER, job_id=o.job),
            recorded="job",
        ),
    ],
    f"{SERVICE}/ListGaps": [one(lambda o: pb.ListGapsRequest(), NOTHING)],
    f"{PLANNER}/ListGaps": [one(lambda o: planner_pb.ListGapsRequest(), NOTHING)],
    f"{PLANNER}/GetQueue": [one(lambda o: planner_pb.GetQueueRequest(), NOTHING)],
    f"{PLANNER}/ListAskers": [one(lambda o: planner_pb.ListAskersRequest(), NOTHING)],
}
