"""Small files that a crash must not leave half-written."""

from __future__ import annotations

import os
from pathlib import Path

from mesh.errors import AUDIT_UNAVAILABLE, AssayError
from mesh.processes.failpoint import failpoint
from mesh.storage.state_files import full_in


def replace_file(path: Path, text: str, mode: int) -> None:
    """Write a file so that a crash leaves the old content or the new; durable on return.

    Raises AssayError: DISK_FULL, AUDIT_UNAVAILABLE when it cannot be written for another reason.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.unlink(missing_ok=True)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            failpoint("audit: file, written")
            os.fsync(file.fileno())
        failpoint("audit: file, synced")
        temporary.rename(path)
        failpoint("audit: file, renamed")
        sync_folder(path.parent)
    except OSError as error:
        if (full := full_in(error, path)) is not None:
            raise full from error
        why = (error.strerror or "it failed").lower()
        raise AssayError(
            AUDIT_UNAVAILABLE,
            f"{path} cannot be written: {why}.",
            "See that it is a file which this user may write.",
        ) from error


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
