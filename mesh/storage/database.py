"""SQL stores: one database a service, migrated when opened, one worker thread a transaction.

SQLite and PostgreSQL run the same models and migrations. A write transaction on SQLite takes the
write lock when it begins (BEGIN IMMEDIATE), so what it reads cannot change before it writes; on
PostgreSQL (READ COMMITTED) read rows that are about to be changed with `with_for_update()`, which
SQLite ignores.

A migrations folder holds `env.py`, whose whole content is a call of `run_migrations`, and
`versions/NNNN_what_it_does.py`, whose revision is "NNNN": that is how the newest revision is known
without importing Alembic, which costs more than opening the database does.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from mesh.storage.failures import (
    UNREADABLE,
    for_people,
    schema_ahead,
    schema_behind,
    unknown_revision,
    unreadable,
)
from mesh.storage.state_files import damaged

T = TypeVar("T")

BUSY_MILLISECONDS = 10_000
_READ_ONLY = {"assay_read_only": True}
_CONNECTION_KEY = "connection"
# Any number will do, as long as every process that migrates uses the same.
_MIGRATION_LOCK = 7_402_001
# Alembic keeps the migration under way in the module `alembic.context`: one at a time a process.
_migrating = threading.Lock()


class Database:
    """An open, migrated database. Its methods never block the event loop."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @property
    def dialect(self) -> str:
        """What kind of database it is: "sqlite" or "postgresql"."""
        return self._engine.dialect.name

    async def size_bytes(self) -> int:
        """How large it is on disk, as it tells itself. Raises AssayError as `reading` does."""
        asked = (
            "SELECT pg_database_size(current_database())"
            if self.dialect == "postgresql"
            else "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
        )
        return int(await self.reading(lambda session: session.scalar(text(asked))) or 0)

    async def in_transaction(self, work: Callable[[Session], T]) -> T:
        """What `work` returns, run in a worker thread as one transaction.

        Returns only after the commit; an exception rolls everything back and comes out unchanged,
        unless it is one of the database, or says that a stored row is not what it must be.
        Cancelled, it is still carried through, and over before the cancellation goes on: nothing
        is written behind the back of what comes after. Raises AssayError: SERVICE_UNAVAILABLE when
        the database is locked or away, DISK_FULL, STATE_DAMAGED when its file is.
        """
        task = asyncio.create_task(asyncio.to_thread(self.run, work))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            await asyncio.wait([task])
            raise

    async def reading(self, work: Callable[[Session], T]) -> T:
        """Like `in_transaction`, for work that only reads: it never waits for a writer."""
        return await asyncio.to_thread(self.run, work, read_only=True)

    def run(self, work: Callable[[Session], T], *, read_only: bool = False) -> T:
        """Like `in_transaction` or `reading`, for callers in a worker thread already. Blocks."""
        try:
            with Session(self._engine, expire_on_commit=False) as session, session.begin():
                if read_only:
                    session.connection(execution_options=_READ_ONLY)
                return work(session)
        except DBAPIError as error:
            failure = for_people(self._engine, error)
            if failure is None:
                raise
            raise failure from error
        except UNREADABLE as error:
            raise unreadable(self._engine, error) from error

    async def close(self) -> None:
        """Close every connection that is not in use; those in use close when they are done."""
        await asyncio.to_thread(self._engine.dispose)


def open_database(url: str, migrations: Path, *, migrate: bool = True) -> Database:
    """The database at `url`, brought to the newest revision in `migrations`. Blocks.

    Several processes may open one database at once: one of them migrates, the others wait. Raises
    AssayError as `in_transaction`, SCHEMA_BEHIND where it is of an earlier revision and this caller
    may not `migrate`, and SCHEMA_AHEAD where a newer version wrote it; of a server also as
    `mesh.storage.server` tells of its address, certificate and login. SQLite databases must be
    files.
    """
    engine = _sqlite_engine(url) if url.startswith("sqlite") else _server_engine(url)
    try:
        found, newest = _revision(engine), newest_revision(migrations)
        if found and found.isdigit() and found > newest:
            raise schema_ahead(engine, found, newest)
        if found != newest and not migrate and (found is None or found < newest):
            raise schema_behind(engine, found, newest)
        if found != newest:
            _migrate(engine, migrations)
    except DBAPIError as error:
        failure = for_people(engine, error)
        if failure is None:
            raise
        raise failure from error
    return Database(engine)


def newest_revision(migrations: Path) -> str:
    """The revision of the last file in a migrations folder."""
    return max(path.name.partition("_")[0] for path in (migrations / "versions").glob("[0-9]*.py"))


def run_migrations() -> None:
    """Bring the database to the revision wanted: the whole of an Alembic `env.py`."""
    from alembic import context

    context.configure(connection=context.config.attributes[_CONNECTION_KEY])
    with context.begin_transaction():
        context.run_migrations()


def _sqlite_engine(url: str) -> Engine:
    # Python's driver begins transactions late and by guessing; `isolation_level=None` stops that.
    engine = create_engine(url, connect_args={"isolation_level": None})
    event.listen(engine, "connect", _set_pragmas)
    event.listen(engine, "begin", _begin)
    return engine


def _server_engine(url: str) -> Engine:
    from mesh.storage.server import engine_of

    # Closing a connection that is broken already fails, which the pool would tell with a traceback.
    logging.getLogger("sqlalchemy.pool").setLevel(logging.CRITICAL)
    return engine_of(url)


def _set_pragmas(connection: sqlite3.Connection, _record: Any) -> None:
    connection.execute(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}")
    _write_ahead(connection)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")


def _write_ahead(connection: sqlite3.Connection) -> None:
    # Of two that change a new file's journal mode at once SQLite refuses one at once: it holds a
    # read lock already, for which the busy timeout never waits. Once changed, it stays changed.
    give_up = time.monotonic() + BUSY_MILLISECONDS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
            if not busy or time.monotonic() > give_up:
                raise
        time.sleep(0.005)


def _begin(connection: Connection) -> None:
    read_only = connection.get_execution_options().get("assay_read_only", False)
    connection.exec_driver_sql("BEGIN" if read_only else "BEGIN IMMEDIATE")


def _revision(engine: Engine) -> str | None:
    with engine.connect().execution_options(**_READ_ONLY) as connection:
        if not inspect(connection).has_table("alembic_version"):
            return None
        found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
        return None if found is None else str(found)


def _migrate(engine: Engine, migrations: Path) -> None:
    logging.getLogger("alembic").setLevel(logging.WARNING)  # its plugins tell of themselves
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(migrations).replace("%", "%%"))
    with _migrating, _without_cascades(engine) as connection, connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(text(f"SELECT pg_advisory_xact_lock({_MIGRATION_LOCK})"))
        config.attributes[_CONNECTION_KEY] = connection
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            raise unknown_revision(engine) from error
        if connection.dialect.name == "sqlite":
            broken = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
            if broken:  # nothing of it is kept
                raise damaged(
                    engine.url.database or "", f"has rows that refer to none: {broken[0]}"
                )


@contextmanager
def _without_cascades(engine: Engine) -> Iterator[Connection]:
    """A connection on which a table can be made anew without the rows that refer to its rows.

    SQLite changes few things of a table in place: a migration copies it, drops it and renames the
    copy, and rows that go with those of the dropped table would go, all of them. Outside of a
    transaction alone can this be said (SQLite, "Making Other Kinds Of Table Schema Changes").
    """
    with engine.connect() as connection:
        if connection.dialect.name != "sqlite":
            yield connection
            return
        raw: Any = connection.connection.driver_connection
        raw.execute("PRAGMA foreign_keys = OFF")
        try:
            yield connection
        finally:
            raw.execute("PRAGMA foreign_keys = ON")
