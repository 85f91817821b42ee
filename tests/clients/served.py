"""A mesh as strangers meet it: `assay up` behind TLS, with tokens, and a way to it."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clients.conformance.fixtures import write_fixtures
from clients.python.client import AssayClient
from clients.python.home import mesh_at
from mesh.testing.certificates import Authority
from tests.busy import allowing

COMMAND = [sys.executable, "-m", "clients.python.cli.main"]
ROLES = {"analyst": "analyst", "reader": "reader", "stranger": "analyst"}
NOBODIES = {"wrong": "assay_0123456789abcdef_wrong", "nobody": ""}
MOST_FILE_BYTES = 2_000_000


@dataclass
class Server:
    """`assay up` with tokens required, which can be ended and begun again at the same address."""

    home: Path
    surroundings: dict[str, str]
    address: str = "127.0.0.1:0"
    process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Return when it listens."""
        self.process = subprocess.Popen(
            [*COMMAND, "up", "--console", "", "--listen", self.address],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=self.surroundings | {"PYTHONUNBUFFERED": "1"},
        )
        assert self.process.stdout is not None
        found = re.search(r"127\.0\.0\.1:\d+", self.process.stdout.readline())
        assert found, "the mesh did not say where it listens"
        self.address = found[0]

    def stop(self, by: signal.Signals = signal.SIGTERM) -> None:
        if self.process is not None:
            self.process.send_signal(by)
            self.process.wait(allowing(60))
            self.process = None

    async def tokens(self, tenant: str) -> dict[str, str]:
        """New keys of a tenant and of a stranger to it, made on the server's own machine."""
        async with mesh_at(self.home, kind="ask", function=lambda _: None) as mesh:
            made = {}
            for name, role in ROLES.items():
                whose = f"not-{tenant}" if name == "stranger" else tenant
                async with AssayClient(mesh.target, whose) as client:
                    made[name] = (await client.tokens.create(name, role)).secret
            return made


@dataclass
class Way:
    """A way to the server, through which connections break as is asked."""

    server: Server
    address: str = ""
    cuts: int = 0
    _budgets: list[int] = field(default_factory=list)
    _refusals: int = 0
    _writers: set[asyncio.StreamWriter] = field(default_factory=set)
    _passing: set[asyncio.Task[None]] = field(default_factory=set)
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)

    def cut_after(self, sizes: list[int]) -> None:
        """Break connections, one after the other, when so many bytes have come back by each."""
        self._budgets, self.cuts = list(sizes), 0

    def refuse(self, times: int) -> None:
        """Break all connections, and the next so many as soon as they are made."""
        self._refusals, self.cuts = times, 0
        self.loop.call_soon_threadsafe(self._abort)

    async def serve(self, ready: threading.Event, ended: asyncio.Event) -> None:
        """Pass connections on until it ends."""
        listening = await asyncio.start_server(self._pass, "127.0.0.1", 0)
        self.address = "127.0.0.1:{1}".format(*listening.sockets[0].getsockname())
        ready.set()
        async with listening:
            await ended.wait()
            self._abort()
            await asyncio.gather(*self._passing, return_exceptions=True)

    def _abort(self) -> None:
        for writer in tuple(self._writers):
            writer.transport.abort()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._refusals > 0:
            self._refusals -= 1
            self.cuts += 1
            writer.transport.abort()
            return
        task = asyncio.current_task()
        assert task is not None
        self._passing.add(task)
        task.add_done_callback(self._passing.discard)
        host, port = self.server.address.split(":")
        try:
            there_reader, there_writer = await asyncio.open_connection(host, int(port))
        except OSError:
            writer.transport.abort()
            return
        both = (writer, there_writer)
        self._writers.update(both)
        await asyncio.gather(
            self._ending(both, self._up(reader, there_writer)),
            self._ending(both, self._down(there_reader, writer)),
        )
        self._writers.difference_update(both)

    @staticmethod
    async def _ending(
        both: tuple[asyncio.StreamWriter, asyncio.StreamWriter], passing: Coroutine[Any, Any, None]
    ) -> None:
        """Pass on; what ends one direction ends both."""
        with suppress(OSError):
            await passing
        for one in both:
            one.transport.abort()

    async def _up(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()

    async def _down(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        left: int | None = None
        while data := await reader.read(1 << 12):
            if left is None and self._budgets:
                left = self._budgets.pop(0)
            if left is not None:
                data, left = data[:left], left - len(data)
            writer.write(data)
            await writer.drain()
            if left is not None and left <= 0:
                self.cuts += 1
                return


@contextmanager
def way_to(server: Server) -> Iterator[Way]:
    """A way in a thread of its own."""
    way, ready, ended = Way(server), threading.Event(), asyncio.Event()
    loop = way.loop
    thread = threading.Thread(target=lambda: loop.run_until_complete(way.serve(ready, ended)))
    thread.start()
    assert ready.wait(allowing(10))
    try:
        yield way
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join()
        loop.close()


@dataclass
class World:
    """What a runner needs, and what it may have done to the mesh."""

    server: Server
    way: Way
    settings: dict[str, Any]

    def settings_for(self, tenant: str) -> dict[str, Any]:
        """Settings for a runner with data, keys and choices of its own."""
        tokens = asyncio.run(self.server.tokens(tenant))
        return {**self.settings, "tokens": {**tokens, **NOBODIES}}

    def outside(self, wanted: dict[str, Any]) -> dict[str, Any]:
        """Do what a step asks for."""
        match wanted["do"]:
            case "restart":
                self.server.stop(signal.SIGKILL)
                self.server.start()
            case "cut":
                self.way.cut_after(wanted["after"])
            case "refuse":
                self.way.refuse(wanted["times"])
        return {"cuts": self.way.cuts}


@contextmanager
def served(folder: Path) -> Iterator[World]:
    """Serve a mesh with its home in `folder`."""
    write_fixtures(folder / "fixtures")
    authority = Authority(folder, "people")
    issued = authority.issue("gateway")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ASSAY_")}
    server = Server(
        folder / "home",
        {
            **kept,
            "ASSAY_HOME": str(folder / "home"),
            "ASSAY_GATEWAY_AUTH": "tokens",
            "ASSAY_GATEWAY_FILE_BYTES": str(MOST_FILE_BYTES),
            "ASSAY_PUBLIC_CERTIFICATE": str(issued["tls_certificate"]),
            "ASSAY_PUBLIC_KEY": str(issued["tls_key"]),
        },
    )
    try:
        server.start()
        with way_to(server) as way:
            settings = {
                "targets": {
                    "direct": f"https://{server.address}",
                    "proxy": f"https://{way.address}",
                },
                "authority": str(authority.certificate),
                "fixtures": str(folder / "fixtures"),
            }
            yield World(server, way, settings)
    finally:
        server.stop()
