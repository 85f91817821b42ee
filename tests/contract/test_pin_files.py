"""Uploads that pins ask about outlive their sessions, on SQLite and on PostgreSQL."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select

from gateway.adapters.board_store import SqlBoardStore
from gateway.adapters.board_version_store import SqlVersionStore
from gateway.adapters.content_store import SqlContentStore
from gateway.adapters.file_store import SqlFileStore
from gateway.adapters.pin_file_store import SqlPinFileStore
from gateway.adapters.session_store import SqlSessionStore
from gateway.adapters.tables import ContentRow, UnsettledRow
from gateway.domain.session import NewFile, Session, StoredContent
from mesh.clock import HeldClock
from mesh.errors import NOT_FOUND, AssayError
from mesh.storage.database import Database
from tests.contract.gateway_stores import NOON, database, url
from tests.contract.test_board_store import FIRST, ONE, PIN, noted

__all__ = ["database", "url"]

CONTENT = StoredContent("d" * 64, 100, "text/csv", 3)
FILE = NewFile("1" * 32, "2" * 32, "sales.csv", "", CONTENT, NOON)
ASKING = replace(PIN, file_ids=(FILE.file_id,))


@pytest.fixture
async def files(database: Database) -> SqlFileStore:
    """One file of a session of acme's."""
    day = timedelta(days=1)
    session = Session(
        session_id=FILE.session_id,
        tenant="acme",
        created_at=NOON,
        updated_at=NOON,
        expires_at=NOON + day,
    )
    await SqlSessionStore(database).create(session)
    files = SqlFileStore(database)
    hold = await SqlContentStore(database, HeldClock(NOON), 300).hold(CONTENT.digest)
    await files.add("acme", FILE, 10, hold)
    await SqlBoardStore(database).create(ONE)
    return files


async def references(database: Database) -> list[int]:
    wanted = select(ContentRow.reference_count)
    return await database.reading(lambda transaction: list(transaction.scalars(wanted)))


async def to_sweep(database: Database) -> list[str]:
    wanted = select(UnsettledRow.content_hash)
    return await database.reading(lambda transaction: list(transaction.scalars(wanted)))


async def test_a_file_stays_for_its_pin_until_the_board_goes(
    files: SqlFileStore, database: Database
) -> None:
    boards, kept = SqlBoardStore(database), SqlPinFileStore(database)
    await boards.pin(ASKING, FIRST, noted)
    assert await references(database) == [2]
    await files.remove("acme", FILE.file_id)
    assert await references(database) == [1]
    found = (await kept.of(PIN.pin_id))[FILE.file_id]
    assert (found.original_name, found.content) == ("sales.csv", CONTENT)
    assert await kept.of("9" * 32) == {}
    await boards.delete("acme", ONE.board_id)
    assert (await references(database), await to_sweep(database)) == ([], [CONTENT.digest])


async def test_a_file_of_a_pin_that_was_taken_off_goes_when_that_is_forgotten(
    files: SqlFileStore, database: Database
) -> None:
    boards, versions = SqlBoardStore(database), SqlVersionStore(database)
    await boards.pin(ASKING, FIRST, noted)
    await files.remove("acme", FILE.file_id)
    await boards.unpin("acme", PIN.pin_id, NOON, lambda board, _: noted(board))
    assert await references(database) == [1], "it may be brought back"
    await versions.sweep(NOON + timedelta(days=1))
    assert (await references(database), await to_sweep(database)) == ([], [CONTENT.digest])


async def test_what_went_with_its_session_or_is_anothers_cannot_be_kept(
    files: SqlFileStore, database: Database
) -> None:
    boards = SqlBoardStore(database)
    await boards.create(replace(ONE, board_id="5" * 32, tenant="evil"))
    stolen = replace(ASKING, tenant="evil", board_id="5" * 32, pin_id="6" * 32)
    with pytest.raises(AssayError) as refused:
        await boards.pin(stolen, replace(FIRST, pin_id="6" * 32, board_id="5" * 32), noted)
    assert refused.value.reason is NOT_FOUND
    await files.remove("acme", FILE.file_id)
    with pytest.raises(AssayError) as refused:
        await boards.pin(ASKING, FIRST, noted)
    assert refused.value.reason is NOT_FOUND
    assert await references(database) == []
    assert await boards.get_pin("acme", PIN.pin_id) is None
