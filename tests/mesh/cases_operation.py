"""Calls of the rpcs for operators, and what another tenant's operator gets."""

from __future__ import annotations

from assay.audit.v1 import audit_service_pb2 as audit_pb
from assay.common.v1 import access_pb2
from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.gateway.v1 import operator_service_pb2 as pb
from assay.planner.v1 import planner_service_pb2 as planner_pb
from tests.mesh.case import NOTHING, OPEN, Case, one

SERVICE = "/assay.gateway.v1.OperatorService"
AUDIT = "/assay.audit.v1.AuditService"
EXECUTOR = "/assay.executor.v1.ExecutorService"
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
    f"{SERVICE}/GetStorage": [one(lambda o: pb.GetStorageRequest(), NOTHING)],
    f"{SERVICE}/ListTenantEntries": [one(lambda o: pb.ListTenantEntriesRequest(), OPEN)],
    f"{PLANNER}/GetStorage": [one(lambda o: planner_pb.GetStorageRequest(), NOTHING)],
    f"{EXECUTOR}/GetStorage": [one(lambda o: executor_pb.GetStorageRequest(), NOTHING)],
    f"{AUDIT}/GetStorage": [one(lambda o: audit_pb.GetStorageRequest(), NOTHING)],
    f"{AUDIT}/ListTenantEntries": [one(lambda o: audit_pb.ListTenantEntriesRequest(), OPEN)],
    f"{SERVICE}/ListGaps": [one(lambda o: pb.ListGapsRequest(), NOTHING)],
    f"{PLANNER}/ListGaps": [one(lambda o: planner_pb.ListGapsRequest(), NOTHING)],
    f"{PLANNER}/GetQueue": [one(lambda o: planner_pb.GetQueueRequest(), NOTHING)],
    f"{PLANNER}/ListAskers": [one(lambda o: planner_pb.ListAskersRequest(), NOTHING)],
}
