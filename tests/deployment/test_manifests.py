"""What is deployed keeps what the house promises, in every overlay and for every Kubernetes."""

from __future__ import annotations

import functools
import json
import os
import re
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest

from gateway.settings import GatewaySettings
from mesh.config import SERVICES, MeshSettings
from services.__main__ import WITH_DATABASES, migrate
from services.audit.settings import AuditSettings
from services.executor.settings import ExecutorSettings
from services.memory.settings import MemorySettings
from services.planner.settings import PlannerSettings
from tests.deployment.rendered import (
    BASE,
    PLACES,
    PRODUCTION,
    RECOVERY,
    REPOSITORY,
    Manifest,
    built,
    containers,
    of_kind,
    pod,
    secret_files,
    servers,
    settings,
    workloads,
)

OLDEST = (1, 30)
VERSIONS = [
    version  # named once for each kind of schema that there is of it
    for version in dict.fromkeys(kubernetes_validate.utils.all_versions())
    if tuple(map(int, version.split(".")[:2])) >= OLDEST
]
OF_OTHERS = ("cert-manager.io/",)
"""What Kubernetes itself does not define."""

SETTINGS: dict[str, type[MeshSettings]] = {
    "gateway": GatewaySettings,
    "planner": PlannerSettings,
    "executor": ExecutorSettings,
    "memory": MemorySettings,
    "audit": AuditSettings,
}
SECRETS = {"executor": {"executor_database": "postgresql+pg8000://of@a/secret"}}
"""What a Secret says that the rest does not hold together without."""

in_all_places = pytest.mark.parametrize("place", PLACES)


@pytest.fixture(scope="module", autouse=True)
def _each_schema_is_read_once() -> Iterator[None]:
    """The library reads a version's megabyte of definitions again for every manifest."""
    with pytest.MonkeyPatch.context() as patch:
        once = functools.cache(kubernetes_validate.utils.schema_contents)
        patch.setattr(kubernetes_validate.utils, "schema_contents", once)
        yield


def all_different() -> Iterator[Manifest]:
    """Every manifest of every place; what several places have alike, once."""
    every = (manifest for place in (*PLACES, RECOVERY) for manifest in built(place))
    yield from {json.dumps(each, default=str): each for each in every}.values()


@pytest.mark.parametrize("version", VERSIONS)
def test_kubernetes_takes_every_manifest(version: str) -> None:
    for manifest in all_different():
        if not manifest["apiVersion"].startswith(OF_OTHERS):
            kubernetes_validate.validate(manifest, version, strict=True)


def test_a_field_that_kubernetes_does_not_know_is_found() -> None:
    """What passes above was looked at."""
    wrong = {**servers(BASE)["planner"], "replicas": 2}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, VERSIONS[0], strict=True)


@in_all_places
def test_every_pod_is_admitted_as_restricted(place: str) -> None:
    """Each rule of the Pod Security Standard "restricted", and read-only roots besides."""
    (namespace,) = of_kind(place, "Namespace").values()
    labels = namespace["metadata"]["labels"]
    assert labels["pod-security.kubernetes.io/enforce"] == "restricted"
    for workload in workloads(place).values():
        assert_restricted(pod(workload))


def assert_restricted(spec: Manifest) -> None:
    """What a pod is to be breaks no rule."""
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert spec["securityContext"]["runAsUser"] > 0
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert not {"hostNetwork", "hostPID", "hostIPC"} & set(spec)
    allowed = {"emptyDir", "configMap", "secret", "persistentVolumeClaim", "projected"}
    assert all(set(volume) - {"name"} <= allowed for volume in spec.get("volumes", []))
    assert not {"sysctls", "seLinuxOptions"} & set(spec["securityContext"])
    for container in (*spec["containers"], *spec.get("initContainers", [])):
        # Nothing else: no container takes back what its pod says.
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        }
        assert not any("hostPort" in port for port in container.get("ports", []))


@in_all_places
def test_nothing_is_written_but_to_volumes_that_are_meant_for_it(place: str) -> None:
    """Besides the home and a scratch folder, services mount secrets alone, and those to read."""
    for workload in servers(place).values():
        (container,) = pod(workload)["containers"]
        for mount in container["volumeMounts"]:
            assert mount["mountPath"] in ("/var/lib/assay", "/tmp") or mount["readOnly"] is True


@in_all_places
def test_a_job_migrates_and_services_wait_for_it(place: str) -> None:
    """It has the image of those that need it, and of their secrets where their databases are."""
    job = workloads(place)["migrations"]
    (container,) = pod(job)["containers"]
    assert (job["kind"], container["args"]) == ("Job", ["migrate"])
    images = {pod(each)["containers"][0]["image"] for each in servers(place).values()}
    assert images == {container["image"]}
    assert not secrets_of(container)
    given = {
        each["name"]: each["valueFrom"]["secretKeyRef"]
        for each in container["env"]
        if "valueFrom" in each
    }
    assert set(given) == {f"ASSAY_{name}_DATABASE".upper() for name in WITH_DATABASES}
    for name, workload in servers(place).items():
        said = settings(workload, place)
        assert said["ASSAY_MIGRATIONS"] == "check"
        # As long as it may take.
        waits = float(said["ASSAY_MIGRATIONS_WAIT_SECONDS"])
        assert waits >= job["spec"]["activeDeadlineSeconds"]
        own = secrets_of(pod(workload)["containers"][0])
        assert any(each.startswith("assay-mesh") for each in own)
        if name in WITH_DATABASES:
            setting = f"ASSAY_{name}_DATABASE".upper()
            assert given[setting]["key"] == setting
            assert given[setting]["name"] in own


def secrets_of(container: dict[str, Any]) -> set[str]:
    """The Secrets whose every key it has in its environment."""
    sources = container.get("envFrom", [])
    return {each["secretRef"]["name"] for each in sources if "secretRef" in each}


@pytest.mark.parametrize("place", PLACES[1:])
def test_the_job_migrates_with_what_it_is_given(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No key, no store's secret: of databases of its own here, where they are is enough."""
    job = workloads(place)["migrations"]
    said = settings(job, place) | {"ASSAY_HOME": str(tmp_path)}
    for name in WITH_DATABASES:
        said[f"ASSAY_{name}_DATABASE".upper()] = f"sqlite:///{tmp_path}/{name}.sqlite"
    for setting in [each for each in os.environ if each.startswith("ASSAY_")]:
        monkeypatch.delenv(setting)
    for setting, value in said.items():
        monkeypatch.setenv(setting, value)
    migrate()
    assert all((tmp_path / f"{name}.sqlite").exists() for name in WITH_DATABASES)


@in_all_places
def test_pods_say_which_they_are_in_all_they_send(place: str) -> None:
    """Without it replicas' metrics pass for one another's, and autoscalers find none of a pod."""
    for workload in servers(place).values():
        (container,) = pod(workload)["containers"]
        fields = {
            each["name"]: each["valueFrom"]["fieldRef"]["fieldPath"]
            for each in container["env"]
            if "fieldRef" in each.get("valueFrom", {})
        }
        assert fields["POD_NAME"] == "metadata.name"
        assert fields["POD_NAMESPACE"] == "metadata.namespace"
        said = settings(workload, place)["OTEL_RESOURCE_ATTRIBUTES"].split(",")
        assert dict(each.split("=") for each in said) == {
            "k8s.namespace.name": "$(POD_NAMESPACE)",
            "k8s.pod.name": "$(POD_NAME)",
            "service.instance.id": "$(POD_NAME)",
        }
        names = [each["name"] for each in container["env"]]
        # Kubernetes fills in what was named before.
        assert names.index("POD_NAME") < names.index("OTEL_RESOURCE_ATTRIBUTES")


def test_each_file_says_what_its_service_is_and_why_it_is_kept_so() -> None:
    for name, workload in servers(BASE).items():
        lines = (REPOSITORY / BASE / f"{name}.yaml").read_text().splitlines()
        said = " ".join(line.removeprefix("# ") for line in takewhile(_a_comment, lines))
        assert f"A {workload['kind']}" in said, name


def _a_comment(line: str) -> bool:
    return line.startswith("#")


@in_all_places
def test_a_drain_or_a_new_version_takes_one_replica_at_a_time(place: str) -> None:
    budgets = of_kind(place, "PodDisruptionBudget")
    for name, workload in servers(place).items():
        assert budgets[name]["spec"]["maxUnavailable"] == 1
        if workload["kind"] == "Deployment":
            strategy = workload["spec"]["strategy"]["rollingUpdate"]
            assert strategy == {"maxUnavailable": 0, "maxSurge": 1}


@in_all_places
def test_every_image_is_of_one_version(place: str) -> None:
    for workload in workloads(place).values():
        for container in containers(workload):
            name, _, version = container["image"].rpartition(":")
            assert name and version not in ("", "latest"), container["image"]


def test_the_vector_server_is_of_its_clients_version() -> None:
    (container,) = containers(workloads("k8s/overlays/local")["qdrant"])
    lock = (REPOSITORY / "requirements/lock.txt").read_text()
    client = re.search(r"^qdrant-client==(\d+\.\d+)", lock, re.MULTILINE)
    assert client
    assert container["image"].partition(":v")[2].startswith(f"{client[1]}.")


@in_all_places
def test_no_pod_may_ask_kubernetes_anything(place: str) -> None:
    for workload in workloads(place).values():
        assert pod(workload)["automountServiceAccountToken"] is False
    accounts = of_kind(place, "ServiceAccount")
    for name, workload in servers(place).items():
        assert pod(workload)["serviceAccountName"] == name
        assert accounts[name]["automountServiceAccountToken"] is False
    assert not of_kind(place, "Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding")


@in_all_places
def test_probes_ask_the_process_itself_and_nothing_behind_it(place: str) -> None:
    """gRPC's own health; for life without a service's name: a peer that is away ends nobody."""
    for name, workload in servers(place).items():
        (container,) = pod(workload)["containers"]
        port = int(settings(workload, place)["ASSAY_HEALTH"].rpartition(":")[2])
        assert container["livenessProbe"]["grpc"] == {"port": port}
        assert container["startupProbe"]["grpc"] == {"port": port}
        ready = container["readinessProbe"]["grpc"]
        assert ready["port"] == port
        assert ready["service"].startswith(f"assay.{name}.v1.")


@in_all_places
def test_a_pod_has_the_time_to_end_what_it_began(place: str) -> None:
    for workload in servers(place).values():
        (container,) = pod(workload)["containers"]
        before = container["lifecycle"]["preStop"]["sleep"]["seconds"]
        drain = float(settings(workload, place)["ASSAY_DRAIN_SECONDS"])
        assert before + drain < pod(workload)["terminationGracePeriodSeconds"]


def test_load_scales_what_may_be_several_and_the_log_stays_one() -> None:
    scaled = of_kind(BASE, "HorizontalPodAutoscaler")
    assert set(scaled) == set(SERVICES) - {"audit"}
    for name, scaling in scaled.items():
        target = scaling["spec"]["scaleTargetRef"]
        assert (target["kind"], target["name"]) == (servers(BASE)[name]["kind"], name)
        assert scaling["spec"]["minReplicas"] >= 2
    audit = servers(BASE)["audit"]
    assert (audit["kind"], audit["spec"]["replicas"]) == ("StatefulSet", 1)


@in_all_places
def test_either_an_autoscaler_or_the_manifest_says_how_many_there_are(place: str) -> None:
    """A number beside an autoscaler undoes, whenever it is applied, what load asked for."""
    scaled = of_kind(place, "HorizontalPodAutoscaler")
    for name, workload in servers(place).items():
        assert ("replicas" in workload["spec"]) == (name not in scaled), name


@in_all_places
def test_budgets_and_spreads_choose_the_pods_that_they_are_about(place: str) -> None:
    budgets = of_kind(place, "PodDisruptionBudget")
    headless = of_kind(place, "Service")
    for name, workload in servers(place).items():
        labels = workload["spec"]["template"]["metadata"]["labels"]
        selectors = [
            budgets[name]["spec"]["selector"]["matchLabels"],
            workload["spec"]["selector"]["matchLabels"],
            headless[name]["spec"]["selector"],
            *(
                each["labelSelector"]["matchLabels"]
                for each in pod(workload)["topologySpreadConstraints"]
            ),
        ]
        for selector in selectors:
            assert selector.items() <= labels.items()
        assert headless[name]["spec"]["clusterIP"] == "None"
        assert {each["topologyKey"] for each in pod(workload)["topologySpreadConstraints"]} == {
            "topology.kubernetes.io/zone",
            "kubernetes.io/hostname",
        }


@in_all_places
def test_services_are_told_nothing_that_they_do_not_know(place: str) -> None:
    """Every setting named in a manifest is one of the service's, and is one it takes."""
    for name, workload in servers(place).items():
        said = settings(workload, place)
        mine = {
            f"ASSAY_{field}".upper()
            for field in (*MeshSettings.model_fields, *SETTINGS[name].model_fields)
        }
        others: set[str] = {
            f"ASSAY_{field}".upper() for of in SETTINGS.values() for field in of.model_fields
        }
        free = {
            "POD_IP",
            "POD_NAME",
            "POD_NAMESPACE",
            "ASSAY_LOG_FORMAT",
            "ASSAY_HOME",
            "ASSAY_MODEL_FOLDER",
        }
        for setting in said:
            assert setting in mine | others | free or setting.startswith("OTEL_"), setting
        values: dict[str, Any] = {
            key.removeprefix("ASSAY_").lower(): value
            for key, value in said.items()
            if key in mine and "$(" not in value
        }
        SETTINGS[name].model_validate(values | SECRETS.get(name, {}))


@in_all_places
def test_peers_are_dialled_by_the_names_and_ports_that_services_have(place: str) -> None:
    headless = of_kind(place, "Service")
    for workload in servers(place).values():
        said = settings(workload, place)
        for name in SERVICES:
            (port,) = headless[name]["spec"]["ports"]
            assert said[f"ASSAY_{name.upper()}_ADDRESS"] == f"dns:///{name}:{port['port']}"
    for name, workload in servers(place).items():
        (port,) = headless[name]["spec"]["ports"]
        # Nobody calls the gateway but clients; its own socket is for whoever is in its pod.
        where = "ASSAY_PUBLIC" if name == "gateway" else "ASSAY_LISTEN"
        assert settings(workload, place)[where] == f"[::]:{port['port']}"
        assert settings(workload, place)["ASSAY_MIGRATIONS"] == "check"


@in_all_places
def test_the_first_key_is_made_in_the_gateways_pod_and_all_others_need_one(place: str) -> None:
    said = settings(servers(place)["gateway"], place)
    assert said["ASSAY_LISTEN"] == f"unix:{said['ASSAY_HOME']}/mesh.sock"
    assert said["ASSAY_GATEWAY_AUTH"] == "tokens"


def test_no_secret_is_in_what_is_meant_for_production() -> None:
    """What it makes, it makes of files that the repository has none of, and ignores."""
    assert not of_kind(BASE, "Secret")
    made = {name.rpartition("-")[0] for name in of_kind(PRODUCTION, "Secret")}
    assert made == {Path(path).stem for path in secret_files()}
    ignored = (REPOSITORY / ".gitignore").read_text().splitlines()
    assert "k8s/overlays/*/secrets/*.env" in ignored


def test_production_talks_tls_everywhere() -> None:
    place = PRODUCTION
    certificates = of_kind(place, "Certificate")
    for name, workload in servers(place).items():
        said = settings(workload, place)
        mounted = {each["mountPath"] for each in pod(workload)["containers"][0]["volumeMounts"]}
        for setting in ("ASSAY_TLS_CERTIFICATE", "ASSAY_TLS_KEY", "ASSAY_TLS_AUTHORITY"):
            assert said[setting].rpartition("/")[0] in mounted
        secrets = {each.get("secret", {}).get("secretName") for each in pod(workload)["volumes"]}
        assert certificates[name]["spec"]["secretName"] in secrets
        assert name in certificates[name]["spec"]["dnsNames"]
    gateway = settings(servers(place)["gateway"], place)
    assert gateway["ASSAY_PUBLIC_CERTIFICATE"]
    assert gateway["ASSAY_GATEWAY_AUTH"] == "tokens"
