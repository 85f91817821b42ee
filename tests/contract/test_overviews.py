"""What operators see of jobs: the same on SQLite and on PostgreSQL, and of their tenant alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from typing import Any, Literal

import pytest

from mesh.clock import HeldClock
from mesh.storage.database import Database, open_database
from services.planner.adapters.job_store import SqlJobStore
from services.planner.adapters.leases import SqlLeases
from services.planner.adapters.overviews import SqlOverviews
from services.planner.domain.answer import Answer
from services.planner.domain.decision import Decision
from services.planner.domain.failure import Failure
from services.planner.domain.jobs.gaps import Gap, GapKind, Gaps
from services.planner.domain.jobs.job import Job, JobFilter, JobState
from services.planner.domain.jobs.lease import Holder
from services.planner.domain.jobs.overview import Depth
from tests.contract.jobs import FIRST, MIGRATIONS, NOW, created, new_job, planned
from tests.migrated import migrated

FLEETING = Holder("f" * 32, 0.0)
LONG = Holder("c" * 32, 3600.0)


@pytest.fixture(params=["sqlite", "postgresql"])
async def database(request: pytest.FixtureRequest) -> AsyncIterator[Database]:
    url = migrated(request, MIGRATIONS)
    opened = await asyncio.to_thread(open_database, url, MIGRATIONS)
    yield opened
    await opened.close()


@pytest.fixture
def clock() -> HeldClock:
    return HeldClock(NOW)


@pytest.fixture
def store(database: Database, clock: HeldClock) -> SqlJobStore:
    return SqlJobStore(database, clock)


@pytest.fixture
def overviews(database: Database, clock: HeldClock) -> SqlOverviews:
    return SqlOverviews(database, clock)


def asked_by(user: str, tenant: str = "acme", minutes: int = 0) -> Job:
    return new_job(tenant, minutes).model_copy(update={"asked_by": user})


async def test_nothing_waits_and_nobody_asked_at_first(overviews: SqlOverviews) -> None:
    seen = await overviews.overview("acme")
    assert (seen.whole, seen.of("acme"), seen.held) == (Depth(0, 0), Depth(0, 0), ())
    assert await overviews.askers("acme") == []
    assert await overviews.database_bytes() > 4096


async def test_what_is_worked_on_is_told_with_who_asked_and_for_how_long_it_is_held(
    database: Database, store: SqlJobStore, overviews: SqlOverviews, clock: HeldClock
) -> None:
    job, _ = await created(store, asked_by("ann"), LONG)
    await created(store, asked_by("bob", "other"), LONG)
    await created(store, asked_by("ann"), FLEETING)
    await SqlLeases(database, clock, FIRST).request_cancel(job.job_id)
    seen = await overviews.overview("acme")
    assert [(one.job_id, one.asked_by, one.holder) for one in seen.held] == [
        (job.job_id, "ann", LONG.owner)
    ]
    held = seen.held[0]
    assert 0 < held.lease_left <= 3600
    assert 0 < held.time_left <= 60
    assert held.stopping
    assert (seen.whole.waiting, seen.whole.at_work) == (1, 2), "of all tenants together"
    assert (seen.of("acme").waiting, seen.of("acme").at_work) == (1, 1)


async def test_a_job_whose_planner_died_is_held_by_nobody(
    store: SqlJobStore, overviews: SqlOverviews
) -> None:
    await created(store, asked_by("ann"), FLEETING)
    seen = await overviews.overview("acme")
    assert seen.held == ()
    assert seen.of("acme").waiting == 1


async def test_who_asked_is_counted_within_the_tenant_the_newest_first(
    store: SqlJobStore, overviews: SqlOverviews
) -> None:
    for job in (
        asked_by("ann"),
        asked_by("ann", minutes=2),
        asked_by("ben", minutes=5),
        asked_by("", minutes=1),
        asked_by("eve", "other"),
    ):
        await created(store, job)
    found = [(one.user, one.jobs) for one in await overviews.askers("acme")]
    assert found == [("ben", 1), ("ann", 2), ("", 1)]
    wanted = JobFilter(asked_by="ann")
    jobs, more = await store.page("acme", wanted, 1, "")
    assert [job.asked_by for job in jobs] == ["ann"]
    rest, end = await store.page("acme", wanted, 5, more)
    assert ([job.asked_by for job in rest], end) == (["ann"], "")


async def ended(
    store: SqlJobStore,
    job: Job,
    *,
    missing: Sequence[str] = (),
    checks: Sequence[tuple[str, str]] = (),
    reason: str = "",
    confidence: Literal["high", "medium", "low"] = "high",
) -> Job:
    """A job that was planned with these words missing and these checks in doubt, and its end."""
    job, lease = await created(store, job)
    writer = store.under(lease)
    found = [{"code": code, "severity": severity} for code, severity in checks]
    decided: dict[str, Any] = {"missing": list(missing), "findings": found}
    decision = Decision(
        decision_id=job.job_id,
        job_id=job.job_id,
        kind="plan",
        reasoner="rules",
        reason="",
        given={},
        decided=decided,
        timestamp=NOW,
    )
    job = await writer.save(
        job.model_copy(update={"state": JobState.PLANNING}), decisions=[decision]
    )
    if reason:
        failure = Failure(reason=reason, message="not known")
        return await writer.save(
            job.model_copy(update={"state": JobState.FAILED, "failure": failure})
        )
    job = await writer.save(planned(job))
    answer = Answer(text="7", confidence=confidence)
    return await writer.save(job.model_copy(update={"state": JobState.COMPLETED, "answer": answer}))


def counted(gaps: Gaps) -> list[tuple[GapKind, str, int, int]]:
    return [(gap.kind, gap.subject, gap.refused, gap.doubted) for gap in gaps.gaps]


async def test_gaps_are_counted_by_reason_word_and_check(
    store: SqlJobStore, overviews: SqlOverviews
) -> None:
    unknown = "NOTHING_UNDERSTOOD"
    await ended(store, asked_by("ann"), missing=["churn", "tier"], reason=unknown)
    await ended(store, asked_by("ben"), missing=["churn"], reason=unknown)
    await ended(
        store, asked_by("ann"), missing=["churn"], checks=[("J01", "doubt")], confidence="low"
    )
    await ended(store, asked_by("ann"), checks=[("J02", "note")], confidence="medium")
    await ended(store, asked_by("ann"), missing=["sure"], checks=[("J03", "error")])
    await ended(store, asked_by("eve", "other"), missing=["churn"], reason=unknown)
    gaps = await overviews.gaps("acme", NOW - timedelta(days=1))
    assert (gaps.ended, gaps.refused, gaps.doubted) == (5, 2, 2)
    assert counted(gaps) == [
        (GapKind.REASON, unknown, 2, 0),
        (GapKind.WORD, "churn", 2, 1),
        (GapKind.WORD, "tier", 1, 0),
        (GapKind.CHECK, "J01", 0, 1),
    ]


async def test_a_gap_shows_its_newest_jobs_and_none_of_before_its_time(
    store: SqlJobStore, overviews: SqlOverviews
) -> None:
    jobs = [
        await ended(store, asked_by(f"u{n}", minutes=n), missing=["churn"], reason="NO_ROWS")
        for n in range(5)
    ]
    gaps = await overviews.gaps("acme", NOW + timedelta(minutes=1))
    word: Gap = next(gap for gap in gaps.gaps if gap.kind is GapKind.WORD)
    assert word.refused == 4
    assert [one.job_id for one in word.examples] == [job.job_id for job in jobs[:1:-1]]
    assert word.examples[0].question == "revenue by month"
    assert (word.examples[0].asked_by, word.examples[0].refused) == ("u4", True)


async def test_what_another_decision_of_the_job_missed_is_in_its_place(
    store: SqlJobStore, overviews: SqlOverviews
) -> None:
    job, lease = await created(store, asked_by("ann"))
    writer = store.under(lease)
    for number, words in enumerate((["churn"], ["tier"])):
        decision = Decision(
            decision_id=f"{number:032x}",
            job_id=job.job_id,
            kind="plan",
            reasoner="rules",
            reason="",
            given={},
            decided={"missing": words},
            timestamp=NOW,
        )
        job = await writer.save(
            job.model_copy(update={"state": JobState.PLANNING}), decisions=[decision]
        )
    failure = Failure(reason="NOTHING_UNDERSTOOD", message="not known")
    await writer.save(job.model_copy(update={"state": JobState.FAILED, "failure": failure}))
    gaps = await overviews.gaps("acme", NOW - timedelta(days=1))
    assert [subject for kind, subject, _, _ in counted(gaps) if kind is GapKind.WORD] == ["tier"]
