"""The NetworkPolicies let through the house's edges, and nothing else between services."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from mesh.config import PORTS, SERVICES
from mesh.edges import CALLERS, FLIGHT_READERS
from tests.deployment.rendered import COMPONENT, PLACES, of_kind, servers, settings

in_all_places = pytest.mark.parametrize("place", PLACES)
Edge = tuple[str, str, int]


def house(place: str) -> set[Edge]:
    """Who reaches whom at which port, by the house."""
    executor = servers(place)["executor"]
    flight = int(settings(executor, place)["ASSAY_EXECUTOR_FLIGHT"].rpartition(":")[2])
    calls = {
        (caller, service, PORTS[service])
        for service, callers in CALLERS.items()
        for caller in callers
    }
    return calls | {(reader, "executor", flight) for reader in FLIGHT_READERS}


def chosen(selector: dict[str, Any], component: str) -> bool:
    """Whether a selector of pods takes in those of a service."""
    labels = {COMPONENT: component, "app.kubernetes.io/part-of": "assay"}
    exact = selector.get("matchLabels", {}).items() <= labels.items()
    return exact and all(
        each["operator"] == "In" and labels.get(each["key"]) in each["values"]
        for each in selector.get("matchExpressions", [])
    )


def let_through(place: str, direction: str) -> set[Edge]:
    """Edges between services that policies of one direction allow, each from caller to called."""
    key = "from" if direction == "ingress" else "to"
    found = set()
    for mine, other in product(SERVICES, SERVICES):
        for policy in of_kind(place, "NetworkPolicy").values():
            if not chosen(policy["spec"]["podSelector"], mine):
                continue
            for rule in policy["spec"].get(direction) or []:
                peers = [each for each in rule[key] if set(each) == {"podSelector"}]
                if any(chosen(each["podSelector"], other) for each in peers):
                    edge = (other, mine) if direction == "ingress" else (mine, other)
                    found |= {(*edge, each["port"]) for each in rule["ports"]}
    return found


@in_all_places
@pytest.mark.parametrize("direction", ["ingress", "egress"])
def test_between_services_the_edges_of_the_house_are_open_and_no_others(
    place: str, direction: str
) -> None:
    assert let_through(place, direction) == house(place)


@in_all_places
def test_what_no_policy_opens_is_closed(place: str) -> None:
    everybody = [
        policy["spec"]
        for policy in of_kind(place, "NetworkPolicy").values()
        if policy["spec"]["podSelector"] == {}
    ]
    assert everybody == [{"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}]


@in_all_places
def test_no_rule_is_open_to_every_port_or_to_every_pod(place: str) -> None:
    for policy in of_kind(place, "NetworkPolicy").values():
        for direction, key in (("ingress", "from"), ("egress", "to")):
            for rule in policy["spec"].get(direction) or []:
                assert rule[key], policy["metadata"]["name"]
                assert rule["ports"], policy["metadata"]["name"]
                assert all(each and each != {"podSelector": {}} for each in rule[key])


@in_all_places
def test_clients_reach_the_gateway_alone(place: str) -> None:
    reached = {
        service
        for service in SERVICES
        for policy in of_kind(place, "NetworkPolicy").values()
        if chosen(policy["spec"]["podSelector"], service)
        for rule in policy["spec"].get("ingress") or []
        for each in rule["from"]
        if "namespaceSelector" in each
    }
    assert reached == {"gateway"}
