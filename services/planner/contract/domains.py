"""Domains that questions are put to, to and from the contract."""

from __future__ import annotations

from assay.common.v1 import routing_pb2
from assay.planner.v1 import planner_service_pb2 as pb
from services.planner.contract.routing import domain_from
from services.planner.contract.sources import sources_from
from services.planner.domain.routing.asked import Unasked
from services.planner.domain.routing.candidate import Candidate, CandidateTool


def candidate_from(message: pb.CandidateDomain) -> Candidate:
    """A domain that a question may be put to. Raises AssayError(INVALID_ARGUMENT)."""
    return Candidate(
        domain=domain_from(message.told),
        data_sources=sources_from(message.data_sources, message.files),
        mcp_server=message.mcp_server,
        tools=tuple(
            CandidateTool(
                name=tool.name,
                description=tool.description,
                input_schema_json=tool.input_schema_json,
                digest=tool.digest,
            )
            for tool in message.tools
        ),
        unasked=_unasked_from(message.unasked) if message.HasField("unasked") else None,
    )


def _unasked_from(message: routing_pb2.Unasked) -> Unasked:
    return Unasked(reason=message.reason, message=message.message, hint=message.hint)
