"""How long a lease holds, and what a job has left of its time, by a clock that may begin anew."""

from __future__ import annotations

import pytest

from mesh.errors import SERVICE_UNAVAILABLE
from services.planner.domain.jobs.lease import Lease, LeaseLostError, Lookout, held, time_left
from services.planner.domain.jobs.queue import Queue, Waiting


@pytest.mark.parametrize(
    ("until", "holds"),
    [(100.0, False), (100.5, True), (103.0, True), (103.5, False), (99.0, False)],
)
def test_a_lease_of_three_seconds_holds_for_no_more_than_three(until: float, holds: bool) -> None:
    assert held(until, 3.0, now=100.0) is holds


def test_a_job_has_all_its_time_until_it_is_begun() -> None:
    assert time_left(None, 60.0, now=1_000.0) == 60.0


@pytest.mark.parametrize(
    ("now", "left"), [(100.0, 60.0), (115.0, 45.0), (160.0, 0.0), (200.0, 0.0), (0.0, 60.0)]
)
def test_a_job_never_has_less_than_no_time_nor_more_than_it_was_given(
    now: float, left: float
) -> None:
    assert time_left(160.0, 60.0, now) == left


def test_what_nobody_works_on_is_told_in_the_order_in_which_it_is_begun() -> None:
    waiting = tuple(Waiting(name, "ann", 1.0, False, False) for name in ("b", "a"))
    assert Lookout(Queue(waiting)).abandoned == ("b", "a")
    assert Lookout() == Lookout(Queue(), ())


def test_a_lease_is_a_fact_that_nobody_changes() -> None:
    lease = Lease("j" * 32, "ann", "o" * 32, 1, 60.0)
    assert (lease.cancel_requested, lease.waited_seconds) == (False, 0.0)


def test_who_lost_a_lease_is_told_to_ask_again_and_of_which_job() -> None:
    lost = LeaseLostError("0123456789abcdef")
    assert lost.reason is SERVICE_UNAVAILABLE
    assert lost.message == "job 01234567 went on with another planner"
    assert lost.hint == "Ask again."
