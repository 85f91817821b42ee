"""What pods ask for, may take at most, and leave on their disks."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pytest

from tests.deployment.rendered import (
    PLACES,
    Manifest,
    containers,
    pod,
    servers,
    settings,
    workloads,
)

LAPTOP = "k8s/overlays/local"
UNITS = {"m": Decimal("0.001"), "Mi": Decimal(2**20), "Gi": Decimal(2**30)}
RESOURCES = {"cpu", "memory", "ephemeral-storage"}

in_all_places = pytest.mark.parametrize("place", PLACES)


def amount(said: str) -> Decimal:
    """A quantity as Kubernetes writes it."""
    for unit, times in UNITS.items():
        if said.endswith(unit):
            return Decimal(said.removesuffix(unit)) * times
    return Decimal(said)


def asked(container: Manifest, resource: str) -> Decimal:
    """What the scheduler reserves: where nothing is requested, as much as is the limit."""
    said = container["resources"]
    return amount(said.get("requests", {}).get(resource, said["limits"][resource]))


def on_disk(workload: Manifest) -> Iterator[Decimal]:
    """How large each folder of a pod may become that lies on its node's disk."""
    for volume in pod(workload).get("volumes", []):
        if "emptyDir" in volume:
            yield amount(volume["emptyDir"]["sizeLimit"])


@in_all_places
def test_every_container_says_what_it_needs_and_at_most_takes(place: str) -> None:
    for workload in workloads(place).values():
        for container in containers(workload):
            said = container["resources"]
            assert set(said["limits"]) == set(said["requests"]) == RESOURCES
            for resource in RESOURCES:
                assert asked(container, resource) <= amount(said["limits"][resource])


@pytest.mark.parametrize(("resource", "most"), [("cpu", "2"), ("memory", "4Gi")])
def test_all_of_it_finds_room_on_a_laptop(resource: str, most: str) -> None:
    """The Jobs of its beginning included."""
    total = sum(
        asked(container, resource) * workload["spec"].get("replicas", 1)
        for workload in workloads(LAPTOP).values()
        for container in containers(workload)
    )
    assert total <= amount(most)


@in_all_places
def test_a_pod_may_fill_its_folders_without_being_evicted(place: str) -> None:
    """Beyond its limit of ephemeral storage, which folders count to, a pod is evicted."""
    for name, workload in workloads(place).items():
        limit = sum(
            amount(c["resources"]["limits"]["ephemeral-storage"]) for c in containers(workload)
        )
        assert sum(on_disk(workload)) < limit, name


@in_all_places
def test_traces_leave_room_in_every_home(place: str) -> None:
    for name, workload in servers(place).items():
        said = settings(workload, place)
        assert 0 < float(said["ASSAY_TRACE_DAYS"]) <= 1
        for volume in pod(workload)["volumes"]:
            if volume["name"] == "home" and "emptyDir" in volume:
                home = amount(volume["emptyDir"]["sizeLimit"])
                assert 0 < int(said["ASSAY_TRACE_BYTES"]) <= home / 2, name


@in_all_places
def test_sources_that_nobody_uses_go_from_an_executors_disk_within_a_day(place: str) -> None:
    """They are read again when they are used; in a home of 20 GiB they share it with the cache."""
    executor = servers(place)["executor"]
    said = settings(executor, place)
    assert 0 < float(said["ASSAY_EXECUTOR_SOURCE_DAYS"]) <= 1
    (home,) = (v["emptyDir"]["sizeLimit"] for v in pod(executor)["volumes"] if v["name"] == "home")
    kept = int(said["ASSAY_EXECUTOR_CACHE_BYTES"]) + int(said["ASSAY_TRACE_BYTES"])
    assert kept <= amount(home) / 2
