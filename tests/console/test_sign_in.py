"""Signing in at a provider in a real browser, which keeps cookies from other sites as it likes.

The provider, the mesh and the browser are processes and servers of their own because what is asked
about is what passes between the three.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from gateway.web.serving import serving
from tests.console.conftest import Walk, console_server
from tests.small_provider import SmallProvider


@contextmanager
def provider_served() -> Iterator[SmallProvider]:
    """A provider of another site than the console: `localhost`, not `127.0.0.1`."""
    provider, ready = SmallProvider(), threading.Event()
    loop, over = asyncio.new_event_loop(), asyncio.Event()

    async def serve() -> None:
        async with serving(provider.app(), "127.0.0.1:0", None, None) as address:
            provider.issuer = f"http://localhost:{address.rpartition(':')[2]}"
            ready.set()
            await over.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    try:
        assert ready.wait(30)
        yield provider
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()
        loop.close()


def test_signing_in_at_a_provider_of_another_site(walk: Walk) -> None:
    with provider_served() as provider, console_server(provider.settings()) as server:
        walk("sign_in", at=server, provider=provider.issuer)
