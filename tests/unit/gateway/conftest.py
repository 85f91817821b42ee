"""A gateway on a socket, its peers played in memory, and callers who speak to it."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import grpc
import pytest
import pytest_asyncio
from grpc import aio

from assay.gateway.v1 import (
    artifact_service_pb2_grpc,
    audit_service_pb2_grpc,
    board_service_pb2_grpc,
    catalogue_service_pb2_grpc,
    domain_service_pb2_grpc,
    file_service_pb2_grpc,
    job_service_pb2_grpc,
    publication_service_pb2_grpc,
    session_service_pb2_grpc,
    source_service_pb2_grpc,
    token_service_pb2_grpc,
)
from gateway.service import GatewayService
from gateway.settings import GatewaySettings
from mesh.clock import HeldClock
from mesh.config import MeshSettings, load
from mesh.transport.dial import Dial, open_channel
from mesh.transport.server import running
from mesh.transport.status import from_rpc_error
from tests.unit.gateway.fake_peers import FakePeers


class Caller:
    """One tenant's stubs."""

    def __init__(self, channel: aio.Channel) -> None:
        self.jobs = job_service_pb2_grpc.JobServiceStub(channel)
        self.artifacts = artifact_service_pb2_grpc.ArtifactServiceStub(channel)
        self.catalogue = catalogue_service_pb2_grpc.CatalogueServiceStub(channel)
        self.audit = audit_service_pb2_grpc.AuditServiceStub(channel)
        self.sessions = session_service_pb2_grpc.SessionServiceStub(channel)
        self.sources = source_service_pb2_grpc.SourceServiceStub(channel)
        self.publications = publication_service_pb2_grpc.PublicationServiceStub(channel)
        self.boards = board_service_pb2_grpc.BoardServiceStub(channel)
        self.tokens = token_service_pb2_grpc.TokenServiceStub(channel)
        self.domains = domain_service_pb2_grpc.DomainServiceStub(channel)
        self.files = file_service_pb2_grpc.FileServiceStub(channel)


@dataclass
class Mesh:
    """A running gateway with everything around it."""

    ann: Caller
    bob: Caller
    peers: FakePeers
    clock: HeldClock
    gateway: GatewayService


@pytest.fixture
def limits() -> dict[str, object]:
    """Settings of the gateway that a test changes."""
    return {}


@pytest_asyncio.fixture
async def mesh(tmp_path: Path, limits: dict[str, object]) -> AsyncIterator[Mesh]:
    clock = HeldClock(datetime(2026, 3, 1, 12, 0, tzinfo=UTC))
    peers = FakePeers()
    made: list[GatewayService] = []

    def gateway(settings: MeshSettings, dial: Dial) -> GatewayService:
        made.append(GatewayService(settings, dial, clock))
        return made[0]

    async with AsyncExitStack() as stack:
        # A socket's path must be short; pytest's folders are not.
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="assay-"))
        address = f"unix:{folder}/mesh.sock"
        names = ("gateway", "planner", "executor", "memory", "audit")
        values = {f"{name}_address": address for name in names} | limits
        settings = load(GatewaySettings, home=tmp_path, drain_seconds=0.2, **values)
        await stack.enter_async_context(running([peers, gateway], settings, address))
        channels = [open_channel(address, tenant) for tenant in ("ann", "bob")]
        for channel in channels:
            stack.push_async_callback(channel.close)
        yield Mesh(Caller(channels[0]), Caller(channels[1]), peers, clock, made[0])


@pytest.fixture
def refused() -> Callable[..., object]:
    """`with refused("REASON") as error`: the call inside must fail just so."""

    @dataclass
    class Refusal:
        message: str = ""
        hint: str = ""
        fields: dict[str, str] | None = None
        metadata: dict[str, str] | None = None

    @contextmanager
    def expecting(reason: str) -> Iterator[Refusal]:
        seen = Refusal()
        with pytest.raises(grpc.RpcError) as caught:
            yield seen
        error = from_rpc_error(caught.value)
        assert error.reason.code == reason, error
        seen.message, seen.hint = error.message, error.hint
        seen.fields, seen.metadata = error.fields, error.metadata

    return expecting
