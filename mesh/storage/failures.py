"""What goes wrong in a database, as errors for people. The driver's own words are only logged."""

from __future__ import annotations

import json
import logging
import os
import sqlite3
from pathlib import Path

import pydantic
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError

from mesh.errors import (
    SCHEMA_AHEAD,
    SCHEMA_BEHIND,
    SERVICE_UNAVAILABLE,
    STATE_DAMAGED,
    AssayError,
)
from mesh.storage.state_files import damaged, disk_full

log = logging.getLogger("assay.database")

# Connection exceptions, out of resources, and a server that stops or is just starting.
_AWAY_STATES = ("08", "53", "57P")
_LOCKED = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
# SQLite's primary codes that are the file's fault, and what each says of it.
_FAULTS = {
    sqlite3.SQLITE_NOTADB: "is damaged: it does not begin as a SQLite database",
    sqlite3.SQLITE_CORRUPT: "is damaged: its pages do not fit together",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened as a SQLite database",
    sqlite3.SQLITE_READONLY: "may not be written",
    sqlite3.SQLITE_PERM: "may not be used by this user",
    sqlite3.SQLITE_IOERR: "cannot be read or written: the disk fails",
}
_ROW = "is damaged: it holds a row that cannot be read"
_RESTORE = "Restore it from a copy, or save what is left with `sqlite3 FILE .recover`."
_LET = "See that it is a file which this user may read and write, on a disk that is sound."
_UNDECODABLE = "Could not decode to UTF-8"  # what Python's driver says without a code
UNREADABLE = (UnicodeDecodeError, json.JSONDecodeError, pydantic.ValidationError)
"""Raised where a stored row is not what it must be: nothing else is decoded in a transaction."""
_HINTS = {sqlite3.SQLITE_NOTADB: _RESTORE, sqlite3.SQLITE_CORRUPT: _RESTORE}


def for_people(engine: Engine, error: DBAPIError) -> AssayError | None:
    """What to tell of a driver's error; None where it is the statement's fault."""
    if engine.dialect.name == "sqlite":
        path = Path(engine.url.database or "")
        failure = _of_a_file(path, getattr(error.orig, "sqlite_errorcode", None))
        if _UNDECODABLE in str(error.orig):
            failure = damaged(path, _ROW, _RESTORE)
        if failure is None and not isinstance(error, OperationalError):
            return None
        failure = failure or _away(engine)
    elif _is_away(error):
        failure = _away(engine)
    else:
        return None
    log.error("database %s: %s", engine.url.render_as_string(hide_password=True), error.orig)
    return failure


def unreadable(engine: Engine, error: Exception) -> AssayError:
    """What to tell of one of UNREADABLE."""
    log.error("a row of %s cannot be read", _name(engine), exc_info=error)
    return damaged(engine.url.database or _name(engine), _ROW, _RESTORE)


def unknown_revision(engine: Engine) -> AssayError:
    """The database says it is of a revision that these migrations do not have."""
    return AssayError(
        STATE_DAMAGED,
        f"{_name(engine)} is of another version: its revision is not known here",
        hint="Use the version of Assay that wrote it or a newer one, or restore it from a copy.",
    )


def schema_ahead(engine: Engine, found: str, newest: str) -> AssayError:
    """The database is of a later revision than these migrations: a newer version wrote it."""
    return AssayError(
        SCHEMA_AHEAD,
        f"{_name(engine)} is of a newer version of Assay: it is at revision {found}, and this "
        f"version knows revisions up to {newest}",
    )


def schema_behind(engine: Engine, found: str | None, newest: str) -> AssayError:
    """The database is of an earlier revision, and whoever opens it may not change that."""
    has = f"is at revision {found}" if found else "has no tables of Assay yet"
    return AssayError(SCHEMA_BEHIND, f"{_name(engine)} {has}; this version needs {newest}")


def _of_a_file(path: Path, code: int | None) -> AssayError | None:
    primary = (code or 0) & 0xFF
    if primary == sqlite3.SQLITE_FULL:
        return disk_full(path)
    if primary in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR) and _no_room(path):
        return disk_full(path)
    if primary not in _FAULTS:
        return None
    return damaged(path, _FAULTS[primary], _HINTS.get(primary, _LET))


def _no_room(path: Path) -> bool:
    """Whether its disk is full: what SQLite keeps beside a file it cannot make then either."""
    try:
        return os.statvfs(path.parent).f_bavail == 0
    except OSError:
        return False


def _is_away(error: DBAPIError) -> bool:
    """Whether it is not the statement's fault, and may be otherwise later.

    pg8000 calls a broken or refused connection an InterfaceError and tells the server's own
    refusals apart by their SQLSTATE alone.
    """
    if isinstance(error, OperationalError | InterfaceError) or error.connection_invalidated:
        return True
    value = error.orig.args[0] if error.orig is not None and error.orig.args else None
    state = str(value.get("C", "")) if isinstance(value, dict) else ""
    return state.startswith(_AWAY_STATES)


def _away(engine: Engine) -> AssayError:
    return AssayError(
        SERVICE_UNAVAILABLE,
        f"{_name(engine)} cannot be used now",
        hint="Try again; if it stays so, see the server's log: it may be locked or away.",
    )


def _name(engine: Engine) -> str:
    if engine.dialect.name == "sqlite":
        return f"the database {engine.url.database}"
    return "the database of this service"
