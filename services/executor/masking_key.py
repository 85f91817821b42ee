"""The secret that pseudonyms of blocked cells are made with."""

from __future__ import annotations

import hmac
import secrets
from pathlib import Path

from mesh.storage.files import write_durably


class MaskingKey:
    """A secret for each source, of one that lies in the home folder or is `given`.

    The same source has the same secret for as long as the home folder lasts, so what is computed
    again comes out the same; executors that share jobs have to be given one key.
    """

    def __init__(self, home: Path, given: str = "") -> None:
        self._path = home / "masking.key"
        self._key = given.encode()

    def salt(self, about: str) -> str:
        """The secret of the source that `about` names. Raises OSError."""
        if not self._key:
            if not self._path.exists():
                write_durably(self._path, secrets.token_bytes(32))
            self._key = self._path.read_bytes()
        return hmac.digest(self._key, about.encode(), "sha256").hex()
