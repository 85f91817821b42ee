"""A server that is not reached: what it was is told, where gRPC knows it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import grpc
import pytest
import pytest_asyncio
from grpc import aio

from assay.gateway.v1 import catalogue_service_pb2_grpc
from clients.python.cli import main
from clients.python.client import AssayClient
from mesh.errors import INVALID_ARGUMENT, SERVICE_UNAVAILABLE, AssayError
from mesh.testing.certificates import Authority
from tests.unit.clients.fake_gateway import FakeGateway


@dataclass
class Served:
    """One gateway, by TLS and in plain text, and who signed its certificate."""

    secure: int
    plain: int
    authority: Path
    stranger: Path


@pytest_asyncio.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    known, stranger = Authority(tmp_path, "known"), Authority(tmp_path, "strange")
    issued = known.issue("gateway")
    pair = issued["tls_key"].read_bytes(), issued["tls_certificate"].read_bytes()
    server, script = aio.server(), cast("Any", FakeGateway())
    catalogue_service_pb2_grpc.add_CatalogueServiceServicer_to_server(script, server)
    secure = server.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials([pair]))
    plain = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    yield Served(secure, plain, known.certificate, stranger.certificate)
    await server.stop(0)


async def refusal(target: str, authority: Path | None = None) -> AssayError:
    with pytest.raises(AssayError) as refused:
        async with AssayClient(target, "ann", authority=authority) as client:
            await client.list_tools()
    return refused.value


async def test_an_authority_that_is_not_the_servers(served: Served) -> None:
    for authority in (served.stranger, None):
        error = await refusal(f"https://127.0.0.1:{served.secure}", authority)

        assert error.reason is SERVICE_UNAVAILABLE
        assert "its certificate is signed by no authority that is trusted here" in error.message
        assert "ASSAY_SERVER_AUTHORITY" in error.hint


async def test_plain_text_to_a_server_with_a_certificate(served: Served) -> None:
    error = await refusal(f"127.0.0.1:{served.secure}")

    assert error.reason is SERVICE_UNAVAILABLE
    assert "https://" in error.hint


async def test_tls_to_a_server_without_a_certificate(served: Served) -> None:
    error = await refusal(f"https://127.0.0.1:{served.plain}", served.authority)

    assert error.reason is SERVICE_UNAVAILABLE
    assert "it does not speak TLS" in error.message and "without https://" in error.hint


@pytest.mark.parametrize(
    "address",
    ["https://127.0.0.1:{secure}/", "http://127.0.0.1:{plain}", "localhost:seventy", "ipv4:no:1"],
)
async def test_an_address_that_is_none(served: Served, address: str) -> None:
    error = await refusal(address.format(secure=served.secure, plain=served.plain))

    assert "its address is malformed" in error.message
    assert "host:port" in error.hint


async def test_nobody_at_an_address_is_only_said_to_be_away(tmp_path: Path) -> None:
    error = await refusal(f"unix:{tmp_path}/nobody.sock")

    assert (error.message, error.hint) == ("the server cannot be reached", "")


async def test_a_list_of_addresses_has_no_certificate(served: Served) -> None:
    both = f"127.0.0.1:{served.secure},127.0.0.1:{served.secure}"

    error = await refusal(f"https://ipv4:{both}", served.authority)

    assert error.reason is INVALID_ARGUMENT
    assert f"ipv4:{both}" in error.message and "https://dns:///" in error.hint


@pytest.mark.parametrize("address", ["dns:///localhost:{}", "localhost:{}", "ipv4:127.0.0.1:{}"])
async def test_a_name_and_one_address_have_one(served: Served, address: str) -> None:
    target = f"https://{address.format(served.secure)}"

    async with AssayClient(target, "ann", authority=served.authority) as client:
        assert await client.list_tools() == []


def test_the_command_says_which_address_and_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    main.run(["tools", "--server", "https://127.0.0.1:7400/"])

    told = " ".join(capsys.readouterr().err.split())
    assert "https://127.0.0.1:7400/: the server cannot be reached: its address is malformed" in told
    assert "host:port" in told
