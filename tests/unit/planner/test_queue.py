"""Whose turn it is, who is refused, and what those who wait are told."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from mesh.errors import QUEUE_FULL
from services.planner.domain.jobs.queue import Limits, Queue, Waiting, in_turn, place

ARRIVALS = st.lists(st.sampled_from("abcd"), min_size=1, max_size=40)


def order(jobs: list[Waiting], at_work: dict[str, int] | None = None) -> list[str]:
    return [job.job_id for job in in_turn(jobs, at_work or {}, {})]


def test_one_job_is_not_behind_all_that_another_tenant_asked_for_before() -> None:
    flood = [Waiting(f"a{n}", "ann", waited=100 - n) for n in range(5)]
    assert order([*flood, Waiting("b", "bob", waited=1)])[:3] == ["a0", "b", "a1"]


def test_who_has_less_at_work_goes_first_and_what_was_begun_before_goes_before_all() -> None:
    jobs = [
        Waiting("old", "ann", waited=50),
        Waiting("new", "bob", waited=1),
        Waiting("again", "ann", waited=2, begun=True),
    ]
    assert order(jobs, {"ann": 1}) == ["again", "new", "old"]


def test_among_equals_the_tenant_that_was_idle_for_longest_goes_first() -> None:
    jobs = [Waiting("a", "ann", waited=50), Waiting("b", "bob", waited=10)]
    assert [j.job_id for j in in_turn(jobs, {}, {"ann": 5.0})] == ["b", "a"]
    assert [j.job_id for j in in_turn(jobs, {}, {"ann": 20.0})] == ["a", "b"]


@given(ARRIVALS)
def test_everybody_who_waits_has_one_place_and_one_tenant_s_jobs_stay_in_order(
    tenants: list[str],
) -> None:
    jobs = [Waiting(f"{n:02}", tenant, waited=100.0 - n) for n, tenant in enumerate(tenants)]
    ordered = in_turn(jobs, {}, {})
    assert sorted(job.job_id for job in ordered) == sorted(job.job_id for job in jobs)
    for tenant in set(tenants):
        mine = [job.job_id for job in ordered if job.tenant == tenant]
        assert mine == sorted(mine)


@given(ARRIVALS, st.integers(1, 3), st.data())
def test_nobody_starves(tenants: list[str], slots: int, data: st.DataObject) -> None:
    """While a tenant with nothing at work waits, each other tenant is begun at most once."""
    now = 0.0
    begun: dict[str, float] = {}
    waiting: dict[str, tuple[str, float]] = {}
    at_work: list[str] = []
    passed: dict[str, Counter[str]] = {}
    coming = [(f"{n:02}", tenant) for n, tenant in enumerate(tenants)]
    while coming or waiting:
        now += 1.0
        if coming and (not waiting or data.draw(st.booleans())):
            job_id, tenant = coming.pop(0)
            waiting[job_id] = (tenant, now)
        elif len(at_work) < slots:
            busy = Counter(at_work)
            idle = {tenant: now - when for tenant, when in begun.items()}
            jobs = [Waiting(i, t, waited=now - since) for i, (t, since) in waiting.items()]
            first = in_turn(jobs, busy, idle)[0]
            del waiting[first.job_id]
            begun[first.tenant] = now
            at_work.append(first.tenant)
            passed.pop(first.tenant, None)
            for tenant in {tenant for tenant, _ in waiting.values()} - {first.tenant}:
                if not busy[tenant]:
                    passed.setdefault(tenant, Counter())[first.tenant] += 1
                    assert passed[tenant][first.tenant] == 1
        else:
            at_work.pop(data.draw(st.integers(0, len(at_work) - 1)))


def queue(*tenants: str, at_work: int = 2) -> Queue:
    return Queue(tuple(Waiting(f"{n}", t) for n, t in enumerate(tenants)), at_work)


LIMITS = Limits(at_once=2, waiting=4, tenant_share=0.5, wait_seconds=100)


def test_a_full_queue_refuses_and_says_when_to_ask_again() -> None:
    assert LIMITS.refusal(queue("a", "b", "c"), {}, "d", 1.0) is None
    refusal = LIMITS.refusal(queue("a", "b", "c", "d"), {}, "e", 10.0)
    assert refusal is not None
    assert refusal.reason is QUEUE_FULL
    assert refusal.retry_seconds == 12.5, "half of what the queue takes"
    assert LIMITS.refusal(queue("a", "b"), {"c": 2}, "d", 1.0) is not None, "some are arriving"


def test_one_tenant_cannot_fill_the_queue() -> None:
    assert LIMITS.refusal(queue("a", "a"), {}, "a", 1.0) is not None
    assert LIMITS.refusal(queue("a", "a"), {}, "b", 1.0) is None


def test_free_slots_are_room_too() -> None:
    assert LIMITS.refusal(queue(at_work=0), {"a": 3}, "a", 1.0) is None


def test_what_could_not_be_begun_in_time_is_refused() -> None:
    assert LIMITS.refusal(queue("a"), {}, "b", 60.0) is None
    refusal = LIMITS.refusal(queue("a", "b", "c"), {}, "d", 60.0)
    assert refusal is not None
    assert "longer than jobs may" in refusal.message


def test_a_place_is_told_in_words() -> None:
    first, second = (place(queue("a", "b"), job_id, LIMITS, 8.0) for job_id in "01")
    assert str(first) == "waiting: it is next, about 4 s"
    assert str(second) == "waiting: 1 job is before it, about 8 s"
    assert place(queue("a"), "9", LIMITS, 8.0) is None


def test_a_job_that_is_late_or_waited_too_long_is_only_ended() -> None:
    limits = Limits(wait_seconds=120.0)
    assert not limits.overdue(Waiting("a", "ann", waited=100.0))
    assert limits.overdue(Waiting("a", "ann", waited=121.0))
    assert not limits.overdue(Waiting("a", "ann", waited=121.0, begun=True))
    assert limits.overdue(Waiting("a", "ann", waited=2.0, left=0.0))
    assert limits.overdue(Waiting("a", "ann", begun=True, left=-1.0))
