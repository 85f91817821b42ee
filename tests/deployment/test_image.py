"""The image's recipe and the laptop's compose file keep what they promise, as far as text tells;
`make image-check` runs what they make."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from tests.deployment.rendered import BASE, REPOSITORY, pod, servers

DOCKERFILE = (REPOSITORY / "Dockerfile").read_text()
STEPS = [line.split() for line in DOCKERFILE.replace("\\\n", " ").splitlines() if line]
HASHED = re.compile(r"^[a-z0-9][a-z0-9._-]*(?:\[[^]]*\])?==\S+(?: ; .+)? \\$")


def steps(kind: str) -> list[list[str]]:
    return [words[1:] for words in STEPS if words[0] == kind]


def test_every_stage_begins_at_a_base_that_is_pinned_by_its_digest() -> None:
    (base,) = steps("ARG")
    assert re.fullmatch(r"PYTHON=\S+@sha256:[0-9a-f]{64}", base[0])
    assert [words[0] for words in steps("FROM")] == ["${PYTHON}", "${PYTHON}"]


def test_what_builds_stays_behind() -> None:
    """Two stages: nothing of the first is in the image but what was installed."""
    last = DOCKERFILE.rpartition("FROM ${PYTHON}")[2]
    assert re.findall(r"^COPY .*$", last, re.MULTILINE) == [
        "COPY --from=build /opt/assay /opt/assay"
    ]
    assert "pip install" not in last


def test_it_runs_as_the_user_that_pods_run_as() -> None:
    ((user,),) = steps("USER")
    for workload in servers(BASE).values():
        said = pod(workload)["securityContext"]
        assert user == f"{said['runAsUser']}:{said['runAsGroup']}"


def test_it_brings_no_secret_and_asks_for_none() -> None:
    assert not [words for words in STEPS if words[0] == "ENV" and "KEY" in " ".join(words)]
    assert "--mount=type=secret" in DOCKERFILE


@pytest.mark.parametrize("name", ["image", "model", "build"])
def test_every_library_is_locked_by_a_hash(name: str) -> None:
    text = (REPOSITORY / f"requirements/{name}.txt").read_text()
    named = [line for line in text.splitlines() if line and not line.startswith((" ", "#"))]
    assert named
    assert [line for line in named if not HASHED.match(line)] == []
    for part in re.split(r"^(?=\S)", text, flags=re.MULTILINE):
        if part and not part.startswith("#"):
            assert "--hash=sha256:" in part, part.partition(" ")[0]


def compose() -> dict[str, Any]:
    (service,) = yaml.safe_load((REPOSITORY / "compose.yaml").read_text())["services"].values()
    told: dict[str, Any] = service
    return told


def test_on_a_laptop_nothing_is_written_but_home_and_scratch_and_nobody_has_rights() -> None:
    service = compose()
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert [mount.partition(":")[0] for mount in service["tmpfs"]] == ["/tmp"]
    assert service["volumes"] == ["home:/var/lib/assay"]
    assert service["environment"]["ASSAY_GATEWAY_AUTH"] == "tokens"
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])


def test_the_laptops_image_is_the_clusters() -> None:
    images = {pod(workload)["containers"][0]["image"] for workload in servers(BASE).values()}
    assert images == {compose()["image"]}
