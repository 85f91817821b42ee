"""Which jobs belong to a session, and what is wanted of them: on SQLite and on PostgreSQL."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session as Transaction

from gateway.adapters.session_store import SqlSessionStore
from gateway.domain.session import Keeping, SessionState
from gateway.service import MIGRATIONS
from mesh.errors import AssayError
from mesh.ids import new_id
from mesh.storage.database import Database, open_database
from tests.contract.gateway_stores import NOON, a_session, database, sessions, url

__all__ = ["database", "sessions", "url"]


async def test_what_is_wanted_of_a_sessions_jobs_shrinks_with_it(
    sessions: SqlSessionStore,
) -> None:
    session = await sessions.create(a_session())
    older, newer = new_id(), new_id()
    for job_id in (older, newer, older):
        await sessions.expect_job("ann", session.session_id, job_id, NOON)
    assert await sessions.unsettled_jobs() == []
    await sessions.release("ann", session.session_id)
    proof = await sessions.unsettled_jobs()
    assert {(job.job_id, job.keeping) for job in proof} == {
        (older, Keeping.PROOF),
        (newer, Keeping.PROOF),
    }
    await sessions.settle_job(proof[0])
    assert await sessions.unsettled_jobs() == [proof[1]]
    await sessions.delete("ann", session.session_id)
    await sessions.settle_job(proof[1])  # by another gateway, which looked before the deletion
    nothing = await sessions.unsettled_jobs()
    assert [job.keeping for job in nothing] == [Keeping.NOTHING] * 2
    assert {(job.tenant, job.job_id, job.noted_at) for job in nothing} == {
        ("ann", older, NOON),
        ("ann", newer, NOON),
    }
    for job in nothing:
        await sessions.settle_job(job)
    assert await sessions.unsettled_jobs() == []


async def test_a_job_asked_for_in_two_sessions_goes_with_the_first(
    sessions: SqlSessionStore,
) -> None:
    first, second = await sessions.create(a_session()), await sessions.create(a_session())
    theirs = await sessions.create(a_session("bob"))
    job_id = new_id()
    for tenant, session in (("ann", first), ("ann", second), ("bob", theirs)):
        await sessions.expect_job(tenant, session.session_id, job_id, NOON)
    await sessions.delete("ann", second.session_id)
    assert await sessions.unsettled_jobs() == []
    await sessions.delete("ann", first.session_id)
    assert [job.tenant for job in await sessions.unsettled_jobs()] == ["ann"]


async def test_tables_of_a_session_are_numbered_once_each(sessions: SqlSessionStore) -> None:
    session, other = await sessions.create(a_session()), await sessions.create(a_session())
    first, second, elsewhere = new_id(), new_id(), new_id()
    for job_id in (first, second):
        await sessions.expect_job("ann", session.session_id, job_id, NOON)
    await sessions.expect_job("ann", other.session_id, elsewhere, NOON)

    numbers = [
        await sessions.number_frame("ann", session.session_id, job_id)
        for job_id in (second, first, second, elsewhere)
    ]

    assert numbers == [1, 2, 1, 0]
    assert await sessions.number_frame("ann", other.session_id, elsewhere) == 1
    assert await sessions.frames("ann", session.session_id) == {1: second, 2: first}
    with pytest.raises(AssayError):
        await sessions.frames("bob", session.session_id)


async def test_of_old_jobs_without_a_session_less_is_wanted_and_of_others_not(
    sessions: SqlSessionStore,
) -> None:
    session = await sessions.create(a_session())
    old, new, kept = new_id(), new_id(), new_id()
    later = NOON + timedelta(hours=1)
    await sessions.expect_job("ann", "", old, NOON)
    await sessions.expect_job("bob", "", new, later)
    await sessions.expect_job("ann", session.session_id, kept, NOON)

    await sessions.age_jobs(later, Keeping.PROOF)

    (job,) = await sessions.unsettled_jobs()
    assert (job.tenant, job.job_id, job.keeping) == ("ann", old, Keeping.PROOF)
    await sessions.settle_job(job)
    await sessions.age_jobs(later, Keeping.PROOF)
    assert await sessions.unsettled_jobs() == [], "once is enough"
    await sessions.age_jobs(later + timedelta(hours=1), Keeping.NOTHING)
    aged = {job.job_id: job.keeping for job in await sessions.unsettled_jobs()}
    assert aged == {old: Keeping.NOTHING, new: Keeping.NOTHING}
    for job in await sessions.unsettled_jobs():
        await sessions.settle_job(job)
    await sessions.age_jobs(later + timedelta(days=1), Keeping.NOTHING)
    assert await sessions.unsettled_jobs() == []


async def test_sessions_long_over_are_those_that_were_released(sessions: SqlSessionStore) -> None:
    over, lasting = await sessions.create(a_session()), await sessions.create(a_session())
    await sessions.release("ann", over.session_id)
    moment = timedelta(seconds=1)

    assert await sessions.over(over.expires_at) == []
    assert await sessions.over(over.expires_at + moment) == [("ann", over.session_id)]
    await sessions.release("ann", lasting.session_id)
    both = {over.session_id, lasting.session_id}
    assert {found for _, found in await sessions.over(lasting.expires_at + moment)} == both


async def test_newest_jobs_of_sessions_from_before_are_known(
    database: Database, sessions: SqlSessionStore, url: str
) -> None:
    lasting, over = await sessions.create(a_session()), await sessions.create(a_session("bob"))
    await sessions.create(a_session())  # without a job
    await sessions.release("bob", over.session_id)

    def before(transaction: Transaction) -> None:
        for column in ("report_ready BOOLEAN DEFAULT FALSE", "last_job_id TEXT DEFAULT ''"):
            transaction.execute(text(f"ALTER TABLE sessions ADD COLUMN {column}"))
        for column in ("title", "opened_title", "updated_at"):
            transaction.execute(text(f"ALTER TABLE sessions DROP COLUMN {column}"))
        for session, job_id in ((lasting, "a" * 32), (over, "b" * 32)):
            wanted = "UPDATE sessions SET last_job_id = :job WHERE session_id = :session"
            values = {"job": job_id, "session": session.session_id}
            transaction.execute(text(wanted), values)
        running = "UPDATE sessions SET status = 'running' WHERE session_id = :session"
        transaction.execute(text(running), {"session": lasting.session_id})
        later = (
            "board_pin_files board_versions board_deliveries board_alerts board_runs"
            " board_pins boards people_seen sign_ins"
            " published_pages publications definitions"
            " router_planner_links router_messages routers approved_tools domains api_keys"
        )
        for table in ("session_jobs", "known_sources", *later.split()):
            transaction.execute(text(f"DROP TABLE {table}"))
        transaction.execute(text("UPDATE alembic_version SET version_num = '0002'"))

    await database.in_transaction(before)
    await open_database(url, MIGRATIONS).close()
    [old] = await sessions.unsettled_jobs()
    assert (old.tenant, old.job_id, old.keeping) == ("bob", "b" * 32, Keeping.PROOF)
    assert (await sessions.get("ann", lasting.session_id)).state is SessionState.CREATED
    await sessions.delete("ann", lasting.session_id)
    assert {job.job_id for job in await sessions.unsettled_jobs()} == {"b" * 32, "a" * 32}
