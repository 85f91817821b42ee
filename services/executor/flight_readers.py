"""Cutting off who reads a frame by Flight too slowly.

gRPC's own server waits for ever until a reader has room, and pyarrow has no way to end a call from
the server's side. What can be ended is the connection: its socket is one of this process's own. All
transfers on it break off; those of readers that are well go on where they were over a new one.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa

log = logging.getLogger("assay.executor")

_LOOKS = 4
"""How often within the time that a reader has it is looked at."""


class _Transfer:
    """One frame on its way; `since` is when the batch was handed over that is being written."""

    def __init__(self, peer: str) -> None:
        self.peer = peer
        self.since: float | None = None


class SlowReaders:
    """Ends the connections of readers who take no batch within `seconds`; `close` it at the end."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._transfers: set[_Transfer] = set()
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="slow-readers", daemon=True)
        self._thread.start()

    def watched(self, batches: Iterator[pa.RecordBatch], peer: str) -> Iterator[pa.RecordBatch]:
        """The batches; the next is asked for when the one before was taken by the connection."""
        transfer = _Transfer(peer)
        with self._lock:
            self._transfers.add(transfer)
        try:
            for batch in batches:
                transfer.since = time.monotonic()
                yield batch
                transfer.since = None
        finally:
            with self._lock:
                self._transfers.discard(transfer)

    def cut_off_all(self) -> None:
        """End all transfers now, whoever reads them."""
        with self._lock:
            peers = {transfer.peer for transfer in self._transfers}
        for peer in peers:
            if hang_up(peer):
                log.warning("%s was still reading at the end: cut off", peer)

    def close(self) -> None:
        """Look no more."""
        self._closed.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._closed.wait(self._seconds / _LOOKS):
            limit = time.monotonic() - self._seconds
            with self._lock:
                slow = {t.peer for t in self._transfers if t.since is not None and t.since < limit}
            for peer in slow:
                try:
                    if hang_up(peer):
                        log.warning("%s read nothing for %g seconds: cut off", peer, self._seconds)
                except Exception:  # whoever reads slowly must not end the watch over all others
                    log.exception("%s reads nothing, and cannot be cut off", peer)


def hang_up(peer: str) -> bool:
    """Shut this process's connections to a peer, as gRPC names it; whether there were any.

    Needs /proc; elsewhere nobody is cut off.
    """
    found, wanted = False, _address(peer)
    for descriptor in _sockets():
        # A copy stays what it is, whoever closes the descriptor meanwhile.
        with suppress(OSError), socket.socket(fileno=os.dup(descriptor)) as connection:
            if _peer_of(connection) == wanted:
                connection.shutdown(socket.SHUT_RDWR)
                found = True
    return found


def _sockets() -> Iterator[int]:
    with suppress(FileNotFoundError):
        for entry in Path("/proc/self/fd").iterdir():
            with suppress(OSError):
                if str(entry.readlink()).startswith("socket:"):
                    yield int(entry.name)


def _address(peer: str) -> tuple[object, int]:
    """Host and port of "ipv4:127.0.0.1:5000" or "ipv6:%5B::1%5D:5000"."""
    host, _, port = unquote(peer).partition(":")[2].rpartition(":")
    return ip_address(host.strip("[]")), int(port)


def _peer_of(connection: socket.socket) -> tuple[object, int] | None:
    if connection.family not in (socket.AF_INET, socket.AF_INET6):
        return None
    host, port = connection.getpeername()[:2]
    address = ip_address(host)
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address, port
