"""Where a ClickHouse server is, and how its interface for HTTP is spoken to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from services.executor.databases.address import Address
from services.executor.engines.clickhouse.about import ENGINE
from services.executor.pushdown.places import Form, read

MODES = ("verify-full", "require", "disable")
_FORM = Form(
    engine=ENGINE,
    parameters=frozenset(("sslmode",)),
    local=frozenset(("sslrootcert", "sslcert", "sslkey")),
    example="clickhouse://USER:PASSWORD@HOST:8443/DATABASE, with sslmode=disable and port 8123 "
    "where there is no encryption",
)


def address(url: str, secrets: Mapping[str, str], *, own: bool, trusted: bool) -> Address:
    """The address a URL names. Raises AssayError(SOURCE_NOT_FOUND) for what is not allowed."""
    found, parameters = read(_FORM, url, own=own)
    if parameters.setdefault("sslmode", MODES[0]) not in MODES:
        raise _FORM.wrong(
            f"has sslmode={parameters['sslmode']}, which is none of {', '.join(MODES)}"
        )
    if found.database and not found.schemas:
        found = replace(found, schemas=(found.database,))
    return found.address(_FORM, parameters, secrets, own=own, trusted=trusted)
