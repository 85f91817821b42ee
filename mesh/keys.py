"""Keys that the processes of one home share: made by whoever comes first, for its owner alone."""

from __future__ import annotations

import base64
import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path

from mesh.storage.state_files import damaged, whole_text

KEY_BYTES = 32


def new_key() -> str:
    """32 random bytes in URL-safe base64, which is also what a Fernet key is."""
    return base64.urlsafe_b64encode(secrets.token_bytes(KEY_BYTES)).decode()


def shared_key(path: Path) -> str:
    """The key in a file that only its owner may read; made if it is not there.

    Raises OSError, and AssayError(STATE_DAMAGED) for a file that holds no key.
    """
    with suppress(FileNotFoundError):
        return _key_in(path)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor, name = tempfile.mkstemp(prefix=".key-", dir=path.parent)  # mode 0600
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(new_key() + "\n")
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):  # somebody else was faster
            os.link(name, path)
    finally:
        Path(name).unlink()
    return _key_in(path)


def _key_in(path: Path) -> str:
    key = whole_text(path).strip()
    try:
        sound = len(base64.urlsafe_b64decode(key)) == KEY_BYTES
    except ValueError:
        sound = False
    if not sound:
        raise damaged(
            path,
            "is damaged: it holds no key",
            "Remove it while nothing runs on this home: another is made at the next start.",
        )
    return key
