"""The first key of a gateway that believes tokens alone is made at its socket, as in a pod."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from clients.python.client import AssayClient
from mesh.config import SERVICES, MeshSettings, load
from mesh.errors import TOKEN_REQUIRED, AssayError
from tests.mesh.support import processes


async def test_the_socket_makes_a_key_that_opens_the_public_address(home: Path) -> None:
    """Gateway and audit are processes of their own, set as the gateway's Deployment sets them."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        public = f"127.0.0.1:{free.getsockname()[1]}"
    addresses = {f"{name}_address": f"unix:{home}/{name}.sock" for name in SERVICES}
    settings = load(MeshSettings, home=home, drain_seconds=5.0, **addresses)
    own = addresses["gateway_address"]
    extra = {"ASSAY_PUBLIC": public, "ASSAY_GATEWAY_AUTH": "tokens", "ASSAY_LOCAL_PATHS": "false"}
    async with (
        processes(settings, [["audit"]]),
        processes(settings, [["gateway"]], extra),
    ):
        async with AssayClient(own) as inside:
            made = await inside.tokens.create("ann", role="operator")
        async with AssayClient(public) as stranger:
            with pytest.raises(AssayError) as refused:
                await stranger.tokens.all()
        assert refused.value.reason is TOKEN_REQUIRED
        async with AssayClient(public, token=made.secret) as ann:
            assert [key.token_id for key in await ann.tokens.all()] == [made.token.token_id]
