"""What BigQuery and its client say went wrong, told without secrets."""

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
from services.executor.databases.address import Address
from services.executor.engines.expressible import NotExpressible
from services.executor.pushdown.telling import by_words, denied

try:
    from google.api_core.exceptions import GoogleAPIError
    from google.auth.exceptions import GoogleAuthError
except ImportError:  # the extra is not installed: `connect` says so

    class GoogleAPIError(Exception):  # type: ignore[no-redef]
        """Nothing raises it."""

    GoogleAuthError = GoogleAPIError  # type: ignore[misc,assignment]

log = logging.getLogger("assay.executor")
DRIVER_ERRORS = (GoogleAPIError, GoogleAuthError, OSError)
_BY_TEXT = (
    (
        r"^401|invalid_grant|Invalid Credentials|default credentials were not found",
        DATABASE_LOGIN_REFUSED,
        REFUSES_PASSWORD,
    ),
    (
        r"bytesBilledLimitExceeded|bytes billed",
        DATABASE_PERMISSION_DENIED,
        "would bill more bytes for this than maximum_bytes_billed allows",
    ),
    (r"^403", DATABASE_PERMISSION_DENIED, "does not allow this user to read it"),
    (r"^404", SOURCE_NOT_FOUND, "does not exist there"),
    (r"CERTIFICATE_VERIFY_FAILED", DATABASE_UNREACHABLE, OTHER_AUTHORITY),
    (
        r"Max retries|Connection refused|Timeout of|timed out|RetryError",
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


def as_failure(error: Exception, address: Address) -> Exception:
    """Of a translated statement: what a repair, a person, or the engine over copies can act on."""
    code = getattr(error, "code", None)
    failure = as_assay_error(error, address)
    if failure.reason is DATABASE_PERMISSION_DENIED:
        return denied(failure)
    if code in (400, 500, 501):
        # The statement is right, as the twin has shown: it was not translated well enough, or a
        # value is an error there.
        log.info("BigQuery does not take a translated statement: %s", code)
        return NotExpressible(f"this statement (error {code})")
    return failure
