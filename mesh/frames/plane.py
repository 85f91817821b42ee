"""Getting a frame's rows from wherever they are nearest.

In this order: the store of this process, by digest; an Arrow file on this host, by memory map;
Arrow Flight. Nobody who redeems a frame needs to know which it was.
"""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from mesh.errors import (
    NOT_FOUND,
    SERVICE_UNAVAILABLE,
    TICKET_EXPIRED,
    VERIFICATION_FAILED,
    AssayError,
)
from mesh.frames.reference import FrameRef, Location
from mesh.telemetry.metrics import moved

if TYPE_CHECKING:
    import pyarrow as pa

    from mesh.frames.flight_client import FlightFetcher
    from mesh.transport.seal import Seal

log = logging.getLogger("assay.frames")


class Frames(Protocol):
    """The part of a frame store that the plane uses."""

    def exists(self, digest: str) -> bool:
        """Whether a frame is there."""
        ...

    def open(self, digest: str) -> pa.Table:
        """Its table. Raises AssayError."""
        ...


class FramePlane:
    """Redeems frame references. Blocking; serves all threads; `close` it at the end.

    `store` is this process's own, if it has one. `locate` gives a reference with fresh locations
    and tickets; without it, only the locations that a reference has are used. With `verify`, what
    comes over a network or from a file that others could write is checked against its digest.
    Executors give frames to services that have the mesh's `seal` alone.
    """

    def __init__(
        self,
        store: Frames | None = None,
        locate: Callable[[FrameRef], FrameRef] | None = None,
        *,
        seal: Seal | None = None,
        verify: bool = True,
    ) -> None:
        self._store = store
        self._seal = seal
        self._locate = locate
        self._verify = verify
        self._fetcher: FlightFetcher | None = None

    def close(self) -> None:
        """Close the connections."""
        if self._fetcher is not None:
            self._fetcher.close()

    def redeem(self, ref: FrameRef) -> pa.Table:
        """The frame's rows.

        Raises AssayError: NOT_FOUND where nobody has it, SERVICE_UNAVAILABLE, TIMEOUT,
        VERIFICATION_FAILED.
        """
        table = self.near(ref)
        if table is not None:
            return table
        try:
            return self.fetch(ref)
        except AssayError as error:
            again = error.reason in (NOT_FOUND, TICKET_EXPIRED, SERVICE_UNAVAILABLE)
            if self._locate is None or not again:
                raise
        return self.redeem_located(self._locate(ref))

    def redeem_located(self, ref: FrameRef) -> pa.Table:
        """The rows by the locations that the reference has. Raises like `redeem`."""
        table = self.near(ref)
        return self.fetch(ref) if table is None else table

    def near(self, ref: FrameRef) -> pa.Table | None:
        """The rows if they are in this process or on this host, else None."""
        table = None
        if self._store is not None and self._store.exists(ref.digest):
            table = self._store.open(ref.digest)
        elif (path := ref.path()) is not None:
            table = self._mapped(ref, path)
        if table is not None:
            moved("near", ref.bytes)
        return table

    def fetch(self, ref: FrameRef) -> pa.Table:
        """The rows by Flight. Raises like `redeem`; NOT_FOUND without a location and its ticket."""
        failure = _nowhere(ref.digest)
        for place in ref.flights():
            if not place.ticket:
                continue
            try:
                table = self._flight().fetch(ref, place, verify=self._verify)
            except AssayError as error:
                log.warning("frame %s is not had from %s: %s", ref.digest[:12], place.uri, error)
                failure = error
                continue
            moved("fetched", ref.bytes)
            return table
        raise failure

    def stream(
        self, digest: str, places: Iterable[Location], first_row: int = 0
    ) -> Iterator[bytes]:
        """An Arrow IPC stream of the rows from `first_row` on, by Flight, to be passed on.

        Memory does not grow with the frame. Whoever receives it checks its digest. Raises like
        `fetch`.
        """
        failure = _nowhere(digest)
        for place in places:
            stream = self._flight().stream(place, first_row)
            try:
                first = next(stream)
            except AssayError as error:
                log.warning("frame %s is not had from %s: %s", digest[:12], place.uri, error)
                failure = error
                continue
            yield first
            yield from stream
            return
        raise failure

    def _mapped(self, ref: FrameRef, path: Path) -> pa.Table | None:
        """The rows of a file of this host; None when it is not there, not readable or not it."""
        from mesh.digest import frame_digest
        from mesh.frames import codec

        try:
            foreign = others_may_write(path)
            table = codec.map_file(path, foreign=foreign)
            if foreign and self._verify and frame_digest(table) != ref.digest:
                raise AssayError(VERIFICATION_FAILED, f"{path} holds another table")
        except (OSError, AssayError) as error:
            if not isinstance(error, FileNotFoundError):
                log.warning("frame %s is not read from %s: %s", ref.digest[:12], path, error)
            return None
        return table

    def _flight(self) -> FlightFetcher:
        if self._fetcher is None:
            from mesh.frames.flight_client import FlightFetcher

            self._fetcher = FlightFetcher(self._seal)
        return self._fetcher


def _nowhere(digest: str) -> AssayError:
    return AssayError(
        NOT_FOUND,
        f"frame {digest[:12]} cannot be had from here",
        hint="It was deleted, or is on a machine that is away; run its step again.",
    )


def others_may_write(path: Path) -> bool:
    """Whether another user of this host could have written a file, or put it in its place.

    Raises OSError.
    """
    trusted = (os.geteuid(), 0)
    for place in (path, path.parent):
        found = place.stat()
        if found.st_uid not in trusted or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return True
    return False
