"""Secrets of databases, kept by the executor alone.

Each is a file of its own, encrypted under a key that lies beside them (both readable by the owner
alone), so that copies of the folder without the key, logs and searches over files show nothing.
Whoever can read the key can read the secrets.
"""

from __future__ import annotations

import base64
import hmac
import json
import re
import secrets
import time
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken

from mesh.credentials import reference_of, with_reference
from mesh.errors import DATABASE_LOGIN_REFUSED, AssayError
from mesh.storage.files import write_durably
from mesh.storage.state_files import damaged, state_failures

_REFERENCE = re.compile(r"[0-9a-f]{32}")
_KEPT_SECONDS = 30 * 24 * 3600
_KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class Kept:
    """What was left with an address: secrets by parameter name, and whether by a stranger."""

    secrets: dict[str, str] = field(repr=False)
    stranger: bool


class Vault:
    """Secrets by reference; one is good for the tenant and the address that it was given to."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = b""

    def put(self, tenant: str, address: str, secret: str, *, stranger: bool = False) -> str:
        """Keep a secret; the same one for the same address has the same reference."""
        reference = self._named(tenant, address, secret, str(stranger))
        path = self._folder / reference
        if path.exists():
            path.touch()
        else:
            content = {
                "tenant": tenant,
                "address": address,
                "secret": secret,
                "stranger": stranger,
            }
            write_durably(path, self._cipher().encrypt(json.dumps(content).encode()))
        return reference

    def get(self, tenant: str, address: str) -> Kept:
        """What the reference in an address stands for.

        Raises AssayError(DATABASE_LOGIN_REFUSED) where there is nothing, or it was given with
        another address: a password goes to no other server than the one it is for.
        """
        reference = reference_of(address)
        if _REFERENCE.fullmatch(reference):
            try:
                sealed = (self._folder / reference).read_bytes()
                content = json.loads(self._cipher().decrypt(sealed))
            except (FileNotFoundError, InvalidToken):
                pass
            else:
                own = with_reference(content.get("address", ""), reference)
                if content["tenant"] == tenant and own == address:
                    (self._folder / reference).touch()
                    return Kept(json.loads(content["secret"]), content["stranger"])
        raise AssayError(
            DATABASE_LOGIN_REFUSED,
            "the password given with this address is not known here (any more).",
            hint="Ask again with the password in the address.",
        )

    def sweep(self) -> int:
        """Forget what nobody gave or used for a month; how many secrets those were."""
        forgotten = 0
        oldest = time.time() - _KEPT_SECONDS
        for path in self._folder.glob("*"):
            if _REFERENCE.fullmatch(path.name) and path.stat().st_mtime < oldest:
                path.unlink(missing_ok=True)
                forgotten += 1
        return forgotten

    def _named(self, *about_it: str) -> str:
        about = "\0".join(about_it).encode()
        return hmac.digest(self._secret_key(), about, "sha256").hex()[:32]

    def _cipher(self) -> Fernet:
        key = sha256(b"secrets " + self._secret_key()).digest()
        return Fernet(base64.urlsafe_b64encode(key))

    def _secret_key(self) -> bytes:
        if not self._key:
            path = self._folder / "key"
            with state_failures():
                if not path.exists():
                    write_durably(path, secrets.token_bytes(_KEY_BYTES))
                key = path.read_bytes()
            if len(key) != _KEY_BYTES:
                raise damaged(
                    path,
                    "is damaged: it holds no key",
                    f"Restore it from a copy, or remove the folder {self._folder}: passwords of "
                    "databases have to be given again then.",
                )
            self._key = key
        return self._key
