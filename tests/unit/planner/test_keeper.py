"""What a planner does about leases: renews its own, claims abandoned ones, lets go of lost ones."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from datetime import UTC, datetime

import pytest

from mesh import context as calls
from mesh.clock import HeldClock
from mesh.errors import DISK_FULL, SERVICE_UNAVAILABLE, AssayError
from services.planner.domain.jobs.lease import Lease, LeaseLostError, Lookout, held, time_left
from services.planner.domain.jobs.queue import Queue, Waiting
from services.planner.domain.request import MAX_TIMEOUT_SECONDS
from services.planner.jobs.keeper import Keeper, Rhythm
from services.planner.jobs.running import CANCEL
from services.planner.jobs.setbacks import GRACE_SECONDS

NOW = datetime(2026, 3, 1, tzinfo=UTC)
RHYTHM = Rhythm(renew_seconds=1.0, look_seconds=3600.0)


def lease(job_id: str, tenant: str = "ann", token: int = 1) -> Lease:
    return Lease(job_id, tenant, owner="me", token=token, seconds_left=30.0)


def waiting(*job_ids: str) -> Lookout:
    return Lookout(Queue(tuple(Waiting(job_id, "ann") for job_id in job_ids)))


class ScriptedLeases:
    """A database that says what it is told to say."""

    def __init__(self) -> None:
        self.around = Lookout()
        self.lost: set[str] = set()
        self.renewed: list[set[str]] = []
        self.claimed: list[str] = []
        self.released: list[Lease] = []
        self.away = False

    async def claim(self, job_id: str) -> Lease | None:
        self.claimed.append(job_id)
        return None if job_id in self.lost else lease(job_id, tenant=f"tenant of {job_id}")

    async def renew(self, job_ids: Collection[str]) -> frozenset[str]:
        self.renewed.append(set(job_ids))
        return frozenset(job_ids) - self.lost

    async def look(self) -> Lookout:
        if self.away:
            raise AssayError(SERVICE_UNAVAILABLE, "the database is away")
        return self.around

    async def release(self, lease: Lease, rested: bool = False) -> None:
        self.released.append(lease)

    async def request_cancel(self, job_id: str) -> None:
        raise AssertionError("a keeper cancels nothing of its own accord")

    async def stopping(self, job_id: str) -> bool:
        raise AssertionError("a keeper is told by `look` whom to stop")


class Bench:
    """A keeper whose jobs work until they are stopped, and how each was stopped."""

    def __init__(self) -> None:
        self.leases = ScriptedLeases()
        self.clock = HeldClock(NOW)
        self.keeper = Keeper(self.leases, self.work, self.clock, RHYTHM)
        self.contexts: dict[str, calls.CallContext] = {}
        self.ended: dict[str, object] = {}
        self.failing: AssayError | None = None
        self.over: dict[int, asyncio.Event] = {}

    async def work(self, lease: Lease) -> None:
        self.contexts[lease.job_id] = calls.current()
        try:
            if self.failing is not None:
                raise self.failing
            await self.over.setdefault(lease.token, asyncio.Event()).wait()
        except asyncio.CancelledError as error:
            self.ended[lease.job_id] = error.args
            raise

    async def turn(self) -> None:
        """Let every task run as far as it can."""
        for _ in range(10):
            await asyncio.sleep(0)


@pytest.fixture
def bench() -> Bench:
    return Bench()


async def test_what_it_holds_is_renewed_when_it_is_time(bench: Bench) -> None:
    await bench.keeper.look()
    await bench.keeper.begin(lease("one"))
    bench.clock.advance(0.9)
    await bench.keeper.look()
    assert bench.leases.renewed == []
    bench.clock.advance(0.1)
    await bench.keeper.look()
    assert bench.leases.renewed == [{"one"}]
    bench.clock.advance(0.5)
    await bench.keeper.look()
    assert len(bench.leases.renewed) == 1
    await bench.keeper.stop()


async def test_an_abandoned_job_is_claimed_and_worked_on_for_its_tenant(bench: Bench) -> None:
    bench.leases.around = waiting("one", "two")
    bench.leases.lost = {"two"}
    await bench.keeper.look()
    await bench.turn()
    assert bench.leases.claimed == ["one", "two"]
    assert list(bench.contexts) == ["one"], "another planner was faster with the second"
    here = bench.contexts["one"]
    assert (here.tenant, here.request_id) == ("tenant of one", "one")
    assert 29 < here.seconds_left(180.0) <= 30
    await bench.keeper.look()
    assert bench.leases.claimed == ["one", "two", "two"], "what runs here is not claimed again"
    await bench.keeper.stop()


async def test_a_job_that_was_lost_is_let_go_and_not_cancelled(bench: Bench) -> None:
    await bench.keeper.begin(lease("kept"))
    await bench.keeper.begin(lease("lost"))
    await bench.turn()
    bench.leases.lost = {"lost"}
    bench.clock.advance(1)
    await bench.keeper.look()
    await bench.turn()
    assert list(bench.ended) == ["lost"]
    assert bench.ended["lost"] != (CANCEL,)
    await bench.keeper.stop()


async def test_a_wish_to_stop_is_carried_out_once(bench: Bench) -> None:
    await bench.keeper.begin(lease("one"))
    await bench.turn()
    bench.leases.around = Lookout(cancelled=("one",))
    await bench.keeper.look()
    await bench.keeper.look()
    await bench.turn()
    assert bench.ended == {"one": (CANCEL,)}


async def test_stopping_releases_every_job_at_once_and_takes_no_more(bench: Bench) -> None:
    await bench.keeper.start()
    await bench.keeper.begin(lease("one"))
    await bench.turn()
    await bench.keeper.stop()
    assert bench.leases.released == [lease("one")]
    assert bench.ended["one"] != (CANCEL,)
    await bench.keeper.begin(lease("late"))
    assert bench.leases.released == [lease("one"), lease("late")]
    assert "late" not in bench.contexts


@pytest.mark.parametrize(
    "failing", [LeaseLostError("one"), AssayError(SERVICE_UNAVAILABLE, "the database is away")]
)
async def test_a_job_that_cannot_be_written_is_let_go(bench: Bench, failing: AssayError) -> None:
    bench.failing = failing
    await bench.keeper.begin(lease("one"))
    await bench.turn()
    assert bench.leases.released == [lease("one")]
    bench.failing = None
    bench.leases.around = waiting("one")
    await bench.keeper.look()
    assert bench.leases.claimed == ["one"]
    await bench.keeper.stop()


async def test_a_job_begun_anew_is_not_forgotten_when_its_earlier_run_ends(bench: Bench) -> None:
    await bench.keeper.begin(lease("one", token=1))
    await bench.turn()
    await bench.keeper.begin(lease("one", token=2))
    bench.over[1].set()
    await bench.turn()
    assert bench.leases.released == [lease("one", token=1)]
    bench.leases.around = waiting("one")
    await bench.keeper.look()
    assert bench.leases.claimed == []
    await bench.keeper.stop()


async def test_a_database_that_is_away_is_asked_again_later(bench: Bench) -> None:
    bench.leases.away = True
    await bench.keeper.look()
    bench.leases.away = False
    bench.leases.around = waiting("one")
    await bench.keeper.look()
    assert bench.leases.claimed == ["one"]
    await bench.keeper.stop()


def test_a_lease_holds_until_its_time_is_over() -> None:
    assert held(lease_until=13.0, seconds=3.0, now=10.0)
    assert held(lease_until=13.0, seconds=3.0, now=12.9)
    assert not held(lease_until=13.0, seconds=3.0, now=13.0)


def test_a_lease_of_before_the_clock_began_anew_holds_no_longer() -> None:
    assert not held(lease_until=100_000.0, seconds=3.0, now=60.0)


def test_a_job_s_time_runs_from_its_first_claim_and_is_never_more_than_it_was_given() -> None:
    assert time_left(None, 30, now=100.0) == 30
    assert time_left(130.0, 30, now=110.0) == 20
    assert time_left(130.0, 30, now=200.0) == 0
    assert time_left(100_000.0, 30, now=5.0) == 30


FULL = AssayError(DISK_FULL, "the disk is full: /data/planner.sqlite could not be written")


async def test_a_job_of_which_nothing_can_be_stored_is_tried_ever_more_rarely(
    bench: Bench,
) -> None:
    bench.leases.around = waiting("one")
    bench.failing = FULL
    tries = []
    for _ in range(600):
        before = len(bench.leases.claimed)
        await bench.keeper.look()
        await bench.turn()
        tries.append(len(bench.leases.claimed) - before)
        bench.clock.advance(0.5)
    assert sum(tries[:20]) <= 6
    assert 8 <= sum(tries) <= 20, "in five minutes; never given up"
    bench.failing = None
    bench.clock.advance(30.0)
    await bench.keeper.look()
    await bench.turn()
    bench.over[1].set()
    await bench.turn()
    await bench.keeper.look()
    assert bench.leases.claimed[-2:] == ["one", "one"], "its count has begun anew"
    await bench.keeper.stop()


async def test_who_watches_is_told_after_the_time_of_a_job_whose_end_cannot_be_stored(
    bench: Bench,
) -> None:
    bench.failing = FULL
    await bench.keeper.begin(lease("one"))
    await bench.turn()
    assert bench.keeper.given_up("one") is None
    bench.clock.advance(30.0)
    assert bench.keeper.given_up("one") is None, "its end may still be stored"
    bench.clock.advance(GRACE_SECONDS)
    told = bench.keeper.given_up("one")
    assert told is not None
    assert told.reason is DISK_FULL
    assert "/data/planner.sqlite" in told.message
    assert bench.keeper.given_up("two") is None
    await bench.keeper.stop()


async def test_a_job_that_cannot_even_be_claimed_is_given_up_after_the_longest_time_a_job_may_have(
    bench: Bench,
) -> None:
    async def refuse(job_id: str) -> Lease | None:
        raise FULL

    bench.leases.around = waiting("one")
    bench.leases.claim = refuse  # type: ignore[method-assign]
    await bench.keeper.look()
    assert bench.keeper.given_up("one") is None
    bench.clock.advance(MAX_TIMEOUT_SECONDS + GRACE_SECONDS)
    assert bench.keeper.given_up("one") is not None
    await bench.keeper.stop()


async def test_one_that_cannot_be_claimed_is_given_up_when_its_own_time_is_over(
    bench: Bench,
) -> None:
    async def refuse(job_id: str) -> Lease | None:
        raise FULL

    bench.leases.around = Lookout(Queue((Waiting("one", "ann", left=15.0),)))
    bench.leases.claim = refuse  # type: ignore[method-assign]
    await bench.keeper.look()
    bench.clock.advance(15.0)
    assert bench.keeper.given_up("one") is None
    bench.clock.advance(GRACE_SECONDS)
    assert bench.keeper.given_up("one") is not None
