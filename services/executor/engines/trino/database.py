"""Trino as a kind of database (`databases.kind.DatabaseKind`)."""

from __future__ import annotations

from services.executor.databases.session import Places
from services.executor.engines.trino.address import address
from services.executor.engines.trino.catalogue import read_catalogue
from services.executor.engines.trino.connect import TrinoSessions
from services.executor.engines.trino.errors import DRIVER_ERRORS, as_failure
from services.executor.engines.trino.errors import as_assay_error as failed
from services.executor.engines.trino.target import TARGET
from services.executor.pushdown.kind import Pushed

_pushed = Pushed(TARGET, read_catalogue, DRIVER_ERRORS, as_failure)
described, stamp, whole = _pushed.described, _pushed.stamp, _pushed.whole
suspects, distinct_sql, exact_sql = _pushed.suspects, _pushed.distinct_sql, _pushed.exact_sql
engine = _pushed.engine

__all__ = [
    "DRIVER_ERRORS",
    "address",
    "described",
    "distinct_sql",
    "engine",
    "exact_sql",
    "failed",
    "sessions",
    "stamp",
    "suspects",
    "whole",
]


def sessions(places: Places) -> TrinoSessions:
    """What opens sessions."""
    return TrinoSessions(places)
