"""Services that are made when they are first called."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc import aio

from mesh import context as calls
from mesh.config import SERVICES, MeshSettings
from mesh.errors import STATE_DAMAGED, AssayError
from mesh.transport.callers import ByName
from mesh.transport.dial import Dial
from mesh.transport.on_demand import OnDemand
from mesh.transport.server import running
from mesh.transport.service import ServiceFactory
from mesh.transport.status import from_rpc_error
from services.__main__ import ON_DEMAND, factories, factories_on_demand

SAY = "/assay.gateway.v1.Echo/Say"


@pytest.fixture
def settings() -> Iterator[MeshSettings]:
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        addresses: dict[str, Any] = {f"{n}_address": f"unix:{folder}/mesh.sock" for n in SERVICES}
        yield MeshSettings(home=Path(folder), drain_seconds=0.2, **addresses)


class Echo:
    """Says what it is told, and notes what is done with it."""

    name = "gateway"  # which answers without a seal
    contracts = ("assay.gateway.v1.Echo",)

    def __init__(self, story: list[str], breaks: AssayError | None = None) -> None:
        self.story = story
        self._breaks = breaks
        self.deadline: float | None = 0.0
        self.begun = asyncio.Event()

    async def __aenter__(self) -> Echo:
        self.story.append("open")
        await asyncio.sleep(0)
        if self._breaks is not None:
            raise self._breaks
        self.deadline = calls.current().deadline
        return self

    async def __aexit__(self, *exception: Any) -> None:
        self.story.append("close")

    def register(self, server: aio.Server) -> None:
        async def say(request: bytes, context: Any) -> bytes:
            return request

        handler: Any = grpc.unary_unary_rpc_method_handler(say)
        server.add_registered_method_handlers("assay.gateway.v1.Echo", {"Say": handler})

    async def started(self) -> None:
        self.story.append("start")
        self.begun.set()

    async def drain(self) -> None:
        self.story.append("drain")


def _made(service: Echo) -> ServiceFactory:
    def make(settings: MeshSettings, dial: Dial) -> Any:
        return service

    return make


class FacingPeople(OnDemand):
    """Answers people, as the gateway does, which itself is never made on demand."""

    end_users = ByName()


def on_demand(service: Echo) -> ServiceFactory:
    return partial(FacingPeople, service.name, service.contracts, lambda: _made(service))


async def said(settings: MeshSettings, *words: bytes) -> list[bytes]:
    async with aio.insecure_channel(settings.address("gateway")) as channel:
        say: Any = channel.unary_unary(SAY)
        return list(await asyncio.gather(*(say(word, timeout=20) for word in words)))


async def test_it_is_made_once_by_the_first_call_and_closed_at_the_end(
    settings: MeshSettings,
) -> None:
    story: list[str] = []
    echo = Echo(story)
    async with running([on_demand(echo)], settings, settings.address("gateway")):
        assert story == []

        assert await said(settings, b"one", b"two") == [b"one", b"two"]

        assert story == ["open", "start"]
    assert story == ["open", "start", "drain", "close"]
    assert echo.deadline is None  # that of the call which woke it is not its own


async def test_what_is_made_while_the_server_stops_begins_nothing(settings: MeshSettings) -> None:
    story: list[str] = []
    echo = OnDemand("gateway", Echo.contracts, lambda: _made(Echo(story)), settings, Dial(settings))
    async with echo:
        await echo.drain()
        assert await echo.method(SAY) is not None
    assert story == ["open", "close"]


async def test_what_nobody_calls_is_never_made(settings: MeshSettings) -> None:
    story: list[str] = []
    async with running([on_demand(Echo(story))], settings, settings.address("gateway")):
        pass
    assert story == []


async def test_what_is_sure_to_be_called_is_made_before_the_call(settings: MeshSettings) -> None:
    story: list[str] = []
    echo = Echo(story)
    soon = settings.model_copy(update={"soon": frozenset({"gateway"})})
    async with running([on_demand(echo)], soon, settings.address("gateway")):
        await echo.begun.wait()
        assert await said(settings, b"one") == [b"one"]
    assert story == ["open", "start", "drain", "close"]


async def test_a_start_that_fails_is_told_to_whoever_calls(settings: MeshSettings) -> None:
    broken = AssayError(STATE_DAMAGED, "the log cannot be read", hint="Move it away.")
    echo = Echo([], broken)
    async with running([on_demand(echo)], settings, settings.address("gateway")):
        for _ in range(2):
            with pytest.raises(grpc.RpcError) as raised:
                await said(settings, b"one")
            told = from_rpc_error(raised.value, "echo")
            assert (told.reason, told.message, told.hint) == (
                STATE_DAMAGED,
                "the log cannot be read",
                "Move it away.",
            )
    assert echo.story == ["open"]


def test_the_contracts_of_services_on_demand_are_theirs() -> None:
    served: dict[str, Any] = {}
    for make in factories(list(ON_DEMAND)):
        kind: Any = make
        served[kind.name] = kind.contracts
    assert served == ON_DEMAND
    assert len(factories_on_demand()) == len(SERVICES)
