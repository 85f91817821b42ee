"""What SQL Server and its driver say went wrong, told without secrets."""

from __future__ import annotations

import logging

from mesh.errors import (
    DATABASE_LOGIN_REFUSED,
    DATABASE_PERMISSION_DENIED,
    DATABASE_UNREACHABLE,
    INTERNAL,
    SOURCE_NOT_FOUND,
    AssayError,
)
from mesh.storage.words import NO_ENCRYPTION, REFUSES_PASSWORD
from services.executor.databases.address import Address
from services.executor.pushdown.telling import by_words

try:
    from pytds import Error as DriverError
except ImportError:  # the extra is not installed: `connect` says so

    class DriverError(Exception):  # type: ignore[no-redef]
        """Nothing raises it."""


log = logging.getLogger("assay.executor")
DRIVER_ERRORS = (DriverError, OSError)
# By the numbers of the server (18456, 229, 4060) and what the driver says.
_BY_TEXT = (
    (r"\b18456\b|Login failed", DATABASE_LOGIN_REFUSED, REFUSES_PASSWORD),
    (
        r"\b(229|230|916)\b.*permission|permission was denied",
        DATABASE_PERMISSION_DENIED,
        "does not allow this user to read it",
    ),
    (r"\b4060\b|Cannot open database", SOURCE_NOT_FOUND, "does not exist there"),
    (r"[Ee]ncryption|certificate", DATABASE_UNREACHABLE, NO_ENCRYPTION),
    (
        r"[Uu]nable to connect|[Cc]onnection refused|timed out|closed connection",
        DATABASE_UNREACHABLE,
        "cannot be reached",
    ),
)


def as_assay_error(error: Exception, address: Address) -> AssayError:
    """What failed and what to do about it."""
    failure = by_words(_BY_TEXT, error, address)
    if failure is not None:
        return failure
    log.warning("The database failed: %s", type(error).__name__)
    return AssayError(INTERNAL, f"the database {address.shown} failed.")
