"""The process's one DuckDB for transforming frames: in memory, closed to the outside, locked.

Opening a database costs several milliseconds, a connection to an open one a few microseconds, so
every call gets its own connection; what it registers and creates is temporary and unseen by
others. One thread a call keeps floating-point sums, and so digests, the same on every run.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

_opening = threading.Lock()


def connect() -> duckdb.DuckDBPyConnection:
    """A connection that sees only what is registered on it."""
    with _opening:
        return _database().cursor()


@lru_cache(maxsize=1)
def _database() -> duckdb.DuckDBPyConnection:
    import duckdb

    database = duckdb.connect(
        ":memory:",
        config={
            "threads": 1,
            "enable_external_access": False,
            "autoload_known_extensions": False,
            "autoinstall_known_extensions": False,
        },
    )
    # GLOBAL, because a plain SET would hold for this connection alone.
    database.execute("SET GLOBAL TimeZone = 'UTC'")
    database.execute("SET GLOBAL ieee_floating_point_ops = false")  # x / 0 is null, not infinite
    database.execute("SET GLOBAL lock_configuration = true")
    return database
