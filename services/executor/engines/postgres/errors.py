"""What PostgreSQL and its driver say went wrong, told without secrets."""

from __future__ import annotations

import logging
import re
from urllib.parse import quote

import pyarrow as pa
from adbc_driver_manager import Error as DriverError

from mesh.errors import (
    DATABASE_LOGIN_REFUSED,
    DATABASE_PERMISSION_DENIED,
    DATABASE_UNREACHABLE,
    INTERNAL,
    RESOURCE_EXHAUSTED,
    SOURCE_NOT_FOUND,
    AssayError,
    Reason,
)
from mesh.storage.words import (
    NO_AUTHORITY,
    NO_ENCRYPTION,
    OTHER_AUTHORITY,
    OTHER_NAME,
    REFUSES_PASSWORD,
    REFUSES_USER,
)
from services.executor.databases.address import Address

log = logging.getLogger(__name__)
_BY_STATE: dict[str, tuple[Reason, str]] = {
    "28P01": (DATABASE_LOGIN_REFUSED, REFUSES_PASSWORD),
    "28000": (DATABASE_LOGIN_REFUSED, REFUSES_USER),
    "3D000": (SOURCE_NOT_FOUND, "does not exist"),
    "42501": (DATABASE_PERMISSION_DENIED, "does not allow this user to read it"),
    "53300": (DATABASE_UNREACHABLE, "has no connection left"),
    "57P01": (DATABASE_UNREACHABLE, "was shut down"),
    "57P02": (DATABASE_UNREACHABLE, "was shut down"),
    "57P03": (DATABASE_UNREACHABLE, "is starting up or shutting down"),
}
# What reading from the driver raises: its own errors, and Arrow's while rows stream in.
DRIVER_ERRORS = (DriverError, pa.ArrowException, OSError)

# While connecting the driver gives text only, in English unless the server was told otherwise.
_BY_TEXT: tuple[tuple[str, Reason, str], ...] = (
    (r"password authentication failed", *_BY_STATE["28P01"]),
    (r"no password supplied|fe_sendauth", DATABASE_LOGIN_REFUSED, "asks for a password"),
    (
        r"no pg_hba\.conf entry|role .* (does not exist|is not permitted)|authentication failed",
        *_BY_STATE["28000"],
    ),
    (r"database \".*\" does not exist", *_BY_STATE["3D000"]),
    (r"root certificate file", DATABASE_UNREACHABLE, NO_AUTHORITY),
    (r"certificate verify failed|signature failure", DATABASE_UNREACHABLE, OTHER_AUTHORITY),
    (r"server certificate for", DATABASE_UNREACHABLE, OTHER_NAME),
    (r"does not support SSL", DATABASE_UNREACHABLE, NO_ENCRYPTION),
    (
        r"definition of service|service file",
        SOURCE_NOT_FOUND,
        "has an address with a service that no service file defines",
    ),
    (
        r"invalid (\S+ value|integer value|port number|connection option)|channel binding required",
        SOURCE_NOT_FOUND,
        "has an address with a parameter that cannot be",
    ),
    (r"could not translate host name", DATABASE_UNREACHABLE, "has a host name that nobody knows"),
    (r"timeout expired|timed out", DATABASE_UNREACHABLE, "did not answer in time"),
    (
        r"Connection refused|Is the server running|No such file or directory",
        DATABASE_UNREACHABLE,
        "cannot be reached: nothing answers there",
    ),
    (r"too many (clients|connections)|remaining connection slots", *_BY_STATE["53300"]),
    (r"starting up|shutting down", *_BY_STATE["57P03"]),
    (
        r"server closed the connection|terminating connection|connection to server|no connection|"
        r"could not (receive|send) data|SSL connection",
        DATABASE_UNREACHABLE,
        "broke the connection off",
    ),
)


def state_of(error: Exception) -> str:
    """The five characters of SQLSTATE, empty where the server did not answer."""
    if isinstance(error, DriverError) and error.sqlstate:
        return str(error.sqlstate)
    found = re.search(r"SQLSTATE: (\w{5})", str(error))
    return found[1] if found else ""


def parse_message(error: Exception, address: Address) -> str:
    """The server's own first line, without the driver's words, the statement and any secret."""
    text = re.split(r"\n|\. SQLSTATE|\bQuery was:", str(error))[0]
    text = re.sub(r"^.*?(?:ERROR|FATAL|PANIC):\s*", "", text)
    text = re.sub(r"^\w+: (?:\[libpq\] )?", "", text)
    for _, secret in address.secrets:
        for spelling in filter(None, (secret, quote(secret), quote(secret, safe=""))):
            text = text.replace(spelling, "***")
    return text.strip().rstrip(".")


def is_lost(error: Exception) -> bool:
    """Whether the connection is of no more use."""
    state = state_of(error)
    return state.startswith(("08", "57P")) or (not state and _by_text(error) is not None)


def as_assay_error(error: Exception, address: Address) -> AssayError:
    """What failed and what to do about it."""
    state = state_of(error)
    reason, what = _BY_STATE.get(state) or _by_text(error) or (INTERNAL, "failed")
    if state.startswith("53") and state != "53300":
        reason, what = RESOURCE_EXHAUSTED, "has no memory or disk left for this"
    detail = parse_message(error, address)
    refused = re.search(r"permission denied for (\w+) (\S+)", detail)
    shown = f" ({refused[1]} {refused[2]})" if refused else ""
    if reason is INTERNAL:
        log.warning("The database failed: SQLSTATE %s, %s", state or "unknown", detail)
        shown = f" (SQLSTATE {state})" if state else "; its words are in the log"
    return AssayError(
        reason, f"the database {address.shown} {what}{shown}.", metadata={"sqlstate": state}
    )


def _by_text(error: Exception) -> tuple[Reason, str] | None:
    text = str(error)
    for pattern, reason, what in _BY_TEXT:
        if re.search(pattern, text):
            return reason, what
    return None
