"""What Trino and its client say went wrong, told without secrets."""

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
from mesh.storage.words import OTHER_AUTHORITY, REFUSES_PASSWORD
from mesh.tool import ErrorCategory, ToolError
from services.executor.databases.address import Address
from services.executor.engines.expressible import NotExpressible
from services.executor.pushdown.telling import by_words, denied

try:
    from requests.exceptions import RequestException
    from trino.exceptions import Error as DriverError
except ImportError:  # the extra is not installed: `connect` says so

    class DriverError(Exception):  # type: ignore[no-redef]
        """Nothing raises it."""

    RequestException = DriverError  # type: ignore[misc,assignment]

log = logging.getLogger("assay.executor")
DRIVER_ERRORS = (DriverError, RequestException, OSError)
_BY_TEXT = (
    (r"\b401\b|Unauthorized", DATABASE_LOGIN_REFUSED, REFUSES_PASSWORD),
    (
        r"PERMISSION_DENIED|\b403\b|Access Denied",
        DATABASE_PERMISSION_DENIED,
        "does not allow this user to read it",
    ),
    (r"CATALOG_NOT_FOUND|SCHEMA_NOT_FOUND", SOURCE_NOT_FOUND, "does not exist there"),
    (r"CERTIFICATE_VERIFY_FAILED|doesn't match|SSLError", DATABASE_UNREACHABLE, OTHER_AUTHORITY),
    (r"timed out", DATABASE_UNREACHABLE, "did not answer in time"),
    (
        r"Max retries|Connection refused|Connection aborted|error 50\d",
        DATABASE_UNREACHABLE,
        "cannot be reached",
    ),
)
_RESOURCES = frozenset(
    (
        "EXCEEDED_MEMORY_LIMIT",
        "EXCEEDED_GLOBAL_MEMORY_LIMIT",
        "EXCEEDED_LOCAL_MEMORY_LIMIT",
        "CLUSTER_OUT_OF_MEMORY",
    )
)


def as_assay_error(error: Exception, address: Address) -> AssayError:
    """What failed and what to do about it."""
    failure = by_words(_BY_TEXT, error, address)
    if failure is not None:
        return failure
    log.warning("The database failed: %s", type(error).__name__)
    return AssayError(INTERNAL, f"the database {address.shown} failed.")


def as_failure(error: Exception, address: Address) -> Exception:
    """Of a translated statement: what a repair, a person, or the engine over copies can act on."""
    name, kind = getattr(error, "error_name", None), getattr(error, "error_type", None)
    if name in _RESOURCES:
        return ToolError(
            ErrorCategory.RESOURCE_EXHAUSTED,
            f"the database {address.shown} has not the memory for the query.",
            hint="Aggregate or filter, or ask for fewer columns.",
            details={"unit": "bytes"},
        )
    failure = as_assay_error(error, address)
    if failure.reason is DATABASE_PERMISSION_DENIED:
        return denied(failure)
    if kind == "USER_ERROR" and failure.reason is INTERNAL:
        # The statement is right, as the twin has shown: it was not translated well enough, or a
        # value is an error there.
        log.info("Trino does not take a translated statement: %s", name)
        return NotExpressible(f"this statement (error {name})")
    return failure
