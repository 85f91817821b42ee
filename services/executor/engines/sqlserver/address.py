"""Where a SQL Server is, and which of its databases is asked."""

from __future__ import annotations

from collections.abc import Mapping

from services.executor.databases.address import Address
from services.executor.engines.sqlserver.about import ENGINE
from services.executor.pushdown.places import Form, read

MODES = ("verify-full", "disable")
_FORM = Form(
    engine=ENGINE,
    parameters=frozenset(("sslmode",)),
    example="sqlserver://USER:PASSWORD@HOST:1433/DATABASE, with schema=NAME for some schemas alone",
)


def address(url: str, secrets: Mapping[str, str], *, own: bool, trusted: bool) -> Address:
    """The address a URL names. Raises AssayError(SOURCE_NOT_FOUND) for what is not allowed."""
    found, parameters = read(_FORM, url, own=own)
    if not found.database:
        raise _FORM.wrong("names no database")
    if parameters.setdefault("sslmode", MODES[0]) not in MODES:
        raise _FORM.wrong(
            f"has sslmode={parameters['sslmode']}: the driver checks certificates (verify-full) or "
            "encrypts nothing (disable)"
        )
    return found.address(_FORM, parameters, secrets, own=own, trusted=trusted)
