"""The gateway's stores keep the same promises on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from sqlalchemy import TextClause, text
from sqlalchemy.orm import Session as Transaction

from gateway.adapters.content_store import SqlContentStore
from gateway.adapters.file_store import SqlFileStore
from gateway.adapters.session_store import SqlSessionStore
from gateway.adapters.tables import Table
from gateway.domain.session import (
    NewFile,
    Session,
    SessionFile,
    SessionState,
    StoredContent,
)
from mesh.clock import HeldClock
from mesh.errors import AssayError
from mesh.ids import new_id
from mesh.storage.database import Database
from tests.contract.gateway_stores import NOON, a_session, database, sessions, url

__all__ = ["database", "sessions", "url"]

HOLD_SECONDS = 60.0
CSV = StoredContent("ab" * 32, 120, "text/csv", 7)
OTHER = StoredContent("cd" * 32, 80, "application/json", 3)


class Files(SqlFileStore):
    """Adds a file as an upload does: its content is held first."""

    def __init__(self, database: Database, contents: SqlContentStore) -> None:
        super().__init__(database)
        self._contents = contents

    async def add(
        self, tenant: str, file: NewFile, most_files: int, hold_id: str = ""
    ) -> SessionFile:
        held = hold_id or await self._contents.hold(file.content.digest)
        return await super().add(tenant, file, most_files, held)


@pytest.fixture
def clock() -> HeldClock:
    return HeldClock(NOON)


@pytest.fixture
def contents(database: Database, clock: HeldClock) -> SqlContentStore:
    return SqlContentStore(database, clock, HOLD_SECONDS)


@pytest.fixture
def files(database: Database, contents: SqlContentStore) -> Files:
    return Files(database, contents)


def a_file(session: Session, name: str = "orders.csv", content: StoredContent = CSV) -> NewFile:
    return NewFile(new_id(), session.session_id, name, "what was ordered", content, NOON)


async def test_a_session_comes_back_as_it_was_stored(sessions: SqlSessionStore) -> None:
    session = await sessions.create(a_session())
    assert await sessions.get("ann", session.session_id) == session
    assert session.created_at.utcoffset() == timedelta(0)


async def test_creating_a_session_again_gives_the_first(sessions: SqlSessionStore) -> None:
    first = await sessions.create(a_session())
    later = replace(first, created_at=NOON + timedelta(hours=1))
    assert await sessions.create(later) == first


async def test_another_tenants_session_does_not_exist(
    sessions: SqlSessionStore, files: Files
) -> None:
    session = await sessions.create(a_session("ann"))
    file = await files.add("ann", a_file(session), 10)
    theirs = replace(session, tenant="bob")
    for attempt in (
        sessions.get("bob", session.session_id),
        sessions.create(theirs),
        sessions.expect_job("bob", session.session_id, new_id(), NOON),
        sessions.retitle("bob", session.session_id, "mine", NOON),
        sessions.delete("bob", session.session_id),
        sessions.release("bob", session.session_id),
        files.add("bob", a_file(session), 10),
        files.of_session("bob", session.session_id),
        files.get("bob", file.file_id),
        files.describe("bob", file.file_id, "mine now"),
        files.remove("bob", file.file_id),
    ):
        with pytest.raises(AssayError, match="NOT_FOUND"):
            await attempt
    assert await files.get("ann", file.file_id) == file
    assert await sessions.page("bob", 20, "") == ([], "")


async def test_pages_hold_every_session_once_newest_first(sessions: SqlSessionStore) -> None:
    made = [await sessions.create(a_session(minutes=minute // 2)) for minute in range(7)]
    seen: list[Session] = []
    token = ""
    while True:
        page, token = await sessions.page("ann", 3, token)
        seen += page
        if not token:
            break
    newest_first = sorted(made, key=lambda s: (s.created_at, s.session_id), reverse=True)
    assert seen == newest_first


async def test_a_page_token_from_elsewhere_is_refused(sessions: SqlSessionStore) -> None:
    with pytest.raises(AssayError, match="page token"):
        await sessions.page("ann", 3, "next please")


async def test_the_first_file_moves_a_session_on(sessions: SqlSessionStore, files: Files) -> None:
    session = await sessions.create(a_session())
    stored = await files.add("ann", a_file(session), 10)
    assert not stored.duplicate
    assert (await files.of_session("ann", session.session_id)) == [stored]
    after = await sessions.get("ann", session.session_id)
    assert (after.state, after.file_count) == (SessionState.HAS_FILES, 1)


async def test_a_full_session_takes_no_more_even_from_many_at_once(
    sessions: SqlSessionStore, files: Files
) -> None:
    session = await sessions.create(a_session())
    attempts = [files.add("ann", a_file(session, f"{n}.csv"), 4) for n in range(8)]
    outcomes = await asyncio.gather(*attempts, return_exceptions=True)
    stored = [outcome for outcome in outcomes if isinstance(outcome, SessionFile)]
    refused = [outcome for outcome in outcomes if isinstance(outcome, AssayError)]
    assert len(stored) == 4
    assert {error.reason.code for error in refused} == {"MAX_FILES_EXCEEDED"}


async def test_equal_content_of_one_user_is_stored_once_and_counted(
    database: Database, sessions: SqlSessionStore, files: Files
) -> None:
    one, two = await sessions.create(a_session()), await sessions.create(a_session())
    first = await files.add("ann", a_file(one), 10)
    second = await files.add("ann", a_file(two, "copy.csv"), 10)
    assert (first.duplicate, second.duplicate) == (False, True)
    rows = await database.reading(
        lambda s: s.execute(text("SELECT user_id, reference_count FROM file_metadata")).all()
    )
    assert rows == [("ann", 2)]


async def test_many_first_uploads_of_one_content_at_once_make_one_row(
    database: Database, sessions: SqlSessionStore, files: Files
) -> None:
    made = [await sessions.create(a_session()) for _ in range(6)]
    stored = await asyncio.gather(*(files.add("ann", a_file(session), 10) for session in made))
    assert sorted(file.duplicate for file in stored) == [False] + [True] * 5
    counts = await database.reading(
        lambda s: s.execute(text("SELECT reference_count FROM file_metadata")).scalars().all()
    )
    assert counts == [6]


async def test_repeating_an_upload_gives_the_same_file(
    sessions: SqlSessionStore, files: Files
) -> None:
    session = await sessions.create(a_session())
    first = await files.add("ann", a_file(session), 1)
    assert await files.add("ann", a_file(session), 1) == first


async def test_content_is_given_up_only_when_nobody_refers_to_it(
    sessions: SqlSessionStore, files: Files
) -> None:
    mine, also_mine = await sessions.create(a_session()), await sessions.create(a_session())
    theirs = await sessions.create(a_session("bob"))
    first = await files.add("ann", a_file(mine), 10)
    second = await files.add("ann", a_file(also_mine), 10)
    third = await files.add("bob", a_file(theirs), 10)
    assert not third.duplicate
    assert await files.remove("ann", first.file_id) == ""
    assert await files.remove("ann", second.file_id) == ""
    assert await files.remove("bob", third.file_id) == CSV.digest


async def test_deleting_a_session_gives_up_what_only_it_held(
    sessions: SqlSessionStore, files: Files
) -> None:
    mine, also_mine = await sessions.create(a_session()), await sessions.create(a_session())
    await files.add("ann", a_file(mine), 10)
    await files.add("ann", a_file(mine, "list.json", OTHER), 10)
    await files.add("ann", a_file(also_mine), 10)
    assert await sessions.delete("ann", mine.session_id) == [OTHER.digest]
    with pytest.raises(AssayError, match="NOT_FOUND"):
        await sessions.get("ann", mine.session_id)
    assert len(await files.of_session("ann", also_mine.session_id)) == 1


async def test_a_description_changes_and_nothing_else(
    sessions: SqlSessionStore, files: Files
) -> None:
    session = await sessions.create(a_session())
    stored = await files.add("ann", a_file(session), 10)
    changed = await files.describe("ann", stored.file_id, "orders of 1997 – café ☕")
    assert changed.description == "orders of 1997 – café ☕"
    assert await files.get("ann", stored.file_id) == changed
    assert changed.content == stored.content


async def test_using_a_file_is_noted_for_its_owner_alone(
    database: Database, sessions: SqlSessionStore, files: Files
) -> None:
    mine, theirs = await sessions.create(a_session()), await sessions.create(a_session("bob"))
    stored = await files.add("ann", a_file(mine), 10)
    await files.add("bob", a_file(theirs), 10)
    await files.touch("ann", [stored.file_id], NOON + timedelta(hours=2))
    used = await database.reading(
        lambda s: (
            s.execute(
                text("SELECT user_id FROM file_metadata WHERE last_accessed > upload_timestamp")
            )
            .scalars()
            .all()
        )
    )
    assert used == ["ann"]


async def test_a_title_is_changed_while_the_session_lasts(sessions: SqlSessionStore) -> None:
    session = await sessions.create(a_session())
    later = NOON + timedelta(hours=1)
    changed = await sessions.retitle("ann", session.session_id, "spring", later)
    assert (changed.title, changed.updated_at) == ("spring", later)
    assert await sessions.get("ann", session.session_id) == changed
    with pytest.raises(AssayError, match="SESSION_EXPIRED"):
        await sessions.retitle("ann", session.session_id, "late", session.expires_at)


async def test_expired_sessions_are_found_until_they_are_released(
    sessions: SqlSessionStore, files: Files
) -> None:
    session = await sessions.create(a_session())
    await sessions.create(a_session("bob", minutes=1))
    await files.add("ann", a_file(session), 10)
    at_its_end = session.expires_at
    assert await sessions.expired(at_its_end - timedelta(seconds=1)) == []
    assert await sessions.expired(at_its_end) == [("ann", session.session_id)]
    assert await sessions.release("ann", session.session_id) == [CSV.digest]
    assert await sessions.expired(at_its_end) == []
    assert (await sessions.get("ann", session.session_id)).file_count == 0


async def test_the_migration_makes_just_the_tables_of_the_models(database: Database) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    differences = await database.reading(
        lambda s: compare_metadata(MigrationContext.configure(s.connection()), Table.metadata)
    )
    assert differences == []


class TestContents:
    """What keeps several gateways on one database from deleting what another one stores."""

    async def test_a_held_content_is_not_deleted_until_its_holds_run_out(
        self, contents: SqlContentStore, clock: HeldClock, database: Database
    ) -> None:
        assert await contents.hold(CSV.digest)
        assert not await contents.condemn(CSV.digest, 20)
        await self.pass_time(database, clock)
        assert await contents.condemn(CSV.digest, 20)

    async def test_a_content_is_deleted_by_one_gateway_at_a_time(
        self, contents: SqlContentStore
    ) -> None:
        await contents.give_up(CSV.digest, await contents.hold(CSV.digest))
        takers = await asyncio.gather(*(contents.condemn(CSV.digest, 20) for _ in range(6)))
        assert sorted(takers) == [False] * 5 + [True]

    async def test_nothing_is_stored_while_it_is_deleted_and_again_afterwards(
        self, contents: SqlContentStore
    ) -> None:
        await contents.give_up(CSV.digest, await contents.hold(CSV.digest))
        assert await contents.condemn(CSV.digest, 20)
        assert await contents.hold(CSV.digest) == ""
        await contents.settle(CSV.digest)
        assert await contents.unsettled() == []
        assert await contents.hold(CSV.digest)

    async def test_a_deletion_that_broke_off_is_taken_over(
        self, contents: SqlContentStore, clock: HeldClock, database: Database
    ) -> None:
        await contents.give_up(CSV.digest, await contents.hold(CSV.digest))
        assert await contents.condemn(CSV.digest, 20)
        assert await contents.unsettled() == [CSV.digest]
        await self.pass_time(database, clock)
        assert await contents.condemn(CSV.digest, 20)

    async def test_a_file_whose_hold_ran_out_is_not_recorded(
        self,
        contents: SqlContentStore,
        sessions: SqlSessionStore,
        files: Files,
        clock: HeldClock,
        database: Database,
    ) -> None:
        session = await sessions.create(a_session())
        hold_id = await contents.hold(CSV.digest)
        await self.pass_time(database, clock)
        assert await contents.condemn(CSV.digest, 20)
        with pytest.raises(AssayError, match="SERVICE_UNAVAILABLE"):
            await files.add("ann", a_file(session), 10, hold_id)
        assert (await sessions.get("ann", session.session_id)).file_count == 0

    async def test_what_is_referred_to_is_settled_and_stays(
        self, contents: SqlContentStore, sessions: SqlSessionStore, files: Files
    ) -> None:
        session = await sessions.create(a_session())
        await files.add("ann", a_file(session), 10)
        assert not await contents.condemn(CSV.digest, 20)
        assert await contents.unsettled() == []

    async def pass_time(self, database: Database, clock: HeldClock) -> None:
        """Let every hold and deletion run out, on the clock that the database has."""
        clock.advance(2 * HOLD_SECONDS)
        if database.dialect == "postgresql":
            for column, table in (
                ("held_until", "content_holds"),
                ("deleting_until", "unsettled_contents"),
            ):
                earlier = text(
                    f"UPDATE {table} SET {column} = {column} - :seconds WHERE {column} > 0"
                )
                await database.in_transaction(partial(_execute, statement=earlier))


def _execute(transaction: Transaction, statement: TextClause) -> None:
    transaction.execute(statement, {"seconds": 2 * HOLD_SECONDS})


async def test_one_session_opened_at_many_gateways_at_once_is_one(
    sessions: SqlSessionStore,
) -> None:
    session = a_session()
    made = await asyncio.gather(*(sessions.create(session) for _ in range(8)))
    assert made == [session] * 8
