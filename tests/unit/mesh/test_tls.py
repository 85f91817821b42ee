"""Services on several machines let in whom their authority knows, and nobody else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest
import pytest_asyncio
from grpc import aio

from assay.audit.v1 import audit_service_pb2 as pb
from assay.audit.v1 import audit_service_pb2_grpc as pb_grpc
from clients.python.client import AssayClient
from gateway.service import GatewayService
from mesh.config import MeshSettings, load
from mesh.errors import AssayError
from mesh.testing.certificates import Authority
from mesh.transport.dial import Dial, open_channel
from mesh.transport.seal import seal_of
from mesh.transport.server import running
from services.audit.service import AuditService


def certify(folder: Path, *names: str) -> dict[str, Path]:
    """A certificate for these names and this machine, of an authority of its own."""
    return Authority(folder, names[0]).issue(*names)


@pytest_asyncio.fixture
async def served(tmp_path: Path) -> AsyncIterator[MeshSettings]:
    known = certify(tmp_path, "planner", "audit")
    settings = load(MeshSettings, home=tmp_path, drain_seconds=0.1, **known)
    async with running([AuditService], settings, "127.0.0.1:0") as listening:
        yield settings.model_copy(update={"audit_address": listening.peers})


@pytest.mark.parametrize("public", ["", "127.0.0.1:0"])
async def test_people_reach_the_gateway_by_tls_if_they_know_its_authority(
    tmp_path: Path, public: str
) -> None:
    """At its own address, and at the public one of a mesh in one process."""
    known, strange = certify(tmp_path, "known"), certify(tmp_path, "strange")
    values = {
        "public_certificate": known["tls_certificate"],
        "public_key": known["tls_key"],
        "public": public,
    }
    settings = load(MeshSettings, home=tmp_path, drain_seconds=0.1, **values)
    listen = f"unix:{tmp_path}/s" if public else "127.0.0.1:0"
    async with running([GatewayService], settings, listen) as listening:
        address = listening.public or listening.peers
        for target, authority, heard in (
            (f"https://{address}", known["tls_authority"], True),
            (f"https://dns:///{address}", known["tls_authority"], True),
            (f"https://{address}", strange["tls_authority"], False),
            (f"https://{address}", None, False),
            (address, None, False),
        ):
            async with AssayClient(target, "ann", authority=authority) as client:
                if heard:
                    assert await client.sources.all() == []
                else:
                    with pytest.raises(AssayError, match="SERVICE_UNAVAILABLE"):
                        await client.sources.all()


def test_half_of_what_people_see_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="ASSAY_PUBLIC_KEY"):
        load(MeshSettings, public_certificate=tmp_path / "x")
    with pytest.raises(AssayError, match="ASSAY_SERVER_AUTHORITY"):
        AssayClient("https://127.0.0.1:1", authority=tmp_path / "missing")


async def asked(channel: aio.Channel) -> None:
    await pb_grpc.AuditServiceStub(channel).Checkpoint(pb.CheckpointRequest(), timeout=3)


async def test_a_peer_with_a_certificate_of_the_authority_is_heard(served: MeshSettings) -> None:
    async with Dial(served, seal_of(served)) as dial:
        await asked(dial.to("audit"))


async def test_whoever_has_another_certificate_or_none_is_not(
    served: MeshSettings, tmp_path: Path
) -> None:
    strange = served.model_copy(update=certify(tmp_path, "strange"))
    bare = open_channel(served.audit_address, "ann", seal=seal_of(served))
    async with Dial(strange, seal_of(served)) as dial, bare:
        for channel in (dial.to("audit"), bare):
            with pytest.raises(aio.AioRpcError) as refused:
                await asked(channel)
            assert refused.value.code() in (
                grpc.StatusCode.UNAVAILABLE,
                grpc.StatusCode.DEADLINE_EXCEEDED,
            )


@pytest.mark.parametrize(("caller", "heard"), [("planner", True), ("memory", False)])
async def test_a_service_is_heard_where_the_house_says_that_it_calls(
    tmp_path: Path, caller: str, heard: bool
) -> None:
    """Its certificate says which service it is: the seal of the mesh alone is not enough."""
    authority = Authority(tmp_path, "mesh")
    settings = load(MeshSettings, home=tmp_path, drain_seconds=0.1, **authority.issue("audit"))
    async with running([AuditService], settings, "127.0.0.1:0") as listening:
        calling = settings.model_copy(
            update={"audit_address": listening.peers, **authority.issue(caller)}
        )
        async with Dial(calling, seal_of(calling)) as dial:
            if heard:
                await asked(dial.to("audit"))
            else:
                with pytest.raises(aio.AioRpcError, match=r"a certificate for .*memory does not"):
                    await asked(dial.to("audit"))
