"""What a witness keeps, in a folder of its own: its key, and the notes it saw of each log."""

from __future__ import annotations

import fcntl
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mesh.errors import HOME_BUSY, INVALID_ARGUMENT, VERIFICATION_FAILED, AssayError
from mesh.proof.checkpoint import Checkpoint, CheckpointError, VerifierKey, verify_checkpoint
from mesh.proof.cosignature import WitnessSigningKey
from mesh.storage.files import write_durably


class WitnessFolder:
    """The key in `witness.key`, its public half in `witness.vkey`; below `logs`, a folder a log.

    A log's folder holds its key (`log.vkey`), the last note that was cosigned (`latest`), every
    cosigned note under its size (`cosigned`), and notes that were refused (`refused`). All writes
    are durable when they return.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder: two witnesses with one memory would contradict each other.

        Raises AssayError: HOME_BUSY, INVALID_ARGUMENT when it cannot be a folder.
        """
        try:
            self._root.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = (self._root / "lock").open("a")
        except OSError as error:
            raise AssayError(
                INVALID_ARGUMENT, f"the witness's folder {self._root} cannot be used: {error}"
            ) from error
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise AssayError(
                    HOME_BUSY, f"another witness works in {self._root}", hint="Let it."
                ) from error
            yield

    def key(self, name: str) -> WitnessSigningKey:
        """The witness's key, made under `name` on first use.

        Raises AssayError INVALID_ARGUMENT for a name no key can have or a file that is no key.
        """
        path = self._root / "witness.key"
        try:
            if path.exists():
                return WitnessSigningKey.parse(path.read_text(encoding="utf-8"))
            key = WitnessSigningKey.generate(name)
        except CheckpointError as error:
            raise AssayError(INVALID_ARGUMENT, f"the witness's key: {error}") from error
        write_durably(path, f"{key.encode()}\n".encode())
        write_durably(self._root / "witness.vkey", f"{key.verifier.encode()}\n".encode())
        return key

    def log_key(self, origin: str, offered: str, trusted: VerifierKey | None) -> VerifierKey:
        """The key that notes of a log must be signed with.

        The trusted one if there is one; else the one kept from the first time; else, this being the
        first time, the one offered. Raises AssayError VERIFICATION_FAILED when kept and offered
        differ, INVALID_ARGUMENT for a malformed one.
        """
        path = self._log(origin) / "log.vkey"
        try:
            key = trusted or VerifierKey.parse(offered)
            kept = VerifierKey.parse(path.read_text("utf-8")) if path.exists() else None
        except CheckpointError as error:
            raise AssayError(INVALID_ARGUMENT, f"the key of {origin}: {error}") from error
        if kept is not None and kept != key:
            raise AssayError(
                VERIFICATION_FAILED,
                f"{origin} now signs with key {key.key_hash.hex()}, "
                f"before it was {kept.key_hash.hex()}",
                hint="A log never changes its key: this is another log under the same name.",
            )
        if kept is None:
            write_durably(path, f"{key.encode()}\n".encode())
        return key

    def seen(self, origin: str, key: VerifierKey) -> Checkpoint | None:
        """The last checkpoint that was cosigned, or None before the first.

        Raises AssayError VERIFICATION_FAILED when what was kept is not the log's any more.
        """
        path = self._log(origin) / "latest"
        if not path.exists():
            return None
        try:
            return verify_checkpoint(path.read_text(encoding="utf-8"), key)
        except CheckpointError as error:
            raise AssayError(VERIFICATION_FAILED, f"{path} does not hold: {error}") from error

    def keep(self, checkpoint: Checkpoint, cosigned: str) -> Path:
        """Remember a note before anybody is told that it was cosigned; where it is."""
        folder = self._log(checkpoint.origin)
        path = folder / "cosigned" / f"{checkpoint.size:020d}"
        write_durably(path, cosigned.encode())
        write_durably(folder / "latest", cosigned.encode())
        return path

    def keep_refused(self, origin: str, note: str) -> Path:
        """Keep the note of a fork or rollback, as evidence; where it is."""
        name = hashlib.sha256(note.encode()).hexdigest()[:16]
        path = self._log(origin) / "refused" / name
        write_durably(path, note.encode())
        return path

    def _log(self, origin: str) -> Path:
        """Origins may hold any sign, so folders are named by their hash."""
        return self._root / "logs" / hashlib.sha256(origin.encode()).hexdigest()[:16]
