"""Who asks and how long there is, along every call."""

from __future__ import annotations

import asyncio
import time

from mesh import context as calls


def test_outside_any_call_there_is_the_local_tenant_and_no_limit() -> None:
    assert calls.current() == calls.CallContext()
    assert calls.current().tenant == "local"
    assert calls.current().seconds_left(240) == 240


def test_a_context_holds_inside_its_block_only() -> None:
    with calls.entered(calls.CallContext(tenant="ann", request_id="a" * 32)) as entered:
        assert calls.current() is entered
        with calls.changed(service="planner"):
            assert calls.current().tenant == "ann"
            assert calls.current().service == "planner"
        assert calls.current() is entered
    assert calls.current().tenant == "local"


def test_time_can_only_be_shortened() -> None:
    with calls.changed(seconds=10):
        with calls.changed(seconds=100):
            assert 9 < calls.current().seconds_left(240) <= 10
        with calls.changed(seconds=1):
            assert calls.current().seconds_left(240) <= 1
        assert calls.current().seconds_left(240) > 9


def test_time_that_is_over_is_nothing_not_less() -> None:
    with calls.entered(calls.CallContext(deadline=time.monotonic() - 5)):
        assert calls.current().seconds_left(240) == 0.0


async def test_a_task_keeps_the_context_it_was_started_in() -> None:
    async def tenant() -> str:
        await asyncio.sleep(0)
        return calls.current().tenant

    with calls.changed(tenant="ann"):
        task = asyncio.create_task(tenant())
    assert await task == "ann"
