"""A channel to a peer whose certificates may be replaced while it is in use."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import grpc
from grpc import aio

from mesh.transport.tls import Certificates

LET_GO_SECONDS = 3600.0
"""How long calls that a replaced certificate opened may still run."""


class RotatingChannel(aio.Channel):
    """Opens another channel when the certificates are new; calls under way keep the one they have.

    gRPC for Python can give a server new certificates (`dynamic_ssl_server_credentials`) but a
    channel none: its credentials are those it was opened with.
    """

    def __init__(
        self,
        certificates: Certificates,
        opened: Callable[[grpc.ChannelCredentials], aio.Channel],
    ) -> None:
        self._certificates = certificates
        self._opened = opened
        self._edition = certificates.edition()
        self._channel = opened(certificates.of_a_client())
        self._leaving: set[asyncio.Task[None]] = set()

    def current(self) -> aio.Channel:
        """The channel that a call which begins now goes by."""
        edition = self._certificates.edition()
        if edition != self._edition:
            former = self._channel
            self._channel = self._opened(self._certificates.of_a_client())
            self._edition = edition
            leaving = asyncio.get_running_loop().create_task(former.close(LET_GO_SECONDS))
            self._leaving.add(leaving)
            leaving.add_done_callback(self._leaving.discard)
        return self._channel

    def unary_unary(self, *arguments: Any, **named: Any) -> Any:
        """As gRPC defines it, as all below."""
        return _Call(self, "unary_unary", arguments, named)

    def unary_stream(self, *arguments: Any, **named: Any) -> Any:
        """As gRPC defines it."""
        return _Call(self, "unary_stream", arguments, named)

    def stream_unary(self, *arguments: Any, **named: Any) -> Any:
        """As gRPC defines it."""
        return _Call(self, "stream_unary", arguments, named)

    def stream_stream(self, *arguments: Any, **named: Any) -> Any:
        """As gRPC defines it."""
        return _Call(self, "stream_stream", arguments, named)

    async def close(self, grace: float | None = None) -> None:
        """Close the channel, and those that calls under way still go by."""
        for leaving in self._leaving:
            leaving.cancel()
        await asyncio.gather(*self._leaving, return_exceptions=True)
        await self._channel.close(grace)

    def get_state(self, try_to_connect: bool = False) -> grpc.ChannelConnectivity:
        """As gRPC defines it."""
        return self.current().get_state(try_to_connect)

    async def wait_for_state_change(self, last_observed_state: grpc.ChannelConnectivity) -> None:
        """As gRPC defines it."""
        await self.current().wait_for_state_change(last_observed_state)

    async def channel_ready(self) -> None:
        """As gRPC defines it."""
        await self.current().channel_ready()

    async def __aenter__(self) -> RotatingChannel:
        """Nothing to open yet."""
        return self

    async def __aexit__(self, *exception: object) -> None:
        """Close it."""
        await self.close()


class _Call:
    """A method of a peer, looked up again where the channel is another."""

    def __init__(
        self,
        channel: RotatingChannel,
        shape: str,
        arguments: tuple[Any, ...],
        named: dict[str, Any],
    ) -> None:
        self._channel = channel
        self._shape = shape
        self._arguments = arguments
        self._named = named
        self._on: aio.Channel | None = None
        self._method: Any = None

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Call it."""
        current = self._channel.current()
        if current is not self._on:
            self._on = current
            self._method = getattr(current, self._shape)(*self._arguments, **self._named)
        return self._method(*arguments, **named)
