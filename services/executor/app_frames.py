"""Frames going out and coming in: where they are, their bytes, and files that become frames."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterable
from pathlib import Path

import pyarrow as pa

from mesh.context import current
from mesh.errors import NOT_FOUND, SOURCE_NOT_READABLE, TIMEOUT, AssayError
from mesh.frames.plane import FramePlane
from mesh.frames.reference import FrameRef, Location, LocationKind
from mesh.frames.sending import stored_spans
from mesh.frames.store import Admit, FrameStore
from mesh.frames.tickets import Tickets
from mesh.storage.files import building_folder
from mesh.transport.seal import Seal
from services.executor.domain.stored_item import StoredKind
from services.executor.frame_leases import Leases
from services.executor.sources.disposable.pool import Crashed, DisposableProcesses, Stopped
from services.executor.sources.disposable.refusals import raise_refusal

KEEPING_SECONDS = 180.0


class Frames:
    """The use cases of frames. Blocking: for worker threads.

    `keepers` are the processes that read foreign Arrow; `building` is where they write. Other
    executors know this one by the mesh's `seal`.
    """

    def __init__(
        self,
        store: FrameStore,
        leases: Leases,
        tickets: Tickets,
        keepers: DisposableProcesses,
        building: Path,
        seal: Seal | None = None,
    ) -> None:
        self.store = store
        self.leases = leases
        self.tickets = tickets
        self.plane = FramePlane(locate=self.ticketed, seal=seal)
        self.flight_uri = ""
        """Where this process's Flight endpoint is; empty without one."""
        self._keepers = keepers
        self._building = building

    def put(self, table: pa.Table, name: str, admit: Admit) -> FrameRef:
        """Store a table; the reference names every way to it, without tickets."""
        return self._reachable(self.store.put(table, name, admit))

    def redeem(self, ref: FrameRef) -> pa.Table:
        """The rows of the caller's frame: of this store, or by Flight from whoever has it, who asks
        in turn whose it is. Raises as `FramePlane.redeem`.
        """
        if self._is_here(ref.digest):
            return self.store.open(ref.digest)
        return self.plane.redeem(ref.model_copy(update={"locations": ref.flights()}))

    def file(self, tenant: str, digest: str) -> Path:
        """The file of a tenant's frame of this store. Raises AssayError(NOT_FOUND)."""
        self.leases.require(StoredKind.FRAME, digest, tenant)
        return self.store.file(digest)

    def locate(self, ref: FrameRef) -> FrameRef:
        """The frame with all its locations, nearest first, with tickets for the caller.

        Raises AssayError(NOT_FOUND) for a frame that is neither here nor said to be elsewhere, and
        for one that is here and another tenant's.
        """
        if self._is_here(ref.digest):
            places = self.store.locations(ref.digest)
            ref = self._reachable(ref.model_copy(update={"locations": places}))
        elif not ref.flights():
            raise AssayError(NOT_FOUND, f"there is no frame {ref.digest[:12]} here")
        return self.ticketed(ref)

    def ticketed(self, ref: FrameRef) -> FrameRef:
        """The same locations; those by Flight with a ticket for the caller, as keys are shared."""
        places = self._opened(ref.digest, ref.locations)
        return ref.model_copy(update={"locations": places})

    def spans(
        self, digest: str, first_row: int = 0, elsewhere: tuple[Location, ...] = ()
    ) -> Generator[memoryview, None, None]:
        """An Arrow IPC stream of the rows from `first_row` on, as `stored_spans` gives it.

        A frame that is not here is passed on from `elsewhere`, by Flight. Raises AssayError:
        NOT_FOUND, SOURCE_NOT_READABLE, INVALID_ARGUMENT for a row at which no batch begins,
        SERVICE_UNAVAILABLE when who has it is away.
        """
        flights = [place for place in elsewhere if place.kind is LocationKind.FLIGHT]
        if not flights or self._is_here(digest):
            yield from stored_spans(self.file(current().tenant, digest), first_row)
            return
        for piece in self.plane.stream(digest, self._opened(digest, flights), first_row):
            yield memoryview(piece)

    def keep(self, file: Path, name: str, admit: Admit) -> FrameRef:
        """Make a frame of an Arrow file that somebody uploaded.

        Its bytes are parsed, validated and written anew in a process that is used once; only what
        that wrote is read here. Raises AssayError: SOURCE_NOT_READABLE, TIMEOUT.
        """
        with building_folder(self._building) as folder:
            clean = folder / "frame.arrow"
            job = {"file": str(file), "clean": str(clean), "name": name}
            seconds = current().seconds_left(KEEPING_SECONDS)
            try:
                raise_refusal(self._keepers.run(job, seconds=seconds, cancelled=threading.Event()))
            except Crashed as error:
                raise AssayError(
                    SOURCE_NOT_READABLE, f"{name} is no sound Arrow file: reading it crashed"
                ) from error
            except Stopped as error:
                raise AssayError(TIMEOUT, f"{name} could not be read in time") from error
            return self._reachable(self.store.put_file(clean, name, admit))

    def kept(self, digest: str, name: str) -> FrameRef | None:
        """The frame that `keep` made before for the caller, if it is still there."""
        if not self.store.exists(digest):
            return None
        return self._reachable(self.store.ref(digest, name))

    def close(self) -> None:
        """Close connections to other executors."""
        self.plane.close()

    def _is_here(self, digest: str) -> bool:
        """Whether this store has the frame. Raises AssayError(NOT_FOUND) for another tenant's."""
        if not self.store.exists(digest):
            return False
        self.leases.require(StoredKind.FRAME, digest)
        return True

    def _opened(self, digest: str, places: Iterable[Location]) -> tuple[Location, ...]:
        """The places; those by Flight with a ticket for the caller."""
        tenant = current().tenant
        return tuple(
            place.model_copy(update={"ticket": self.tickets.issue(tenant, digest)})
            if place.kind is LocationKind.FLIGHT
            else place
            for place in places
        )

    def _reachable(self, ref: FrameRef) -> FrameRef:
        if not self.flight_uri:
            return ref
        flight = Location(kind=LocationKind.FLIGHT, uri=self.flight_uri)
        return ref.model_copy(update={"locations": (*ref.locations, flight)})
