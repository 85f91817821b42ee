"""The NetworkPolicies let through the house's edges, and nothing else between services."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest

from mesh.config import PORTS, SERVICES
from mesh.transport.edges import CALLERS, FLIGHT_READERS
from tests.deployment.rendered import (
    COMPONENT,
    PLACES,
    containers,
    of_kind,
    servers,
    settings,
    workloads,
)

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


def components(place: str) -> list[str]:
    """Everything that has pods."""
    return [
        workload["spec"]["template"]["metadata"]["labels"][COMPONENT]
        for workload in workloads(place).values()
    ]


def let_through(place: str, direction: str, among: Sequence[str] = tuple(SERVICES)) -> set[Edge]:
    """Edges between services that policies of one direction allow, each from caller to called."""
    key = "from" if direction == "ingress" else "to"
    found = set()
    for mine, other in product(among, among):
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
def test_whoever_may_send_is_let_in_and_whoever_is_let_in_may_send(place: str) -> None:
    """An edge needs both ends open: of databases, stores and collectors too."""
    everything = components(place)
    sent = let_through(place, "egress", everything)
    assert sent == let_through(place, "ingress", everything)
    assert sent >= house(place)


@in_all_places
def test_every_port_that_a_service_names_is_open_to_somebody(place: str) -> None:
    """And no policy opens a port at which nothing listens."""
    listened = {
        (workload["spec"]["template"]["metadata"]["labels"][COMPONENT], port["containerPort"])
        for workload in workloads(place).values()
        for container in containers(workload)
        for port in container.get("ports", [])
        if port["name"] != "health"  # kubelet's, which no policy holds up
    }
    opened = {
        (component, port["port"])
        for component in components(place)
        for policy in of_kind(place, "NetworkPolicy").values()
        if chosen(policy["spec"]["podSelector"], component)
        for rule in policy["spec"].get("ingress") or []
        for port in rule["ports"]
    }
    assert opened == listened


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


def test_a_prometheus_reaches_the_collectors_metrics_and_nothing_else() -> None:
    place = "k8s/overlays/local"
    opened = {
        (name, port["port"])
        for name, policy in of_kind(place, "NetworkPolicy").items()
        for rule in policy["spec"].get("ingress") or []
        if {"namespaceSelector": {"matchLabels": {"assay-metrics": "allowed"}}} in rule["from"]
        for port in rule["ports"]
    }
    assert opened == {("collector", 8889)}
