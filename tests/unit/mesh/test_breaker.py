"""The circuit breaker on a clock that tests hold."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from mesh.clock import HeldClock
from mesh.transport.breaker import Breaker, BreakerState

MOST, REST = 3, 10.0


def breaker() -> tuple[Breaker, HeldClock]:
    clock = HeldClock(datetime(2026, 1, 1, tzinfo=UTC))
    return Breaker(MOST, REST, clock), clock


def opened() -> tuple[Breaker, HeldClock]:
    found, clock = breaker()
    for _ in range(MOST):
        assert found.admits()
        found.failed()
    return found, clock


def test_a_peer_that_fails_now_and_then_is_always_asked() -> None:
    found, _ = breaker()
    for _ in range(20):
        for _ in range(MOST - 1):
            assert found.admits()
            found.failed()
        assert found.admits()
        found.succeeded()
    assert found.state is BreakerState.CLOSED


def test_a_peer_that_failed_too_often_rests() -> None:
    found, clock = opened()
    assert found.state is BreakerState.OPEN
    assert not found.admits()
    clock.advance(REST - 0.001)
    assert not found.admits()
    assert 0 < found.seconds_left < 0.01


def test_after_its_rest_one_call_at_a_time_tries_it() -> None:
    found, clock = opened()
    clock.advance(REST)
    assert found.state is BreakerState.HALF_OPEN
    assert [found.admits() for _ in range(5)] == [True, False, False, False, False]


def test_a_probe_that_succeeds_lets_everybody_through() -> None:
    found, clock = opened()
    clock.advance(REST)
    assert found.admits()
    found.succeeded()
    assert all(found.admits() for _ in range(5))


def test_a_probe_that_fails_begins_another_rest() -> None:
    found, clock = opened()
    clock.advance(REST)
    assert found.admits()
    clock.advance(1.0)
    found.failed()
    clock.advance(REST - 0.001)
    assert not found.admits()
    clock.advance(0.002)
    assert found.admits()


def test_a_probe_that_never_tells_how_it_went_is_followed_by_another() -> None:
    found, clock = opened()
    clock.advance(REST)
    assert found.admits()
    clock.advance(REST)
    assert found.admits()


events = st.lists(
    st.one_of(st.sampled_from(["ask", "succeeded", "failed"]), st.floats(0.0, 2 * REST)),
    max_size=80,
)


@given(events)
def test_whatever_happens_it_follows_its_rules(happenings: list[str | float]) -> None:
    found, clock = breaker()
    in_a_row, refused_until = 0, 0.0
    for happening in happenings:
        now = clock.monotonic()
        if isinstance(happening, float):
            clock.advance(happening)
        elif happening == "ask":
            admitted = found.admits()
            assert admitted == (in_a_row < MOST or now >= refused_until)
            if admitted and in_a_row >= MOST:
                refused_until = now + REST
        elif happening == "succeeded":
            found.succeeded()
            in_a_row = 0
        else:
            found.failed()
            in_a_row += 1
            refused_until = now + REST
        assert (found.state is BreakerState.CLOSED) == (in_a_row < MOST)
        assert 0.0 <= found.seconds_left <= REST


@given(st.lists(st.floats(0.0, 3.0), min_size=1, max_size=200))
def test_a_dead_peer_is_tried_at_most_once_a_rest(gaps: list[float]) -> None:
    found, clock = opened()
    tries = 0
    for gap in gaps:
        clock.advance(gap)
        if found.admits():
            tries += 1
            found.failed()
    assert tries <= sum(gaps) / REST


@given(events)
def test_a_peer_that_is_back_is_asked_again_within_a_rest(before: list[str | float]) -> None:
    found, clock = breaker()
    for happening in before:
        if isinstance(happening, float):
            clock.advance(happening)
        elif happening == "ask":
            found.admits()
        else:
            getattr(found, happening)()
    clock.advance(REST)
    assert found.admits()
    found.succeeded()
    assert found.state is BreakerState.CLOSED
