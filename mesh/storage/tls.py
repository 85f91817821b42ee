"""How connections to a service's own PostgreSQL are encrypted, by libpq's words for it.

`sslmode` of six kinds, `sslrootcert`, `sslcert`, `sslkey` and `sslpassword`, with libpq's defaults
in `~/.postgresql`.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping
from pathlib import Path

from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.storage.address import SYSTEM

_ENCRYPTED = frozenset({"require", "verify-ca", "verify-full"})
_VERIFIED = frozenset({"verify-ca", "verify-full"})
_HOME = Path(".postgresql")


def ways_of(given: Mapping[str, str]) -> tuple[ssl.SSLContext | bool, ...]:
    """How a server with these parameters may be spoken to, the first that it takes: False is
    without encryption. Raises AssayError(INVALID_ARGUMENT) for a file that cannot be used."""
    system = given.get("sslrootcert") == SYSTEM
    mode = given.get("sslmode") or ("verify-full" if system else "prefer")
    if mode == "disable":
        return (False,)
    context = _context(mode, given)
    if mode in _ENCRYPTED:
        return (context,)
    return (False, context) if mode == "allow" else (context, False)


def _context(mode: str, given: Mapping[str, str]) -> ssl.SSLContext:
    """What the driver encrypts with. As with libpq an authority that is known is asked in every
    mode, and `require` with one is `verify-ca`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = mode == "verify-full"
    roots = given.get("sslrootcert") or _of_home("root.crt")
    if mode in _VERIFIED and not roots:
        raise invalid(
            f"has sslmode={mode}, and nothing says which authority is believed: "
            "sslrootcert=FILE names its certificate, sslrootcert=system the machine's own"
        )
    if roots == SYSTEM:
        context.set_default_verify_paths()
    elif roots:
        _used("sslrootcert", roots, lambda: context.load_verify_locations(roots))
    else:
        context.verify_mode = ssl.CERT_NONE
    certificate = given.get("sslcert") or _of_home("postgresql.crt")
    if certificate:
        key = given.get("sslkey") or _of_home("postgresql.key")
        secret = given.get("sslpassword", "")  # never asked for on a terminal
        _used(
            "sslcert or sslkey",
            f"{certificate} with {key or 'the key in it'}",
            lambda: context.load_cert_chain(certificate, key or None, lambda: secret),
        )
    return context


def _of_home(name: str) -> str:
    path = Path.home() / _HOME / name
    return str(path) if path.is_file() else ""


def _used(parameter: str, shown: str, load: Callable[[], None]) -> None:
    try:
        load()
    except ssl.SSLError as error:
        why = error.reason or "no certificate in it"
        raise invalid(f"has {parameter} = {shown}, which does not fit: {why}") from error
    except OSError as error:
        why = error.strerror or "unreadable"
        raise invalid(f"has {parameter} = {shown}, which cannot be read: {why}") from error


def invalid(what: str) -> AssayError:
    """Of an address that means nothing; it is not repeated: it may hold a password."""
    return AssayError(
        INVALID_ARGUMENT,
        f"the address of this service's database {what}",
        hint="Mend the service's ASSAY_..._DATABASE: docs/operations.md has what it may hold.",
    )
