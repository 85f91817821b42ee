"""How a connection is encrypted, by libpq's words for it (`sslmode`), as for PostgreSQL."""

from __future__ import annotations

import ssl
from collections.abc import Mapping

from mesh.errors import DATABASE_UNREACHABLE, AssayError

_VERIFIED = ("verify-ca", "verify-full")
_ENCRYPTED = ("require", *_VERIFIED)


def driver_options(given: Mapping[str, str]) -> dict[str, object]:
    """What the driver is told. Raises AssayError(DATABASE_UNREACHABLE) for a file that is no use.

    An authority that is named is asked in every mode that encrypts; `verify-ca` and `verify-full`
    without one ask those that this machine believes.
    """
    mode = given["sslmode"]
    if mode in ("disable", "allow"):
        return {"ssl_disabled": True}
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = mode == "verify-full"
    roots = given.get("sslrootcert", "")
    if roots:
        _used("sslrootcert", lambda: context.load_verify_locations(roots))
    elif mode in _VERIFIED:
        context.set_default_verify_paths()
    else:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if certificate := given.get("sslcert", ""):
        key = given.get("sslkey") or None
        _used("sslcert or sslkey", lambda: context.load_cert_chain(certificate, key))
    return {"ssl": context}


def must_be_encrypted(given: Mapping[str, str]) -> bool:
    """Whether a server that offers no encryption is not spoken to."""
    return given["sslmode"] in _ENCRYPTED


def _used(parameter: str, load: object) -> None:
    try:
        load()  # type: ignore[operator]
    except (ssl.SSLError, OSError) as error:
        why = getattr(error, "strerror", None) or getattr(error, "reason", None) or "unreadable"
        raise AssayError(
            DATABASE_UNREACHABLE,
            f"the address of a database has a file in {parameter} that cannot be used: {why}.",
        ) from None
