"""Frames in a local folder, named by their digest and read by memory map."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

import pyarrow as pa

from mesh.digest import frame_digest
from mesh.errors import NOT_FOUND, VERIFICATION_FAILED, AssayError
from mesh.frames import codec
from mesh.frames.reference import FrameRef, Location, LocationKind

_DIGEST = re.compile(r"[0-9a-f]{64}")


class FrameStore:
    """A folder of Arrow IPC files under `root`, readable by their owner alone.

    A frame is either there in full or not at all, across crashes too. Putting an equal table
    twice keeps one file. Nothing here bounds the folder's size or collects what nobody needs.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    def put(self, table: pa.Table, name: str = "frame") -> FrameRef:
        """Store a table; when this returns it survives a crash. Raises OSError."""
        digest = frame_digest(table)
        path = self._path(digest)
        if not path.exists():
            self._write(table, path)
        return FrameRef(
            name=name,
            schema_bytes=codec.encode_schema(table.schema),
            rows=table.num_rows,
            bytes=path.stat().st_size,
            digest=digest,
            locations=(Location(kind=LocationKind.PATH, uri=str(path)),),
        )

    def open(self, digest: str, *, foreign: bool = False) -> pa.Table:
        """The stored table, memory-mapped.

        `foreign` checks structure and digest before any row is used; do so when others may write
        to the folder. Raises AssayError: NOT_FOUND, SOURCE_NOT_READABLE for a damaged file,
        VERIFICATION_FAILED for a sound file with other content.
        """
        if not self.exists(digest):
            raise _absent(digest)
        try:
            table = codec.map_file(self._path(digest), foreign=foreign)
        except FileNotFoundError as error:
            raise _absent(digest) from error
        if foreign and (actual := frame_digest(table)) != digest:
            raise AssayError(
                VERIFICATION_FAILED,
                f"The file of frame {digest[:12]} holds another table, {actual[:12]}.",
                hint="The file was changed after it was stored; make the frame again.",
                metadata={"digest": digest, "actual": actual},
            )
        return table

    def exists(self, digest: str) -> bool:
        """Whether a frame of that digest is stored; False for what is no digest."""
        return bool(_DIGEST.fullmatch(digest)) and self._path(digest).exists()

    def delete(self, digest: str) -> bool:
        """Remove a frame; tells whether there was one. Tables already open stay readable."""
        if not self.exists(digest):
            return False
        self._path(digest).unlink(missing_ok=True)
        return True

    def _path(self, digest: str) -> Path:
        return self._root / digest[:2] / f"{digest}.arrow"

    def _write(self, table: pa.Table, path: Path) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=".put-", dir=path.parent)  # mode 0600
        try:
            with os.fdopen(descriptor, "wb") as file:
                codec.write_file(table, file)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Make a rename durable: the folder's own entry list has to reach the disk too."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _absent(digest: str) -> AssayError:
    return AssayError(
        NOT_FOUND,
        f"There is no frame {digest[:12]} here.",
        hint="It was deleted or never stored; run the step that made it again.",
        metadata={"digest": digest},
    )
