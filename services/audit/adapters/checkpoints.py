"""Every published checkpoint, in a folder apart from the log it speaks of."""

from __future__ import annotations

import asyncio
from pathlib import Path

from mesh.errors import VERIFICATION_FAILED, AssayError
from mesh.processes.failpoint import failpoint
from mesh.proof.checkpoint import Checkpoint, CheckpointError, VerifierKey, verify_checkpoint
from mesh.proof.note import SignedNote
from mesh.storage.state_files import whole_text
from services.audit.adapters.files import replace_file
from services.audit.adapters.recovery import NOTHING_PUBLISHED, Published

NOTE_NAME = "checkpoint"
VERIFIER_NAME = "log.vkey"
PUBLISHED_FOLDER = "published"
COSIGNED_FOLDER = "cosigned"
WITNESSES_NAME = "witnesses"


class CheckpointFolder:
    """A `CheckpointStore`. What a file is once written here is only ever added to.

    `published` holds each note under its size as the log signed it, `cosigned` the same notes with
    what witnesses put under them, `witnesses` the witnesses' keys. `checkpoint` is a copy of the
    newest note and `log.vkey` the key to check it, for whoever comes to look.

    Raises AssayError AUDIT_UNAVAILABLE, here and in whatever writes, when it cannot be written.
    """

    def __init__(self, folder: Path, verifier: VerifierKey) -> None:
        self._folder = folder
        self._verifier = verifier
        if not (folder / VERIFIER_NAME).exists():
            replace_file(folder / VERIFIER_NAME, verifier.encode() + "\n", 0o644)
        self._newest = _newest(folder / PUBLISHED_FOLDER)
        self._newest_cosigned = _newest(folder / COSIGNED_FOLDER)

    async def latest(self) -> str | None:
        """See `CheckpointStore.latest`."""
        return await asyncio.to_thread(self._latest)

    async def note(self, size: int) -> str | None:
        """See `CheckpointStore.note`."""
        return await asyncio.to_thread(self._note, size)

    async def cosigned(self) -> str | None:
        """See `CheckpointStore.cosigned`."""
        newest = self._newest_cosigned
        return None if newest is None else await self.note(newest)

    async def witness_keys(self) -> tuple[str, ...]:
        """See `CheckpointStore.witness_keys`."""
        return await asyncio.to_thread(self._witness_keys)

    async def publish(self, note: str) -> None:
        """See `CheckpointStore.publish`."""
        await asyncio.to_thread(self._publish, note)

    async def cosign(self, note: str, witness_key: str) -> None:
        """See `CheckpointStore.cosign`."""
        await asyncio.to_thread(self._cosign, note, witness_key)

    def published(self) -> Published:
        """What the log may not fall below. Raises AssayError VERIFICATION_FAILED when the note is
        not one that this log signed."""
        note = self._latest()
        if note is None:
            return NOTHING_PUBLISHED
        try:
            checkpoint = verify_checkpoint(note, self._verifier)
        except CheckpointError as error:
            raise AssayError(
                VERIFICATION_FAILED,
                f"the checkpoint {self._latest_path()} does not hold: {error}.",
                "Restore it from a copy, and do not trust the log before.",
            ) from error
        return Published(checkpoint.size, checkpoint.root)

    def _latest_path(self) -> Path:
        if self._newest is None:
            return self._folder / NOTE_NAME
        cosigned = self._folder / COSIGNED_FOLDER / _name(self._newest)
        published = self._folder / PUBLISHED_FOLDER / _name(self._newest)
        return cosigned if cosigned.exists() else published

    def _latest(self) -> str | None:
        if self._newest is not None:
            return self._note(self._newest)
        return _text(self._folder / NOTE_NAME)

    def _note(self, size: int) -> str | None:
        name = _name(size)
        cosigned = _text(self._folder / COSIGNED_FOLDER / name)
        return cosigned or _text(self._folder / PUBLISHED_FOLDER / name)

    def _witness_keys(self) -> tuple[str, ...]:
        return tuple((_text(self._folder / WITNESSES_NAME) or "").splitlines())

    def _publish(self, note: str) -> None:
        size = _size(note)
        failpoint("audit: checkpoint, unpublished")
        replace_file(self._folder / PUBLISHED_FOLDER / _name(size), note, 0o644)
        failpoint("audit: checkpoint, kept")
        self._newest = max(size, self._newest or 0)
        replace_file(self._folder / NOTE_NAME, note, 0o644)
        failpoint("audit: checkpoint, published")

    def _cosign(self, note: str, witness_key: str) -> None:
        known = self._witness_keys()
        if witness_key not in known:
            lines = "".join(f"{key}\n" for key in (*known, witness_key))
            replace_file(self._folder / WITNESSES_NAME, lines, 0o644)
        size = _size(note)
        replace_file(self._folder / COSIGNED_FOLDER / _name(size), note, 0o644)
        self._newest_cosigned = max(size, self._newest_cosigned or 0)
        if size == self._newest:
            replace_file(self._folder / NOTE_NAME, note, 0o644)


def published_notes(folder: Path) -> list[Path]:
    """The files of all published notes, smallest tree first."""
    return sorted(path for path in (folder / PUBLISHED_FOLDER).glob("*") if path.name.isdecimal())


def _newest(folder: Path) -> int | None:
    sizes = (int(path.name) for path in folder.glob("*") if path.name.isdecimal())
    return max(sizes, default=None)


def _name(size: int) -> str:
    return f"{size:020d}"


def _size(note: str) -> int:
    return Checkpoint.parse(SignedNote.parse(note).text).size


def _text(path: Path) -> str | None:
    return whole_text(path) if path.exists() else None
