"""What Snowflake and its driver say went wrong, told without secrets."""

from __future__ import annotations

import logging
import re

import pyarrow as pa
from adbc_driver_manager import Error as DriverError

from mesh.errors import (
    DATABASE_LOGIN_REFUSED,
    DATABASE_PERMISSION_DENIED,
    DATABASE_UNREACHABLE,
    INTERNAL,
    SOURCE_NOT_FOUND,
    AssayError,
)
from mesh.storage.words import OTHER_AUTHORITY, OTHER_NAME, REFUSES_PASSWORD
from services.executor.databases.address import Address
from services.executor.engines.expressible import NotExpressible
from services.executor.pushdown.telling import by_words, denied

log = logging.getLogger("assay.executor")
DRIVER_ERRORS = (DriverError, pa.ArrowException, OSError)
_BY_TEXT = (
    (
        r"\b39(01|03|04)\d\d\b|Incorrect username or password",
        DATABASE_LOGIN_REFUSED,
        REFUSES_PASSWORD,
    ),
    (
        r"No active warehouse",
        DATABASE_PERMISSION_DENIED,
        "has no warehouse to compute with: name one with warehouse=NAME",
    ),
    (
        r"Insufficient privileges|not authorized",
        DATABASE_PERMISSION_DENIED,
        "does not allow this user to read it",
    ),
    (r"does not exist, or operation cannot be performed", SOURCE_NOT_FOUND, "does not exist there"),
    (
        r"certificate is (not )?valid for|doesn't contain any IP SANs",
        DATABASE_UNREACHABLE,
        OTHER_NAME,
    ),
    (r"x509|failed to verify certificate|tls:", DATABASE_UNREACHABLE, OTHER_AUTHORITY),
    (r"no such host", DATABASE_UNREACHABLE, "has a host name that nobody knows"),
    (r"connection refused", DATABASE_UNREACHABLE, "cannot be reached: nothing answers there"),
    (
        r"i/o timeout|deadline exceeded|context canceled|Client\.Timeout",
        DATABASE_UNREACHABLE,
        "did not answer in time",
    ),
    (r"EOF|connection reset", DATABASE_UNREACHABLE, "broke the connection off"),
)
_CODE = re.compile(r"\b\d{6}\b")


def as_assay_error(error: Exception, address: Address) -> AssayError:
    """What failed and what to do about it."""
    failure = by_words(_BY_TEXT, error, address)
    if failure is not None:
        return failure
    log.warning("The database failed: %s", type(error).__name__)
    return AssayError(INTERNAL, f"the database {address.shown} failed.")


def as_failure(error: Exception, address: Address) -> Exception:
    """Of a translated statement: what a repair, a person, or the engine over copies can act on."""
    failure = as_assay_error(error, address)
    if failure.reason is DATABASE_PERMISSION_DENIED:
        return denied(failure)
    if failure.reason in (INTERNAL, SOURCE_NOT_FOUND):
        # The statement is right, as the twin has shown: it was not translated well enough, or a
        # value is an error there.
        found = _CODE.search(str(error))
        code = found[0] if found else "without a number"
        log.info("Snowflake does not take a translated statement: %s", code)
        return NotExpressible(f"this statement (error {code})")
    return failure
