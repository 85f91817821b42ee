"""A TCP proxy that breaks a transfer, or damages it, where a test says."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

Harm = Callable[[int, bytes], bytes | None]
"""Gets how many bytes went before and the next ones; gives what is passed on, None to cut."""


def cut_after(size: int) -> Harm:
    """Break the connection once so many bytes came through."""
    return lambda before, data: data if before + len(data) <= size else None


def flip_at(place: int) -> Harm:
    """Change one bit of the byte at `place`."""

    def harm(before: int, data: bytes) -> bytes:
        at = place - before
        if not 0 <= at < len(data):
            return data
        return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]

    return harm


@dataclass
class CuttingProxy:
    """Passes connections on to a port or socket; the first ones each meet a harm, the rest none."""

    target: int | str
    harms: Sequence[Harm]
    connections: int = 0
    passed: list[int] = field(default_factory=list)

    def serve(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            try:
                server = _connected(self.target)
            except OSError:  # nobody is there any more: the client is told, not left waiting
                client.close()
                continue
            number, self.connections = self.connections, self.connections + 1
            self.passed.append(0)
            harm: Harm = (
                self.harms[number] if number < len(self.harms) else (lambda before, data: data)
            )
            threading.Thread(target=_pump, args=(client, server), daemon=True).start()
            threading.Thread(
                target=self._harmful, args=(server, client, harm, number), daemon=True
            ).start()

    def _harmful(self, source: socket.socket, sink: socket.socket, harm: Harm, number: int) -> None:
        with suppress(OSError), source, sink:
            while data := source.recv(1 << 16):
                passing = harm(self.passed[number], data)
                if passing is None:
                    break
                self.passed[number] += len(data)
                sink.sendall(passing)
            for end in (source, sink):
                end.shutdown(socket.SHUT_RDWR)


def _connected(target: int | str) -> socket.socket:
    if isinstance(target, int):
        return socket.create_connection(("127.0.0.1", target))
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(target)
    return connection


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(1 << 16):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)


@contextmanager
def proxied(target: int | str, *harms: Harm) -> Iterator[tuple[CuttingProxy, int]]:
    """The proxy and the port it listens on."""
    proxy = CuttingProxy(target, harms)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        serving = threading.Thread(target=proxy.serve, args=(listener,), daemon=True)
        serving.start()
        try:
            yield proxy, listener.getsockname()[1]
        finally:
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            # The next listener may get the same descriptor, which this thread must not accept on.
            serving.join()
