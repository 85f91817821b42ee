"""Several replicas behind one name, probes, and certificates that are renewed while they serve."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import grpc
import pytest
from cryptography import x509
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from assay.audit.v1 import audit_service_pb2 as pb
from assay.audit.v1 import audit_service_pb2_grpc as pb_grpc
from mesh.config import MeshSettings, load
from mesh.errors import AssayError
from mesh.testing.certificates import Authority
from mesh.transport import tls
from mesh.transport.dial import Dial, numbered, open_channel
from mesh.transport.seal import seal_of
from mesh.transport.server import running
from services.audit.service import AuditService

REPLICAS = ("one", "two")


async def answering(channel: aio.Channel) -> str:
    """The key of the log that answered: each replica here has its own."""
    stub = pb_grpc.AuditServiceStub(channel)
    return str((await stub.Checkpoint(pb.CheckpointRequest(), timeout=5)).verifier_key)


async def test_calls_go_to_every_replica_and_past_one_that_is_gone(tmp_path: Path) -> None:
    settings = {
        name: load(MeshSettings, home=tmp_path / name, drain_seconds=0.1, mesh_key="k" * 32)
        for name in REPLICAS
    }
    async with AsyncExitStack() as stack:
        leaving = await stack.enter_async_context(AsyncExitStack())
        serving = [
            await part.enter_async_context(running([AuditService], settings[name], "127.0.0.1:0"))
            for name, part in zip(REPLICAS, (stack, leaving), strict=True)
        ]
        target = "ipv4:" + ",".join(each.peers for each in serving)
        channel = open_channel(target, seal=seal_of(settings["one"]))
        await stack.enter_async_context(channel)
        answered: set[str] = set()
        async with asyncio.timeout(20):
            while len(answered) < 2:  # until both are connected
                answered.add(await answering(channel))
        shares = Counter([await answering(channel) for _ in range(10)])
        assert sorted(shares.values()) == [5, 5]
        await leaving.aclose()
        assert len({await answering(channel) for _ in range(6)}) == 1


@pytest.mark.parametrize(
    ("target", "has_name"),
    [
        ("127.0.0.1:7404", False),
        ("[::1]:7404", False),
        ("dns:///10.0.0.3:7404", False),
        ("audit:7404", True),
        ("dns:///audit.assay.svc:7404", True),
        ("localhost:7404", True),
    ],
)
def test_an_address_of_numbers_has_no_name_for_a_certificate(target: str, has_name: bool) -> None:
    assert numbered(target) is not has_name


@pytest.mark.parametrize(("behind", "heard"), [("audit", True), ("memory", False)])
@pytest.mark.parametrize("replicas", [("one",), REPLICAS])
async def test_behind_addresses_without_a_name_a_server_proves_to_be_the_service(
    tmp_path: Path, replicas: tuple[str, ...], behind: str, heard: bool
) -> None:
    """There is no host that a certificate could be for: the service's own name is asked for, of a
    list of addresses and of a single one."""
    authority = Authority(tmp_path, "mesh")
    key = "k" * 32
    async with AsyncExitStack() as stack:
        serving = []
        for name in replicas:
            known = authority.issue(behind)
            own = load(MeshSettings, home=tmp_path / name, drain_seconds=0.1, mesh_key=key, **known)
            serving.append(
                await stack.enter_async_context(running([AuditService], own, "127.0.0.1:0"))
            )
        addresses = ",".join(each.peers for each in serving)
        target = f"ipv4:{addresses}" if len(replicas) > 1 else addresses
        caller = load(
            MeshSettings,
            home=tmp_path / "caller",
            mesh_key=key,
            audit_address=target,
            **authority.issue("planner"),
        )
        dial = await stack.enter_async_context(Dial(caller, seal_of(caller)))
        channel = dial.to("audit")
        if not heard:
            with pytest.raises(aio.AioRpcError) as refused:
                await answering(channel)
            assert refused.value.code() in (
                grpc.StatusCode.UNAVAILABLE,
                grpc.StatusCode.DEADLINE_EXCEEDED,
            )
            return
        answered: set[str] = set()
        async with asyncio.timeout(20):
            while len(answered) < len(replicas):
                answered.add(await answering(channel))


async def test_probes_are_answered_without_a_certificate_and_told_nothing_else(
    tmp_path: Path,
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    known = Authority(tmp_path, "mesh").issue("planner")
    settings = load(MeshSettings, home=tmp_path, drain_seconds=0.1, health=address, **known)
    async with running([AuditService], settings, "127.0.0.1:0"), open_channel(address) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        for name in ("", "assay.audit.v1.AuditService"):
            told = await stub.Check(health_pb2.HealthCheckRequest(service=name), timeout=5)
            assert told.status == health_pb2.HealthCheckResponse.SERVING
        with pytest.raises(aio.AioRpcError) as refused:
            await answering(channel)
        assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_a_renewed_certificate_is_served_and_shown_without_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Server and channel go over to another authority's, under a call that has begun before."""
    monkeypatch.setattr(tls, "LOOK_SECONDS", 0.0)
    known = Authority(tmp_path, "mesh").issue("planner", "audit")
    settings = load(MeshSettings, home=tmp_path, drain_seconds=0.1, **known)
    async with running([AuditService], settings, "127.0.0.1:0") as listening:
        reached = settings.model_copy(update={"audit_address": listening.peers})
        async with Dial(reached, seal_of(reached)) as dial:
            channel = dial.to("audit")
            before = await answering(channel)
            first = await asyncio.to_thread(shown, listening.peers)
            # Another authority of the same name: the old one's certificates are worth nothing now.
            Authority(tmp_path, "mesh").issue("planner", "audit")
            assert await answering(channel) == before
            assert await asyncio.to_thread(shown, listening.peers) != first


async def test_half_written_certificates_leave_the_old_ones_in_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(tls, "LOOK_SECONDS", 0.0)
    authority = Authority(tmp_path, "mesh")
    known = authority.issue("planner")
    settings = load(MeshSettings, home=tmp_path, **known)
    certificates = tls.between_services(settings, "127.0.0.1:1")
    assert certificates is not None
    known["tls_key"].write_bytes(authority.issue("other")["tls_key"].read_bytes())
    assert certificates.edition() == 0
    assert "ASSAY_TLS_KEY is not the key of ASSAY_TLS_CERTIFICATE" in caplog.text
    with pytest.raises(AssayError, match="ASSAY_TLS_KEY is not the key"):
        tls.between_services(settings, "127.0.0.1:1")
    authority.issue("planner")
    assert certificates.edition() == 1


def shown(address: str) -> int:
    """The serial number of the certificate that a server shows whoever connects."""
    host, _, port = address.rpartition(":")
    return x509.load_pem_x509_certificate(
        ssl.get_server_certificate((host, int(port))).encode()
    ).serial_number
