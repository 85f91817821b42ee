"""An issuer of signed tokens, with keys of its own."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ISSUER, AUDIENCE = "https://issuer.example", "assay"


@cache
def private_key(algorithm: str, number: int = 0) -> Any:
    """A key for an algorithm, the same whenever it is asked for by the same number."""
    if algorithm == "RS256":
        return rsa.generate_private_key(public_exponent=65537, key_size=2048)
    if algorithm == "ES256":
        return ec.generate_private_key(ec.SECP256R1())
    return ed25519.Ed25519PrivateKey.generate()


def public_pem(algorithm: str, number: int = 0) -> bytes:
    public = private_key(algorithm, number).public_key()
    pem: bytes = public.public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return pem


def key_set(*keys: tuple[str, str, int]) -> str:
    """A JWK set of keys: id, algorithm, number."""
    made = []
    for key_id, algorithm, number in keys:
        kind = jwt.get_algorithm_by_name(algorithm)
        public = private_key(algorithm, number).public_key()
        made.append({**kind.to_jwk(public, as_dict=True), "kid": key_id, "use": "sig"})
    return json.dumps({"keys": made})


def write_keys(folder: Path) -> Path:
    """One key of each algorithm, as files in PEM named by the algorithm in small letters."""
    folder.mkdir(exist_ok=True)
    for algorithm in ("RS256", "ES256", "EdDSA"):
        (folder / f"{algorithm.lower()}.pem").write_bytes(public_pem(algorithm))
    return folder


def claims(now: datetime = NOON, /, **changed: Any) -> dict[str, Any]:
    """What a good token claims; a claim that is changed to None is left out."""
    seconds = int(now.timestamp())
    said = {
        "iss": ISSUER,
        "aud": AUDIENCE,
        "sub": "ann",
        "tenant": "acme",
        "roles": ["analyst"],
        "iat": seconds,
        "nbf": seconds,
        "exp": seconds + 600,
        **changed,
    }
    return {name: value for name, value in said.items() if value is not None}


def signed(
    said: Mapping[str, Any],
    algorithm: str = "RS256",
    *,
    number: int = 0,
    key_id: str | None = "",
) -> str:
    """A token; its header names the key of its algorithm, another one, or with None none."""
    headers = {} if key_id is None else {"kid": key_id or algorithm.lower()}
    text = json.dumps(said).encode()  # claims of types that the library would not write
    return jwt.PyJWS().encode(text, private_key(algorithm, number), algorithm, headers=headers)


def spelled(header: Mapping[str, Any], said: Mapping[str, Any], secret: bytes | None) -> str:
    """A token made by hand, as no library would: signed by HMAC with `secret`, or not at all."""
    parts = [_part(json.dumps(part).encode()) for part in (header, said)]
    if secret is None:
        return ".".join([*parts, ""])
    code = hmac.digest(secret, ".".join(parts).encode(), hashlib.sha256)
    return ".".join([*parts, _part(code)])


def _part(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
