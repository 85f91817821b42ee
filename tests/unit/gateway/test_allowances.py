"""What one tenant may call, and that another is not held to it."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import UTC, datetime

import pytest

from gateway.admission import allowances as app_allowances
from gateway.admission.allowances import Allowances
from gateway.domain.allowance import CallLimits
from mesh.clock import HeldClock
from mesh.context import Established, Principal
from mesh.errors import RATE_EXCEEDED, AssayError

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ANN = Principal("ann", "ann", Established.KEY)
BOB = Principal("bob", "bob", Established.NAMED)


@pytest.fixture
def clock() -> HeldClock:
    return HeldClock(NOON)


def taken(allowances: Allowances, who: Principal, times: int = 1) -> int:
    """How many of so many calls, one after another, are let in."""
    let_in = 0
    for _ in range(times):
        try:
            with allowances.taken(who):
                let_in += 1
        except AssayError as error:
            assert error.reason is RATE_EXCEEDED
    return let_in


def refused(allowances: Allowances, who: Principal) -> AssayError:
    with pytest.raises(AssayError) as told, allowances.taken(who):
        pass
    assert told.value.reason is RATE_EXCEEDED
    return told.value


def test_a_burst_is_let_in_and_then_so_many_a_second(clock: HeldClock) -> None:
    allowances = Allowances(CallLimits(per_second=10, burst=20), clock)
    assert taken(allowances, ANN, 50) == 20
    clock.advance(1.0)
    assert taken(allowances, ANN, 50) == 10
    clock.advance(3600.0)
    assert taken(allowances, ANN, 50) == 20, "what was not used is kept up to a burst"


def test_the_time_that_a_refusal_names_is_long_enough_and_no_longer(clock: HeldClock) -> None:
    allowances = Allowances(CallLimits(per_second=4, burst=1), clock)
    assert taken(allowances, ANN) == 1
    told = refused(allowances, ANN).retry_seconds
    assert told == pytest.approx(0.25)
    clock.advance(0.2)
    refused(allowances, ANN)
    clock.advance(0.06)
    assert taken(allowances, ANN) == 1


def test_another_tenant_is_not_held_to_what_one_used(clock: HeldClock) -> None:
    allowances = Allowances(CallLimits(per_second=1, burst=3, under_way=2), clock)
    assert taken(allowances, ANN, 5) == 3
    assert taken(allowances, BOB, 5) == 3


def test_calls_under_way_are_counted_until_they_end_however_that_is(clock: HeldClock) -> None:
    allowances = Allowances(CallLimits(under_way=2), clock)
    with ExitStack() as streams:
        streams.enter_context(allowances.taken(ANN))
        streams.enter_context(allowances.taken(ANN))
        assert "2 calls of yours are under way" in refused(allowances, ANN).message
        assert taken(allowances, BOB) == 1
    with pytest.raises(RuntimeError), allowances.taken(ANN):
        raise RuntimeError
    assert taken(allowances, ANN, 9) == 9


def test_without_limits_and_over_the_users_own_socket_nobody_is_refused(clock: HeldClock) -> None:
    assert taken(Allowances(CallLimits(), clock), ANN, 1_000) == 1_000
    own = Principal("ann", "ann", Established.SOCKET)
    limited = Allowances(CallLimits(per_second=1, burst=1, under_way=1), clock)
    assert taken(limited, own, 1_000) == 1_000


def test_tenants_who_are_idle_are_forgotten_and_those_who_are_not_are_not(
    clock: HeldClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app_allowances, "MOST_TENANTS", 3)
    allowances = Allowances(CallLimits(per_second=1, burst=2), clock)
    assert taken(allowances, ANN, 2) == 2
    for number in range(50):
        clock.advance(0.001)
        taken(allowances, Principal(f"t{number}", "x", Established.KEY))
        clock.advance(0.001)
    assert len(allowances._used) > 3, "none of them is idle yet, and none is forgotten"
    refused(allowances, ANN)
    clock.advance(10.0)
    taken(allowances, BOB)
    assert len(allowances._used) == 1
