"""What a Flight SQL server and its driver say went wrong, told without secrets."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from urllib.parse import quote

import duckdb
import pyarrow as pa
from adbc_driver_manager import AdbcStatusCode
from adbc_driver_manager import Error as DriverError

from mesh.errors import (
    DATABASE_LOGIN_REFUSED,
    DATABASE_PERMISSION_DENIED,
    DATABASE_UNREACHABLE,
    INTERNAL,
    AssayError,
    Reason,
)
from mesh.storage.words import NO_ENCRYPTION, OTHER_AUTHORITY, OTHER_NAME, REFUSES_PASSWORD
from mesh.tool import ErrorCategory, ToolError
from services.executor.databases.address import Address
from services.executor.engines.duckdb.errors import as_tool_error
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.known import KnownTable

log = logging.getLogger(__name__)
# What speaking to a server raises: the driver's errors, and Arrow's while rows stream in.
DRIVER_ERRORS = (DriverError, pa.ArrowException, OSError)

_BY_TEXT: tuple[tuple[str, Reason, str], ...] = (
    (r"Unauthenticated", DATABASE_LOGIN_REFUSED, REFUSES_PASSWORD),
    (r"PermissionDenied", DATABASE_PERMISSION_DENIED, "does not allow this user to read it"),
    (r"first record does not look like a TLS handshake", DATABASE_UNREACHABLE, NO_ENCRYPTION),
    (
        r"certificate is (valid for|not valid for)|doesn't contain any IP SANs",
        DATABASE_UNREACHABLE,
        OTHER_NAME,
    ),
    (r"x509|failed to verify certificate|tls:", DATABASE_UNREACHABLE, OTHER_AUTHORITY),
    (r"no such host", DATABASE_UNREACHABLE, "has a host name that nobody knows"),
    (r"connection refused", DATABASE_UNREACHABLE, "cannot be reached: nothing answers there"),
    (r"DeadlineExceeded|i/o timeout|TIMEOUT", DATABASE_UNREACHABLE, "did not answer in time"),
    (
        r"error reading server preface|malformed header|unexpected HTTP status",
        DATABASE_UNREACHABLE,
        "does not speak Flight SQL there, or wants encryption",
    ),
    (r"Unavailable|transport is closing|EOF", DATABASE_UNREACHABLE, "broke the connection off"),
)
_DUCKDB = re.compile(r"\b([A-Z][A-Za-z ]*?) Error: ([^\n]*)")
_BY_KIND: dict[str, type[duckdb.Error]] = {
    "Conversion": duckdb.ConversionException,
    "Invalid Input": duckdb.InvalidInputException,
    "Out of Range": duckdb.OutOfRangeException,
    "Mismatch Type": duckdb.TypeMismatchException,
    "Out of Memory": duckdb.OutOfMemoryException,
    "Permission": duckdb.PermissionException,
}
_OTHERWISE = frozenset(("Binder", "Catalog", "Parser", "Not implemented", "Syntax"))


def as_assay_error(error: Exception, address: Address) -> AssayError:
    """What failed and what to do about it."""
    text = str(error)
    for pattern, reason, what in _BY_TEXT:
        if re.search(pattern, text):
            return AssayError(reason, f"the database {address.shown} {what}.")
    if getattr(error, "status_code", None) == AdbcStatusCode.UNAUTHORIZED:
        return AssayError(
            DATABASE_PERMISSION_DENIED,
            f"the database {address.shown} does not allow this user to read it.",
        )
    log.warning("The database failed: %s", _without_secrets(text, address))
    return AssayError(INTERNAL, f"the database {address.shown} failed; its words are in the log.")


def as_failure(
    error: Exception, address: Address, statement: str, tables: Sequence[KnownTable]
) -> Exception:
    """Of a statement that a DuckDB behind the server ran: what a repair, a person, or the engine
    over copies can act on.
    """
    found = _DUCKDB.search(str(error))
    kind, message = (found[1], found[2]) if found else ("", "")
    if kind in _BY_KIND:
        return as_tool_error(_BY_KIND[kind](f"{kind} Error: {message}"), statement, tables)
    if kind in _OTHERWISE:
        # It is right, as the twin has shown: that server is another version, or forbids it.
        log.info("A Flight SQL server does not take a statement: %s", kind)
        return NotExpressible("this statement, in the version of DuckDB there")
    failure = as_assay_error(error, address)
    if failure.reason is DATABASE_PERMISSION_DENIED:
        return ToolError(
            ErrorCategory.POLICY_DENIED,
            failure.message,
            hint=failure.remedy,
            details={"reason": failure.reason.code},
        )
    return failure


def _without_secrets(text: str, address: Address) -> str:
    for _, secret in address.secrets:
        for spelling in filter(None, (secret, quote(secret), quote(secret, safe=""))):
            text = text.replace(spelling, "***")
    return text
