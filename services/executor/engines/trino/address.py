"""Where a Trino coordinator is, and which of its catalogues is asked."""

from __future__ import annotations

from collections.abc import Mapping

from services.executor.databases.address import Address
from services.executor.engines.trino.about import ENGINE
from services.executor.pushdown.places import Form, read

MODES = ("verify-full", "disable")
_FORM = Form(
    engine=ENGINE,
    parameters=frozenset(("sslmode",)),
    local=frozenset(("sslrootcert",)),
    example="trino://USER:PASSWORD@HOST:443/CATALOG, with schema=NAME for some schemas alone, and "
    "sslmode=disable where there is no encryption",
)


def address(url: str, secrets: Mapping[str, str], *, own: bool, trusted: bool) -> Address:
    """The address a URL names. Raises AssayError(SOURCE_NOT_FOUND) for what is not allowed."""
    found, parameters = read(_FORM, url, own=own)
    if not found.database:
        raise _FORM.wrong("names no catalogue")
    if parameters.setdefault("sslmode", MODES[0]) not in MODES:
        raise _FORM.wrong("has a sslmode that is neither verify-full nor disable")
    if secrets and parameters["sslmode"] == "disable" and not (own or trusted):
        raise _FORM.wrong("would send a password in the open")
    return found.address(_FORM, parameters, secrets, own=own, trusted=trusted)
