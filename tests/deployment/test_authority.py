"""The authority that docs/security.md has people make: services talk by its certificates, and by
those of the next one while both are believed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import grpc
import pytest
from grpc import aio

from assay.audit.v1 import audit_service_pb2 as pb
from assay.audit.v1 import audit_service_pb2_grpc as pb_grpc
from mesh.config import SERVICES, MeshSettings, load
from mesh.transport.dial import Dial
from mesh.transport.seal import seal_of
from mesh.transport.server import running
from services.audit.service import AuditService
from tests.documented.blocks import commands

COMMANDS = [command.text for command in commands("docs/security.md")]
MADE = [text for text in COMMANDS if "openssl" in text]
(BOTH,) = (text for text in COMMANDS if text.startswith("cat authority.pem"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An authority with its certificates, another in `next`, and both of them in one file."""
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl here")
    folder = tmp_path_factory.mktemp("authority")
    (folder / "next").mkdir()
    for place in (folder, folder / "next"):
        for text in MADE:
            run(text, place)
    run(BOTH, folder)
    return folder


def run(text: str, place: Path) -> None:
    done = subprocess.run(
        ["bash", "-c", text], cwd=place, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr


def holding(settings: MeshSettings, name: str, place: Path, authority: Path) -> MeshSettings:
    """The settings of a service with its certificate of one place, and whom it believes."""
    return settings.model_copy(
        update={
            "tls_certificate": place / f"{name}.pem",
            "tls_key": place / f"{name}.key",
            "tls_authority": authority,
        }
    )


async def heard(audit: MeshSettings, caller: MeshSettings) -> grpc.StatusCode:
    """How audit answers, reached as replicas are: at a list of addresses, by its plain name."""
    async with running([AuditService], audit, "127.0.0.1:0") as listening:
        calling = caller.model_copy(update={"audit_address": f"ipv4:{listening.peers}"})
        async with Dial(calling, seal_of(calling)) as dial:
            stub = pb_grpc.AuditServiceStub(dial.to("audit"))
            try:
                await stub.Checkpoint(pb.CheckpointRequest(), timeout=3)
            except aio.AioRpcError as error:
                return error.code()
            return grpc.StatusCode.OK


OK, REFUSED = {grpc.StatusCode.OK}, {grpc.StatusCode.UNAUTHENTICATED}
NOT_LET_IN = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED}


@pytest.mark.parametrize(
    ("audit", "caller", "expected"),
    [
        (("audit", "", "authority.pem"), ("planner", "", "authority.pem"), OK),
        (("audit", "", "authority.pem"), ("memory", "", "authority.pem"), REFUSED),
        (("audit", "", "authority.pem"), ("planner", "next", "both.pem"), NOT_LET_IN),
        (("audit", "", "both.pem"), ("planner", "", "both.pem"), OK),
        (("audit", "", "both.pem"), ("planner", "next", "both.pem"), OK),
        (("audit", "next", "both.pem"), ("planner", "", "both.pem"), OK),
        (("audit", "next", "next/authority.pem"), ("planner", "next", "both.pem"), OK),
        (("audit", "next", "next/authority.pem"), ("planner", "", "both.pem"), NOT_LET_IN),
    ],
)
async def test_services_talk_by_what_is_made_also_while_the_authority_changes(
    folder: Path,
    tmp_path: Path,
    audit: tuple[str, str, str],
    caller: tuple[str, str, str],
    expected: set[grpc.StatusCode],
) -> None:
    settings = load(MeshSettings, home=tmp_path, drain_seconds=0.1)
    ends = [
        holding(settings, name, folder / place, folder / authority)
        for name, place, authority in (audit, caller)
    ]
    assert await heard(*ends) in expected


def test_every_service_gets_a_certificate(folder: Path) -> None:
    assert {path.stem for path in folder.glob("*.pem")} == {*SERVICES, "authority", "both"}
