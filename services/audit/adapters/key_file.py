"""The key that signs checkpoints, in a file for its owner alone."""

from __future__ import annotations

import stat
from pathlib import Path

from mesh.errors import AUDIT_UNAVAILABLE, AssayError
from mesh.proof.checkpoint import CheckpointError, SigningKey
from mesh.storage.state_files import damaged, whole_text
from services.audit.adapters.files import replace_file

_RESTORE = (
    "Restore it from a copy. Without it the log can only be read; a log begun anew with another "
    "key does not go on with what was published."
)


def load_or_make_key(path: Path, origin: str) -> SigningKey:
    """The key of the log `origin`; made on the first start with mode 0600.

    Raises AssayError: STATE_DAMAGED when the file is malformed or cannot be read, AUDIT_UNAVAILABLE
    when it can be read by others, is of another origin, or cannot be written.
    """
    if not path.exists():
        key = SigningKey.generate(origin)
        replace_file(path, key.encode() + "\n", 0o600)
        return key
    if path.is_dir():
        raise damaged(path, "is a folder, not the key that signs the log", _RESTORE)
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise AssayError(
            AUDIT_UNAVAILABLE,
            f"The audit signing key {path} can be read by others.",
            f"Run `chmod 600 {path}` if nobody has copied it; else begin a new log.",
        )
    try:
        key = SigningKey.parse(whole_text(path))
    except CheckpointError as error:
        raise damaged(path, f"is damaged: it is not a signing key: {error}", _RESTORE) from error
    if key.name != origin:
        raise AssayError(AUDIT_UNAVAILABLE, f"{path} signs for {key.name!r}, not for {origin!r}.")
    return key
