"""The manifests in k8s/ as kustomize builds them, which alone can say what they come to."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

REPOSITORY = Path(__file__).resolve().parents[2]
BASE = "k8s/base"
PRODUCTION = "k8s/overlays/production"
OVERLAYS = ("k8s/overlays/local", PRODUCTION)
PLACES = (BASE, *OVERLAYS)
RECOVERY = "k8s/recovery"
SERVICES = ("gateway", "planner", "executor", "memory", "audit")
COMPONENT = "app.kubernetes.io/component"

Manifest = dict[str, Any]


def kustomize() -> str:
    """Where kustomize is: on the PATH, or where `make tools` put it. Skips without."""
    found = shutil.which("kustomize") or shutil.which("kustomize", path=str(REPOSITORY / ".tools"))
    if found is None:
        pytest.skip("there is no kustomize here: `make tools` builds it where Go is")
    return found


@functools.cache
def built(place: str) -> tuple[Manifest, ...]:
    """What one folder comes to; in production with secrets of no worth."""
    return built_with(place, {})


def built_with(place: str, changed: Mapping[str, str]) -> tuple[Manifest, ...]:
    """What one folder comes to where some files of k8s/ have other text."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(REPOSITORY / "k8s", Path(folder) / "k8s")
        for path, text in {**secret_files(), **changed}.items():
            (Path(folder) / path).write_text(text)
        made = subprocess.run(
            [kustomize(), "build", str(Path(folder) / place)],
            capture_output=True,
            text=True,
            check=False,
        )
    assert not made.returncode, made.stderr
    return tuple(yaml.safe_load_all(made.stdout))


def secret_files() -> dict[str, str]:
    """A file for each Secret that production makes, with the keys that its page names."""
    page = (REPOSITORY / PRODUCTION / "secrets.md").read_text()
    told = re.findall(r"^\| `(assay-[a-z]+)` \| (.*?) \|", page, re.MULTILINE)
    return {
        f"{PRODUCTION}/secrets/{name}.env": "".join(
            f"{key}=of-no-worth\n" for key in re.findall(r"`(ASSAY_[A-Z_]+)`", keys)
        )
        for name, keys in told
    }


def of_kind(place: str, *kinds: str) -> dict[str, Manifest]:
    """Manifests of these kinds, by their names."""
    return {each["metadata"]["name"]: each for each in built(place) if each["kind"] in kinds}


def workloads(place: str) -> dict[str, Manifest]:
    """Everything that makes pods."""
    return of_kind(place, "Deployment", "StatefulSet", "Job")


def servers(place: str) -> dict[str, Manifest]:
    """The workloads of the five services."""
    found = workloads(place)
    return {name: found[name] for name in SERVICES}


def pod(workload: Manifest) -> Manifest:
    """What its pods are to be."""
    spec: Manifest = workload["spec"]["template"]["spec"]
    return spec


def containers(workload: Manifest) -> Iterator[Manifest]:
    """Each container of its pods, those that prepare included."""
    yield from pod(workload)["containers"]
    yield from pod(workload).get("initContainers", [])


def settings(workload: Manifest, place: str) -> dict[str, str]:
    """What its container's environment says, ConfigMaps included, Secrets left out."""
    maps = of_kind(place, "ConfigMap")
    (container,) = pod(workload)["containers"]
    said: dict[str, str] = {}
    for source in container.get("envFrom", []):
        if "configMapRef" in source:
            said |= maps[source["configMapRef"]["name"]]["data"]
    return said | {each["name"]: each.get("value", "") for each in container.get("env", [])}
