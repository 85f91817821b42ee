"""Which project of BigQuery is asked, and which of its datasets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import urlsplit

from services.executor.databases.address import Address
from services.executor.engines.bigquery.about import ENGINE
from services.executor.pushdown.places import Form, read

HOST = "bigquery.googleapis.com"
_FORM = Form(
    engine=ENGINE,
    parameters=frozenset(("location", "maximum_bytes_billed")),
    # Another address than Google's: the emulator of the tests.
    local=frozenset(("endpoint",)),
    example="bigquery://PROJECT/DATASET?key=JSON, with the file of a service account, its signs "
    "escaped, as the key, and location=EU and maximum_bytes_billed=NUMBER where they matter",
)


def address(url: str, secrets: Mapping[str, str], *, own: bool, trusted: bool) -> Address:
    """The address a URL names. Raises AssayError(SOURCE_NOT_FOUND) for what is not allowed."""
    found, parameters = read(_FORM, url, own=own)
    project = parameters["host"]
    if not found.schemas and not found.database:
        raise _FORM.wrong("names no dataset")
    if not secrets.get("key") and not own and not parameters.get("endpoint"):
        raise _FORM.wrong("has no key")
    if not parameters.get("maximum_bytes_billed", "0").isdigit():
        raise _FORM.wrong("has a maximum_bytes_billed that is no number")
    asked = urlsplit(parameters.get("endpoint") or f"https://{HOST}")
    parameters |= {"project": project, "host": asked.hostname or HOST}
    parameters |= {"port": str(asked.port)} if asked.port else {}
    found = replace(found, schemas=found.schemas or (found.database,))
    made = found.address(_FORM, parameters, secrets, own=own, trusted=trusted)
    return replace(made, shown=f"{project} of BigQuery", database=found.database)
