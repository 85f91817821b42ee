"""The published checkpoint, in a folder apart from the log it speaks of."""

from __future__ import annotations

import asyncio
from pathlib import Path

from mesh.checkpoint import CheckpointError, VerifierKey, verify_checkpoint
from mesh.errors import VERIFICATION_FAILED, AssayError
from services.audit.adapters.files import replace_file
from services.audit.adapters.recovery import NOTHING_PUBLISHED, Published

NOTE_NAME = "checkpoint"
VERIFIER_NAME = "log.vkey"


class CheckpointFolder:
    """A `CheckpointStore`: `checkpoint` holds the latest note, `log.vkey` the key to check it.

    Raises AssayError AUDIT_UNAVAILABLE, here and in `publish`, when the folder cannot be written.
    """

    def __init__(self, folder: Path, verifier: VerifierKey) -> None:
        self._folder = folder
        self._verifier = verifier
        if not (folder / VERIFIER_NAME).exists():
            replace_file(folder / VERIFIER_NAME, verifier.encode() + "\n", 0o644)

    async def latest(self) -> str | None:
        """See `CheckpointStore.latest`."""
        return await asyncio.to_thread(self._latest)

    async def publish(self, note: str) -> None:
        """See `CheckpointStore.publish`."""
        await asyncio.to_thread(replace_file, self._folder / NOTE_NAME, note, 0o644)

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
                VERIFICATION_FAILED, f"{self._folder / NOTE_NAME} does not hold: {error}."
            ) from error
        return Published(checkpoint.size, checkpoint.root)

    def _latest(self) -> str | None:
        path = self._folder / NOTE_NAME
        return path.read_text(encoding="utf-8") if path.exists() else None
