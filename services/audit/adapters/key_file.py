"""The key that signs checkpoints, in a file for its owner alone."""

from __future__ import annotations

import stat
from pathlib import Path

from mesh.checkpoint import CheckpointError, SigningKey
from mesh.errors import AUDIT_UNAVAILABLE, AssayError
from services.audit.adapters.files import replace_file


def load_or_make_key(path: Path, origin: str) -> SigningKey:
    """The key of the log `origin`; made on the first start with mode 0600.

    Raises AssayError AUDIT_UNAVAILABLE when the file can be read by others, is malformed, is of
    another origin, or cannot be written.
    """
    if not path.exists():
        key = SigningKey.generate(origin)
        replace_file(path, key.encode() + "\n", 0o600)
        return key
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise AssayError(
            AUDIT_UNAVAILABLE,
            f"The audit signing key {path} can be read by others.",
            f"Run `chmod 600 {path}` if nobody has copied it; else begin a new log.",
        )
    try:
        key = SigningKey.parse(path.read_text(encoding="utf-8"))
    except (CheckpointError, UnicodeDecodeError) as error:
        raise AssayError(AUDIT_UNAVAILABLE, f"{path} is not a signing key: {error}.") from error
    if key.name != origin:
        raise AssayError(AUDIT_UNAVAILABLE, f"{path} signs for {key.name!r}, not for {origin!r}.")
    return key
