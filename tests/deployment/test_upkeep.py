"""What keeps a deployment going: labels to find it by, probes, Jobs that are made anew, Secrets."""

from __future__ import annotations

import re

import pytest

from tests.deployment.rendered import (
    PLACES,
    PRODUCTION,
    REPOSITORY,
    SERVICES,
    built,
    built_with,
    containers,
    pod,
    secret_files,
    servers,
    workloads,
)
from tests.deployment.test_manifests import secrets_of

PART = "app.kubernetes.io/part-of"

in_all_places = pytest.mark.parametrize("place", PLACES)


@in_all_places
def test_everything_says_that_it_is_a_part_of_assay_and_what_is_not_is_no_pod_of_it(
    place: str,
) -> None:
    """Policies open names and telemetry to pods of that label, which what stands beside lacks."""
    for manifest in built(place):
        labels = manifest["metadata"].get("labels", {})
        assert labels.get(PART) == "assay", manifest["metadata"]["name"]
    for name, workload in workloads(place).items():
        ours = PART in workload["spec"]["template"]["metadata"]["labels"]
        assert ours == (name in SERVICES or name == "migrations")


@in_all_places
def test_what_hangs_is_started_anew(place: str) -> None:
    """What serves; a database that recovers has the time for it first."""
    for name, workload in workloads(place).items():
        for container in containers(workload):
            if workload["kind"] == "Job":
                assert not {"livenessProbe", "startupProbe"} & set(container)
                continue
            starting, living = container["startupProbe"], container["livenessProbe"]
            assert starting["periodSeconds"] * starting["failureThreshold"] >= 120, name
            assert living["periodSeconds"] * living["failureThreshold"] >= 60, name


@in_all_places
def test_a_job_that_an_upgrade_would_change_is_deleted_before_it(place: str) -> None:
    """Kubernetes changes no Job's pod, and each has the image of its version."""
    jobs = {name for name, each in workloads(place).items() if each["kind"] == "Job"}
    readme = (REPOSITORY / "k8s" / "README.md").read_text()
    deleted = re.search(r"kubectl -n assay delete job ([a-z ]+?) --ignore-not-found", readme)
    assert deleted
    assert jobs <= set(deleted[1].split())


def test_every_secret_that_production_expects_has_the_command_that_makes_it() -> None:
    """Of certificates it is cert-manager, or the page about an authority of one's own."""
    said = (REPOSITORY / PRODUCTION / "secrets.md").read_text()
    expected = {
        secret.rpartition("-")[0]
        for each in servers(PRODUCTION).values()
        for secret in secrets_of(pod(each)["containers"][0])
    }
    assert expected == {path.rpartition("/")[2].removesuffix(".env") for path in secret_files()}
    for path, text in secret_files().items():
        name = path.rpartition("/")[2]
        made = set(re.findall(rf"(ASSAY_[A-Z_]+)=.* >>? {name}", said))
        # A language model's key and databases by name are for who has them.
        optional = {"ASSAY_LLM_KEY", "ASSAY_EXECUTOR_CONNECTIONS"}
        assert made == set(re.findall("ASSAY_[A-Z_]+", text)) - optional, name


CONFIGURATION = {"k8s/overlays/production/configuration.env", "k8s/base/configuration.env"}
USED_BY = {
    **{path: set(SERVICES) for path in CONFIGURATION},
    f"{PRODUCTION}/secrets/assay-mesh.env": set(SERVICES),
    **{
        f"{PRODUCTION}/secrets/assay-{name}.env": {name}
        for name in ("gateway", "planner", "executor", "memory")
    },
}


@pytest.mark.parametrize("changed", sorted(USED_BY))
def test_what_changes_restarts_the_pods_that_use_it_and_no_others(changed: str) -> None:
    before = secret_files().get(changed) or (REPOSITORY / changed).read_text()
    after = built_with(PRODUCTION, {changed: f"{before}ASSAY_ADDED=1\n"})
    restarted = {
        each["metadata"]["name"]
        for each in after
        if each["kind"] in ("Deployment", "StatefulSet")
        and pod(each) != pod(servers(PRODUCTION)[each["metadata"]["name"]])
    }
    assert restarted == USED_BY[changed]
