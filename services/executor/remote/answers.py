"""What the answers of servers mean for whoever asked."""

from __future__ import annotations

from mesh.errors import (
    SOURCE_LOGIN_REFUSED,
    SOURCE_NOT_FOUND,
    SOURCE_NOT_READABLE,
    AssayError,
)


def answered(status: int, shown: str) -> AssayError:
    """The error that a status of HTTP stands for, which is none to try again."""
    if status in (401, 403, 407):
        return login_refused(shown)
    if status in (404, 410):
        return AssayError(SOURCE_NOT_FOUND, f"there is nothing at {shown}.")
    return AssayError(SOURCE_NOT_READABLE, f"{shown}: its server answers with {status}.")


def login_refused(shown: str) -> AssayError:
    """That somebody may not read what is there."""
    return AssayError(
        SOURCE_LOGIN_REFUSED,
        f"{shown} may not be read with what was given to log in.",
        hint="Give user and password in the address, as SCHEME://USER:PASSWORD@HOST/…, with "
        "@ : / ? # % in them as %40 %3A %2F %3F %23 %25; of a bucket they are its access key and "
        "its secret.",
    )


def changed(shown: str) -> AssayError:
    """That somebody wrote to it meanwhile."""
    return AssayError(
        SOURCE_NOT_READABLE,
        f"{shown} changed while it was read.",
        hint="Ask again when nobody writes to it.",
    )
