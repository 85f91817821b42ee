"""Frames in an object store, named by their digest and read by memory map."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa

from mesh.digest import frame_digest
from mesh.errors import NOT_FOUND, VERIFICATION_FAILED, AssayError
from mesh.frames import codec
from mesh.frames.canonical import RunningDigest
from mesh.frames.reference import FrameRef, Location, LocationKind
from mesh.frames.rewriting import write_batches
from mesh.frames.stored import StoredFrame
from mesh.storage.objects.port import ObjectStore
from mesh.telemetry.metrics import moved

_DIGEST = re.compile(r"[0-9a-f]{64}")

Admit = Callable[[str, int], None]


class FrameStore:
    """Arrow IPC files under their digests, in a folder or a bucket.

    A frame is either there in full or not at all, across crashes too. Putting an equal table
    twice keeps one file. Nothing here bounds what is stored or collects what nobody needs.
    """

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects

    def put(self, table: pa.Table, name: str = "frame", admit: Admit | None = None) -> FrameRef:
        """Store a table; when this returns it survives a crash.

        `admit` gets digest and size before the frame can be seen; what it raises leaves nothing
        stored, and whatever it did not delete by the time it returns stays. Raises
        AssayError(RESOURCE_EXHAUSTED) when there is no room, and OSError.
        """
        digest = frame_digest(table)
        key = _key(digest)
        size = self._admitted(digest, admit)
        if size is None:
            with self._objects.building() as building:
                codec.write_file(table, building.file)
                size = building.size()
                if admit is not None:
                    admit(digest, size)
                building.keep(key, "frame")
            moved("stored", size)
        return self._ref(name, table.schema, table.num_rows, size, digest)

    def put_file(self, path: Path, name: str = "frame", admit: Admit | None = None) -> FrameRef:
        """Store the table of an Arrow file that others wrote; otherwise like `put`.

        Every batch is checked to be sound and written anew, one after the other, so that memory
        does not grow with the frame. Raises also AssayError(SOURCE_NOT_READABLE).
        """
        with StoredFrame(path) as given, self._objects.building() as building:
            schema = given.schema()
            running = RunningDigest(schema)

            def sound() -> Iterator[pa.RecordBatch]:
                nonlocal running
                running = RunningDigest(schema)
                for batch in given.batches():
                    given.check(batch)
                    running.add(batch)
                    yield batch

            write_batches(schema, sound, building.file)
            digest = running.hexdigest()
            size = self._admitted(digest, admit)
            if size is None:
                size = building.size()
                if admit is not None:
                    admit(digest, size)
                building.keep(_key(digest), "frame")
                moved("stored", size)
        return self._ref(name, schema, running.rows, size, digest)

    def ref(self, digest: str, name: str = "frame") -> FrameRef:
        """A stored frame's name card; its rows are not read. Raises like `open`."""
        path = self.file(digest)
        with StoredFrame(path) as stored:
            return self._ref(name, stored.schema(), stored.rows(), path.stat().st_size, digest)

    def _admitted(self, digest: str, admit: Admit | None) -> int | None:
        """The bytes of a stored frame that stays; None when there is none."""
        size = self._objects.size(_key(digest))
        if size is None or admit is None:
            return size
        admit(digest, size)
        # It may have been collected until it was admitted.
        return self._objects.size(_key(digest))

    def _ref(self, name: str, schema: pa.Schema, rows: int, size: int, digest: str) -> FrameRef:
        return FrameRef(
            name=name,
            schema_bytes=codec.encode_schema(schema),
            rows=rows,
            bytes=size,
            digest=digest,
            locations=self.locations(digest),
        )

    def locations(self, digest: str) -> tuple[Location, ...]:
        """Where else than through this store the frame's file can be had: on this host, or nowhere.

        Raises AssayError(NOT_FOUND) for what is no digest.
        """
        place = self._objects.place(_key(digest))
        return (Location(kind=LocationKind.PATH, uri=str(place)),) if place else ()

    def file(self, digest: str) -> Path:
        """The frame's file, or a checked copy that stays while it is in use.

        Raises like `open`.
        """
        try:
            return self._objects.local(_key(digest), lambda fetched: _verify(fetched, digest))
        except FileNotFoundError as error:
            raise _absent(digest) from error

    def open(self, digest: str, *, foreign: bool = False) -> pa.Table:
        """The stored table, memory-mapped; from a bucket it is fetched to this machine first.

        `foreign` checks structure and digest before any row is used; do so when others may write
        to the folder. What comes from a bucket is always checked when it arrives. Raises
        AssayError: NOT_FOUND, SOURCE_NOT_READABLE for a damaged file, VERIFICATION_FAILED for a
        sound file with other content.
        """
        path = self.file(digest)
        try:
            if foreign:
                _verify(path, digest)
            return codec.map_file(path)
        except FileNotFoundError as error:
            raise _absent(digest) from error

    def exists(self, digest: str) -> bool:
        """Whether a frame of that digest is stored; False for what is no digest."""
        return bool(_DIGEST.fullmatch(digest)) and self._objects.size(_key(digest)) is not None

    def delete(self, digest: str) -> bool:
        """Remove a frame; tells whether there was one. Tables already open stay readable."""
        return bool(_DIGEST.fullmatch(digest)) and self._objects.delete(_key(digest))


def _key(digest: str) -> str:
    """Where a frame lies. Raises AssayError(NOT_FOUND) for what is no digest."""
    if not _DIGEST.fullmatch(digest):
        raise _absent(digest)
    return f"{digest[:2]}/{digest}.arrow"


def _verify(path: Path, digest: str) -> None:
    actual = frame_digest(codec.map_file(path, foreign=True))
    if actual != digest:
        raise AssayError(
            VERIFICATION_FAILED,
            f"The file of frame {digest[:12]} holds another table, {actual[:12]}.",
            hint="The file was changed after it was stored; make the frame again.",
            metadata={"digest": digest, "actual": actual},
        )


def _absent(digest: str) -> AssayError:
    return AssayError(
        NOT_FOUND,
        f"There is no frame {digest[:12]} here.",
        hint="It was collected or never stored; run the step that made it to make it again.",
        metadata={"digest": digest},
    )
