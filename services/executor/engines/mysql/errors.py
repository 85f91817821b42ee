"""What MySQL, MariaDB and their driver say went wrong, told without secrets."""

from __future__ import annotations

import logging
import re
import ssl

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
    NO_ENCRYPTION,
    OTHER_AUTHORITY,
    OTHER_NAME,
    REFUSES_PASSWORD,
    REFUSES_USER,
)
from services.executor.databases.address import Address

log = logging.getLogger(__name__)


def _driver_errors() -> tuple[type[Exception], ...]:
    try:
        from pymysql import MySQLError
    except ImportError:  # then no server is ever spoken to
        return (OSError,)
    return (MySQLError, OSError)


DRIVER_ERRORS = _driver_errors()
"""What speaking to a server raises."""

PERMISSION = frozenset((1044, 1142, 1143, 1227, 1345, 1356, 1370, 1419))
_AWAY = frozenset((1053, 1077, 1079, 1080, 1152, 1158, 1159, 1160, 1161, 1927, 2006, 2013, 2055))
_BY_CODE: dict[int, tuple[Reason, str]] = {
    1045: (DATABASE_LOGIN_REFUSED, REFUSES_PASSWORD),
    1698: (DATABASE_LOGIN_REFUSED, REFUSES_USER),
    1130: (DATABASE_LOGIN_REFUSED, REFUSES_USER),
    1251: (DATABASE_LOGIN_REFUSED, "asks for a way to log in that is not known"),
    2059: (DATABASE_LOGIN_REFUSED, "asks for a way to log in that is not known"),
    2061: (DATABASE_LOGIN_REFUSED, "asks for the password by a connection that is not encrypted"),
    1049: (SOURCE_NOT_FOUND, "does not exist"),
    1040: (DATABASE_UNREACHABLE, "has no connection left"),
    1203: (DATABASE_UNREACHABLE, "has no connection left"),
    1226: (DATABASE_UNREACHABLE, "has no connection left"),
    2026: (DATABASE_UNREACHABLE, NO_ENCRYPTION),
    1021: (RESOURCE_EXHAUSTED, "has no memory or disk left for this"),
    1037: (RESOURCE_EXHAUSTED, "has no memory or disk left for this"),
    1041: (RESOURCE_EXHAUSTED, "has no memory or disk left for this"),
    1114: (RESOURCE_EXHAUSTED, "has no memory or disk left for this"),
    **dict.fromkeys(
        PERMISSION, (DATABASE_PERMISSION_DENIED, "does not allow this user to read it")
    ),
    **dict.fromkeys(_AWAY, (DATABASE_UNREACHABLE, "broke the connection off")),
}
_BY_TEXT = (
    (r"Hostname mismatch|IP address mismatch|doesn't match", DATABASE_UNREACHABLE, OTHER_NAME),
    (r"certificate verify failed", DATABASE_UNREACHABLE, OTHER_AUTHORITY),
    (r"timed out", DATABASE_UNREACHABLE, "did not answer in time"),
    (
        r"Name or service not known|nodename nor servname",
        DATABASE_UNREACHABLE,
        "has a host name that nobody knows",
    ),
    (
        r"refused|No such file|unreachable|no address",
        DATABASE_UNREACHABLE,
        "cannot be reached: nothing answers there",
    ),
    (r"reset|Broken pipe|EOF|SSL", DATABASE_UNREACHABLE, "broke the connection off"),
)


def code_of(error: BaseException) -> int:
    """The server's or driver's number of the error, 0 where there is none."""
    first = error.args[0] if error.args else 0
    return first if isinstance(first, int) and not isinstance(error, OSError) else 0


def parse_message(error: Exception) -> str:
    """The server's own words. They may hold values; they are for matching, not for telling."""
    return str(error.args[1]) if len(error.args) > 1 else str(error)


def is_lost(error: BaseException) -> bool:
    """Whether the connection is of no more use."""
    return isinstance(error, OSError) or code_of(error) in _AWAY or code_of(error) in (0, 2003)


def as_assay_error(error: Exception, address: Address) -> AssayError:
    """What failed and what to do about it. Nothing of what the server said is repeated."""
    code = code_of(error)
    known = _BY_CODE.get(code)
    if known is None or code == 2026:
        known = _by_text(error) or known
    reason, what = known or (INTERNAL, "failed")
    shown = ""
    if reason is INTERNAL:
        log.warning("The database failed: error %s of %s", code or "unknown", type(error).__name__)
        shown = f" (error {code})" if code else "; the log says more"
    return AssayError(
        reason, f"the database {address.shown} {what}{shown}.", metadata={"code": str(code)}
    )


def _by_text(error: BaseException) -> tuple[Reason, str] | None:
    below = getattr(error, "original_exception", None) or error.__context__
    texts = [str(error), str(below or "")]
    if isinstance(below, ssl.SSLError) or isinstance(error, ssl.SSLError):
        texts.append("SSL")
    for pattern, reason, what in _BY_TEXT:
        if any(re.search(pattern, text) for text in texts):
            return reason, what
    return None
