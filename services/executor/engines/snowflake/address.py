"""Where a Snowflake account is, and who asks it with which warehouse."""

from __future__ import annotations

from collections.abc import Mapping

from services.executor.databases.address import Address
from services.executor.engines.snowflake.about import ENGINE
from services.executor.pushdown.places import Form, read

_FORM = Form(
    engine=ENGINE,
    parameters=frozenset(("warehouse", "role", "account")),
    # Without encryption nothing vouches for who answers: the emulator of the tests.
    local=frozenset(("sslmode",)),
    example="snowflake://USER:PASSWORD@ACCOUNT.snowflakecomputing.com/DATABASE?warehouse=NAME, "
    "with role=NAME, schema=NAME for some schemas alone, and token=TOKEN for a password",
)


def address(url: str, secrets: Mapping[str, str], *, own: bool, trusted: bool) -> Address:
    """The address a URL names. Raises AssayError(SOURCE_NOT_FOUND) for what is not allowed."""
    found, parameters = read(_FORM, url, own=own)
    if not found.database:
        raise _FORM.wrong("names no database")
    if parameters.setdefault("sslmode", "verify-full") not in ("verify-full", "disable"):
        raise _FORM.wrong("has a sslmode that is neither verify-full nor disable")
    parameters.setdefault("account", parameters["host"].partition(".snowflakecomputing.")[0])
    return found.address(_FORM, parameters, secrets, own=own, trusted=trusted)
