from __future__ import annotations

import asyncio
import logging
import os
import re
import sqlite3
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError
from sqlalchemy.orm import Session

from mesh.errors import AssayError
from mesh.storage.database import Database, newest_revision, open_database
from mesh.testing.postgres import PostgresAbsent, fresh_database, postgres_server
from mesh.testing.small_disk import small_disk

ENVIRONMENT = "from mesh.storage.database import run_migrations\n\nrun_migrations()\n"
FIRST = """
import sqlalchemy as sa
from alembic import op

revision, down_revision = "0001", None


def upgrade() -> None:
    op.create_table("shelf", sa.Column("name", sa.Text, primary_key=True))
"""
SECOND = """
import sqlalchemy as sa
from alembic import op

revision, down_revision = "0002", "0001"


def upgrade() -> None:
    op.add_column("shelf", sa.Column("width", sa.Integer))
"""


@pytest.fixture
def migrations(tmp_path: Path) -> Path:
    folder = tmp_path / "100% migrations"
    (folder / "versions").mkdir(parents=True)
    (folder / "env.py").write_text(ENVIRONMENT)
    (folder / "versions" / "0001_first.py").write_text(FIRST)
    return folder


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'shop.sqlite'}"


def names(session: Session) -> list[str]:
    return list(session.execute(text("SELECT name FROM shelf ORDER BY name")).scalars())


def insert(name: str, session: Session) -> None:
    session.execute(text("INSERT INTO shelf (name) VALUES (:name)"), {"name": name})


async def test_opening_creates_the_tables_and_keeps_what_is_written(
    url: str, migrations: Path
) -> None:
    database = open_database(url, migrations)
    await database.in_transaction(lambda session: insert("oak", session))
    await database.close()
    again = open_database(url, migrations)
    assert await again.reading(names) == ["oak"]
    await again.close()


async def test_a_newer_revision_is_applied_to_a_database_with_data(
    url: str, migrations: Path
) -> None:
    database = open_database(url, migrations)
    await database.in_transaction(lambda session: insert("oak", session))
    await database.close()
    (migrations / "versions" / "0002_width.py").write_text(SECOND)
    assert newest_revision(migrations) == "0002"
    newer = open_database(url, migrations)
    widths = await newer.reading(lambda s: list(s.execute(text("SELECT width FROM shelf"))))
    assert widths == [(None,)]
    await newer.close()


async def test_who_may_not_migrate_opens_nothing_that_is_behind(url: str, migrations: Path) -> None:
    with pytest.raises(AssayError, match=r"SCHEMA_BEHIND.*has no tables of Assay yet"):
        open_database(url, migrations, migrate=False)
    await open_database(url, migrations).close()
    await open_database(url, migrations, migrate=False).close()
    (migrations / "versions" / "0002_width.py").write_text(SECOND)
    with pytest.raises(AssayError, match=r"SCHEMA_BEHIND.*at revision 0001.*needs 0002"):
        open_database(url, migrations, migrate=False)


async def test_a_database_at_its_newest_revision_is_opened_without_alembic(
    url: str, migrations: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await open_database(url, migrations).close()
    monkeypatch.setitem(sys.modules, "alembic", None)
    await open_database(url, migrations).close()


def test_of_several_that_open_a_new_database_at_once_one_migrates(
    url: str, migrations: Path
) -> None:
    with ThreadPoolExecutor(4) as pool:
        opened: list[Database] = list(pool.map(lambda _: open_database(url, migrations), range(4)))
    for database in opened:
        asyncio.run(database.close())


async def test_an_exception_rolls_everything_back(url: str, migrations: Path) -> None:
    database = open_database(url, migrations)

    def half(session: Session) -> None:
        insert("oak", session)
        raise LookupError("changed my mind")

    with pytest.raises(LookupError, match="changed my mind"):
        await database.in_transaction(half)
    assert await database.reading(names) == []
    await database.close()


async def test_a_cancelled_transaction_is_over_before_the_cancellation_goes_on(
    url: str, migrations: Path
) -> None:
    database = open_database(url, migrations)
    begun, go_on = threading.Event(), threading.Event()

    def slow(session: Session) -> None:
        begun.set()
        assert go_on.wait(10)
        insert("oak", session)

    task = asyncio.create_task(database.in_transaction(slow))
    assert await asyncio.to_thread(begun.wait, 10)
    task.cancel()
    asyncio.get_running_loop().call_soon(go_on.set)
    with pytest.raises(asyncio.CancelledError):
        await task
    with sqlite3.connect(url.removeprefix("sqlite:///")) as other:
        assert other.execute("SELECT name FROM shelf").fetchall() == [("oak",)]
    await database.close()


async def test_concurrent_read_then_write_transactions_lose_no_update(
    url: str, migrations: Path
) -> None:
    database = open_database(url, migrations)

    def add_one(session: Session) -> None:
        insert(f"{len(names(session)):03}", session)

    await asyncio.gather(*(database.in_transaction(add_one) for _ in range(40)))
    assert await database.reading(names) == [f"{number:03}" for number in range(40)]
    await database.close()


async def test_readers_do_not_wait_for_a_writer(url: str, migrations: Path, tmp_path: Path) -> None:
    database = open_database(url, migrations)
    writer = sqlite3.connect(tmp_path / "shop.sqlite", isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    assert await database.reading(names) == []
    writer.execute("ROLLBACK")
    writer.close()
    await database.close()


def test_a_server_that_ends_a_connection_or_is_gone_is_unavailable(
    migrations: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    logging.getLogger().addHandler(told := logging.StreamHandler(sys.stderr))

    def ended(transaction: Session) -> None:
        transaction.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))

    def crowded(transaction: Session) -> None:
        transaction.execute(text("DO $$ BEGIN RAISE SQLSTATE '53300'; END $$"))

    def wrong(transaction: Session) -> None:
        transaction.execute(text("SELECT * FROM nowhere"))

    try:
        with postgres_server() as server:
            database = open_database(fresh_database(server), migrations)
            for away in (ended, crowded):
                with pytest.raises(AssayError, match="SERVICE_UNAVAILABLE"):
                    database.run(away)
            database.run(lambda transaction: insert("oak", transaction))
            with pytest.raises(ProgrammingError):
                database.run(wrong)
    except PostgresAbsent as absence:
        pytest.skip(str(absence))
    finally:
        logging.getLogger().removeHandler(told)
    with pytest.raises(AssayError, match="SERVICE_UNAVAILABLE"):
        database.run(names)
    with pytest.raises(AssayError, match="SERVICE_UNAVAILABLE"):
        open_database(server, migrations)
    assert "Traceback" not in capfd.readouterr().err


def test_a_database_that_cannot_be_opened_says_so_without_driver_text(
    tmp_path: Path, migrations: Path
) -> None:
    path = tmp_path / "nowhere" / "shop.sqlite"
    with pytest.raises(AssayError, match="STATE_DAMAGED") as caught:
        open_database(f"sqlite:///{path}", migrations)
    assert "sqlite3" not in caught.value.message
    assert str(path) in caught.value.message


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda path: path.write_bytes(b"not a database at all" * 99), "does not begin as"),
        (lambda path: os.truncate(path, path.stat().st_size // 2), "do not fit together"),
        (lambda path: (path.unlink(), path.mkdir()), "cannot be opened"),
    ],
    ids=["no database", "cut off", "a folder"],
)
def test_a_damaged_database_is_named_when_it_is_opened(
    url: str, migrations: Path, spoil: Callable[[Path], object], said: str
) -> None:
    asyncio.run(open_database(url, migrations).close())
    path = Path(url.removeprefix("sqlite:///"))
    spoil(path)
    with pytest.raises(AssayError, match="STATE_DAMAGED") as caught:
        asyncio.run(open_database(url, migrations).close())
    assert_for_people(caught.value, path, said)


def test_a_row_that_is_no_text_any_more_is_told_with_its_file(url: str, migrations: Path) -> None:
    database = open_database(url, migrations)
    database.run(lambda session: insert("oak", session))
    database.run(lambda s: s.execute(text("UPDATE shelf SET name = CAST(x'ff00ff' AS TEXT)")))
    with pytest.raises(AssayError, match="STATE_DAMAGED") as caught:
        database.run(names, read_only=True)
    assert_for_people(caught.value, Path(url.removeprefix("sqlite:///")), "cannot be read")
    asyncio.run(database.close())


def test_a_full_disk_under_a_database_is_told_with_its_file(
    tmp_path: Path, migrations: Path
) -> None:
    with small_disk(tmp_path / "disk", 1 << 20) as disk:
        path = disk.folder / "shop.sqlite"
        database = open_database(f"sqlite:///{path}", migrations)
        disk.fill()
        with pytest.raises(AssayError, match="DISK_FULL") as caught:
            for number in range(999):
                database.run(partial(insert, f"{number} {'oak' * 9999}"))
        assert_for_people(caught.value, path, "full")
        disk.free()
        database.run(lambda session: insert("oak", session))
        asyncio.run(database.close())


@pytest.mark.parametrize("migrate", [True, False])
def test_a_database_of_a_newer_version_says_so(url: str, migrations: Path, migrate: bool) -> None:
    of_revision(url, migrations, "9999")
    with pytest.raises(AssayError, match="SCHEMA_AHEAD") as caught:
        open_database(url, migrations, migrate=migrate)
    said = "a newer version of Assay: it is at revision 9999, and this version knows"
    assert_for_people(caught.value, Path(url.removeprefix("sqlite:///")), said)
    assert "version of Assay that wrote it" in caught.value.remedy


def test_a_database_of_a_revision_that_is_none_says_so(url: str, migrations: Path) -> None:
    of_revision(url, migrations, "elsewhere")
    with pytest.raises(AssayError, match="STATE_DAMAGED") as caught:
        open_database(url, migrations)
    assert_for_people(caught.value, Path(url.removeprefix("sqlite:///")), "another version")


def of_revision(url: str, migrations: Path, revision: str) -> None:
    """Make a database that says that it is of a revision."""
    database = open_database(url, migrations)
    database.run(
        lambda s: s.execute(text(f"UPDATE alembic_version SET version_num = '{revision}'"))
    )
    asyncio.run(database.close())


def assert_for_people(error: AssayError, path: Path, said: str) -> None:
    """The message names the file and says what is wrong, the hint what to do; no library speaks."""
    assert str(path) in error.message
    assert said in error.message
    assert error.remedy
    assert not re.search(r"sqlite3\.|sqlalche|malformed|Errno", error.message + error.remedy)
