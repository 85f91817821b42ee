"""What ClickHouse and its driver say went wrong, told without secrets."""

from __future__ import annotations

import logging

from mesh.errors import (
    DATABASE_LOGIN_REFUSED,
    DATABASE_PERMISSION_DENIED,
    DATABASE_UNREACHABLE,
    INTERNAL,
    SOURCE_NOT_FOUND,
    AssayError,
    Reason,
)
from mesh.storage.words import NO_ENCRYPTION, OTHER_AUTHORITY, OTHER_NAME, REFUSES_PASSWORD
from mesh.tool import ErrorCategory, ToolError
from services.executor.databases.address import Address
from services.executor.engines.expressible import NotExpressible
from services.executor.pushdown.telling import by_words, denied

try:
    from clickhouse_connect.driver.exceptions import Error as DriverError
    from urllib3.exceptions import HTTPError
except ImportError:  # the extra is not installed: `connect` says so

    class DriverError(Exception):  # type: ignore[no-redef]
        """Nothing raises it."""

    HTTPError = DriverError  # type: ignore[misc,assignment]

log = logging.getLogger("assay.executor")
DRIVER_ERRORS = (DriverError, HTTPError, OSError)

_BY_CODE: dict[int, tuple[Reason, str]] = {
    **dict.fromkeys((192, 193, 194, 516), (DATABASE_LOGIN_REFUSED, REFUSES_PASSWORD)),
    81: (SOURCE_NOT_FOUND, "does not exist there"),
    497: (DATABASE_PERMISSION_DENIED, "does not allow this user to read it"),
}
_BY_TEXT = (
    (
        r"is not allowed to (set|modify)|Cannot modify '\w+' setting in readonly mode",
        DATABASE_PERMISSION_DENIED,
        "does not let this user say how a query is computed: give the user the profile readonly=2",
    ),
    (r"doesn't match|Hostname mismatch|IP address mismatch", DATABASE_UNREACHABLE, OTHER_NAME),
    (r"CERTIFICATE_VERIFY_FAILED", DATABASE_UNREACHABLE, OTHER_AUTHORITY),
    (r"WRONG_VERSION_NUMBER|SSLError|SSLEOF|record layer", DATABASE_UNREACHABLE, NO_ENCRYPTION),
    (r"Connection refused", DATABASE_UNREACHABLE, "cannot be reached: nothing answers there"),
    (r"timed out", DATABASE_UNREACHABLE, "did not answer in time"),
    (
        r"Connection aborted|RemoteDisconnected|reset by peer|IncompleteRead",
        DATABASE_UNREACHABLE,
        "broke the connection off",
    ),
    (r"Max retries|NewConnectionError|Errno", DATABASE_UNREACHABLE, "cannot be reached"),
)
_MEMORY, _SEVERAL_ROWS = frozenset((241, 173)), 125


def code_of(error: Exception) -> int:
    """ClickHouse's number of an error, 0 where there is none."""
    return int(getattr(error, "code", None) or 0)


def as_assay_error(error: Exception, address: Address) -> AssayError:
    """What failed and what to do about it."""
    if code_of(error) in _BY_CODE:
        reason, what = _BY_CODE[code_of(error)]
        return AssayError(reason, f"the database {address.shown} {what}.")
    failure = by_words(_BY_TEXT, error, address)
    if failure is not None:
        return failure
    log.warning("The database failed: code %s, %s", code_of(error), type(error).__name__)
    return AssayError(INTERNAL, f"the database {address.shown} failed.")


def as_failure(error: Exception, address: Address) -> Exception:
    """Of a translated statement: what a repair, a person, or the engine over copies can act on."""
    code = code_of(error)
    if code in _MEMORY:
        return ToolError(
            ErrorCategory.RESOURCE_EXHAUSTED,
            f"the database {address.shown} has not the memory for the query.",
            hint="Aggregate or filter, or ask for fewer columns.",
            details={"unit": "bytes"},
        )
    if code == _SEVERAL_ROWS:
        return ToolError(
            ErrorCategory.TYPE_MISMATCH,
            "a subquery in the place of a value gives more than one row.",
        )
    failure = as_assay_error(error, address)
    if failure.reason is DATABASE_PERMISSION_DENIED:
        return denied(failure)
    if code and failure.reason is INTERNAL:
        # The statement is right, as the twin has shown: it was not translated well enough, or a
        # value is one that ClickHouse would put another for.
        log.info("ClickHouse does not take a translated statement: code %s", code)
        return NotExpressible(f"this statement (error {code})")
    return failure
