"""Frames in an object store, named by their digest and read by memory map."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

from mesh.digest import frame_digest
from mesh.errors import NOT_FOUND, VERIFICATION_FAILED, AssayError
from mesh.frames import codec
from mesh.frames.reference import FrameRef, Location, LocationKind
from mesh.objects.port import ObjectStore

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
        size = self._objects.size(key)
        if size is not None and admit is not None:
            admit(digest, size)
            # It may have been collected until it was admitted.
            size = self._objects.size(key)
        if size is None:
            with self._objects.building() as building:
                codec.write_file(table, building.file)
                size = building.size()
                if admit is not None:
                    admit(digest, size)
                building.keep(key, "frame")
        return FrameRef(
            name=name,
            schema_bytes=codec.encode_schema(table.schema),
            rows=table.num_rows,
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
