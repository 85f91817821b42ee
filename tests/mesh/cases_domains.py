"""Calls of the rpcs about domains that name what is a tenant's, and what another gets for them."""

from __future__ import annotations

from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.gateway.v1 import domain_service_pb2 as domains_pb
from assay.planner.v1 import planner_service_pb2 as planner_pb
from tests.mesh.case import NOTHING, OPEN, Case, one
from tests.mesh.owned import Owned

SERVICE = "/assay.gateway.v1.DomainService"
EXECUTOR = "/assay.executor.v1.ExecutorService"
PLANNER = "/assay.planner.v1.PlannerService"


def of_anns(owned: Owned, session_id: str = "", source_name: str = "") -> domains_pb.Domain:
    domain = domains_pb.Domain(name=owned.domain, display_name="x", description="what is ann's")
    if session_id:
        domain.session_id = session_id
    else:
        domain.source_name = source_name
    return domain


DOMAIN_CASES: dict[str, list[Case]] = {
    # A name is each tenant's own; what a domain is made of has to be the caller's.
    f"{SERVICE}/RegisterDomain": [
        one(
            lambda o: domains_pb.RegisterDomainRequest(domain=of_anns(o, session_id=o.session)),
            recorded="session",
        ),
        one(
            lambda o: domains_pb.RegisterDomainRequest(domain=of_anns(o, source_name=o.source_name))
        ),
    ],
    f"{SERVICE}/GetDomain": [one(lambda o: domains_pb.GetDomainRequest(name=o.domain))],
    f"{SERVICE}/ListDomains": [one(lambda o: domains_pb.ListDomainsRequest(), NOTHING)],
    f"{SERVICE}/UpdateDomain": [
        one(lambda o: domains_pb.UpdateDomainRequest(domain=of_anns(o, session_id=o.session)))
    ],
    f"{SERVICE}/RemoveDomain": [one(lambda o: domains_pb.RemoveDomainRequest(name=o.domain))],
    f"{SERVICE}/ListDomainTools": [one(lambda o: domains_pb.ListDomainToolsRequest(name=o.domain))],
    f"{SERVICE}/ApproveDomainTools": [
        one(
            lambda o: domains_pb.ApproveDomainToolsRequest(
                name=o.domain, tools=[domains_pb.ToolDigest(name="x", digest="0" * 64)]
            )
        )
    ],
    f"{SERVICE}/RouteQuestion": [
        one(lambda o: domains_pb.RouteQuestionRequest(question="what is ann's?"), NOTHING)
    ],
    f"{PLANNER}/RouteQuestion": [
        one(
            lambda o: planner_pb.RouteQuestionRequest(
                question="what is sold?",
                domains=[planner_pb.RoutableDomain(name="sales", display_name="Sales")],
            ),
            OPEN,
        )
    ],
    # Servers are the operator's; which tenants may ask one is in tests/unit/executor.
    f"{EXECUTOR}/ListDomainTools": [
        one(lambda o: executor_pb.ListDomainToolsRequest(server="nowhere"))
    ],
}
