"""Where a service keeps its state, as its setting says it: known parameters that fit together.

What an address means is `mesh.database_server`'s affair; here nothing is opened or imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qsl, urlsplit

MODES = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")
SYSTEM = "system"
_OF_TLS = ("sslmode", "sslrootcert", "sslcert", "sslkey", "sslpassword")
_OTHERS = ("application_name", "host", "port", "unix_sock")
_SCHEMES = ("postgresql+pg8000", "postgresql", "postgres")


def checked_address(address: str) -> str:
    """The address of a setting, if it can be used; files that it names are not looked at yet.

    Raises ValueError, which does not repeat the address: it may hold a password.
    """
    scheme = address.partition(":")[0]
    if scheme.startswith("sqlite"):
        return address
    if scheme not in _SCHEMES:
        raise ValueError(
            "must begin with sqlite:///, or with postgresql:// for a PostgreSQL server"
        )
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        raise ValueError(
            "cannot be taken apart: write postgresql://user:password@host:port/database, with "
            "@ : / ? # % in the password as %40 %3A %2F %3F %23 %25"
        ) from None
    _check(dict(parse_qsl(parts.query, keep_blank_values=True)))
    return address


def _check(given: Mapping[str, str]) -> None:
    """Raises ValueError for parameters that are unknown, or contradict one another."""
    known = (*_OF_TLS, *_OTHERS)
    for name in given:
        if name not in known:
            raise ValueError(f"has the parameter {name}; known are {', '.join(known)}")
    mode = given.get("sslmode", "")
    if mode and mode not in MODES:
        raise ValueError(f"has sslmode={mode}; it may be {', '.join(MODES)}")
    if given.get("sslrootcert") == SYSTEM and mode not in ("", "verify-full"):
        raise ValueError(
            f"has sslmode={mode} with sslrootcert=system: anybody can have a certificate of a "
            "public authority, so that only verify-full tells servers apart"
        )
    if ("sslkey" in given) > ("sslcert" in given):
        raise ValueError("has sslkey without sslcert: a key belongs to a certificate")
