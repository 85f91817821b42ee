"""The public keys that tokens are signed with: read from files, and again when those change.

A file is a JWK set (RFC 7517); a folder holds one key in PEM a file, whose name without `.pem` is
the key's id. Each key verifies one algorithm, which its type decides and no token: RS256, ES256 or
EdDSA (RFC 8725, section 3.1). Symmetric keys are none.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mesh.errors import INVALID_ARGUMENT, AssayError

log = logging.getLogger("assay.gateway")

SETTING = "ASSAY_GATEWAY_JWT_KEYS"
ALGORITHMS = ("RS256", "ES256", "EdDSA")
SHORTEST_RSA_BITS = 2_048
LOOK_SECONDS = 5.0
"""How often the files are looked at for changes."""

IMPATIENT_SECONDS = 1.0
"""How often at most they are looked at sooner, because a token names a key that is not there."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A key, the one algorithm it verifies, and its id, which may be empty."""

    key_id: str
    algorithm: str
    key: Any


class KeyFiles:
    """The keys at `path`, of the `algorithms` that are allowed. Blocks while it reads."""

    def __init__(self, path: Path, algorithms: frozenset[str]) -> None:
        """Raises AssayError(INVALID_ARGUMENT) where no key can be read."""
        self._path = path
        self._algorithms = algorithms
        self._seen: object = None
        self._looked_at = 0.0
        self.keys: tuple[PublicKey, ...] = ()
        self._read()

    def is_due(self, tick: float, *, impatient: bool = False) -> bool:
        """Whether it is time to look at the files; `tick` is in seconds that only grow."""
        return tick - self._looked_at >= (IMPATIENT_SECONDS if impatient else LOOK_SECONDS)

    def look(self, tick: float) -> None:
        """Read the files again if they changed; keys that were there stay where that fails."""
        self._looked_at = tick
        try:
            if self._state() != self._seen:
                self._read()
                log.info("%s: %d keys were read again", SETTING, len(self.keys))
        except (AssayError, OSError) as error:
            log.error("keys of tokens stay as they were: %s", error)

    def chosen(self, key_id: str | None, algorithm: str) -> PublicKey | None:
        """The key that a token's header names; without an id, the only one of its algorithm."""
        fitting = [
            key
            for key in self.keys
            if key.algorithm == algorithm and (key_id is None or key.key_id == key_id)
        ]
        return fitting[0] if len(fitting) == 1 else None

    def _files(self) -> list[Path]:
        return sorted(self._path.glob("*.pem")) if self._path.is_dir() else [self._path]

    def _state(self) -> object:
        """What changes when a file does."""
        found = [(path, path.stat()) for path in self._files()]
        return [(path.name, stat.st_mtime_ns, stat.st_size, stat.st_ino) for path, stat in found]

    def _read(self) -> None:
        try:
            state = self._state()
            keys = (
                [_of_pem(path) for path in self._files()]
                if self._path.is_dir()
                else _of_set(self._path.read_text(encoding="utf-8"))
            )
        except (OSError, ValueError) as error:
            raise _unusable(f"{self._path} cannot be read: {error}") from error
        usable = tuple(key for key in keys if key.algorithm in self._algorithms)
        if not usable:
            raise _unusable(f"{self._path} holds no key for {', '.join(sorted(self._algorithms))}")
        self.keys, self._seen = usable, state


def _of_pem(path: Path) -> PublicKey:
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    key = load_pem_public_key(path.read_bytes())
    return PublicKey(path.stem, _algorithm_of(key, path.name), key)


def _of_set(text: str) -> list[PublicKey]:
    from jwt import PyJWK
    from jwt.exceptions import PyJWTError

    whole = json.loads(text)
    listed = whole.get("keys") if isinstance(whole, dict) else None
    if not isinstance(listed, list) or not all(isinstance(item, dict) for item in listed):
        raise ValueError('a JWK set is an object with a list "keys" of objects')
    found = []
    for item in listed:
        key_id = str(item.get("kid", ""))
        # Keys to encrypt to, and keys that others could sign with too, are not for this.
        if item.get("kty") not in ("RSA", "EC", "OKP") or item.get("use", "sig") != "sig":
            log.warning("%s: key %r is left out: it verifies no signatures", SETTING, key_id)
            continue
        try:
            key = PyJWK.from_dict(item).key
            public = key.public_key() if hasattr(key, "private_bytes") else key
            algorithm = _algorithm_of(public, key_id)
        except (PyJWTError, ValueError) as error:
            log.warning("%s: key %r is left out: %s", SETTING, key_id, error)
            continue
        if item.get("alg", algorithm) == algorithm:
            found.append(PublicKey(key_id, algorithm, public))
    return found


def _algorithm_of(key: object, name: str) -> str:
    """Raises ValueError for a key that is of no use."""
    from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePublicKey
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

    if isinstance(key, RSAPublicKey):
        if key.key_size < SHORTEST_RSA_BITS:
            raise ValueError(f"{name} has {key.key_size} bits, fewer than {SHORTEST_RSA_BITS}")
        return "RS256"
    if isinstance(key, EllipticCurvePublicKey) and isinstance(key.curve, SECP256R1):
        return "ES256"
    if isinstance(key, Ed25519PublicKey):
        return "EdDSA"
    raise ValueError(f"{name} is neither an RSA, a P-256 nor an Ed25519 key")


def _unusable(text: str) -> AssayError:
    return AssayError(
        INVALID_ARGUMENT,
        f"settings are not valid: {SETTING}: {text}",
        hint="Name a JWK set, or a folder of public keys in files KEY_ID.pem.",
        fields={SETTING: "no keys can be read"},
    )
