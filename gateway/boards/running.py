"""Boards by themselves: due ones are asked for again, runs that ended are settled. One step at a
time, so that tests hold the clock; any number of gateways may do it at once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta

from gateway.boards.owners import PinOwners
from gateway.boards.ports import BoardJobs, RunStore
from gateway.domain.board import Pin, Result, Run, RunState
from gateway.domain.board_meaning import in_sentences, judge
from mesh import context as calls
from mesh.clock import Clock
from mesh.context import Established
from mesh.errors import AssayError, Kind
from mesh.roles import Role

MOST_BOARDS, MOST_RUNS = 20, 100
"""In one step."""

SECONDS = 60.0
"""How long one job is asked for or about."""

LONGEST_WAIT = timedelta(hours=1)
"""After this a run that cannot be asked for counts as failed."""

# What may go well when it is tried again; all else is what came of the run.
_PASSING = (Kind.UNAVAILABLE, Kind.LIMIT, Kind.CANCELLED, Kind.INTERNAL)

log = logging.getLogger("assay.gateway")


class BoardRuns:
    """Takes the boards of all tenants further."""

    def __init__(self, store: RunStore, jobs: BoardJobs, owners: PinOwners, clock: Clock) -> None:
        self._store = store
        self._jobs = jobs
        self._owners = owners
        self._clock = clock

    async def step(self) -> None:
        """Claim what is due, submit what was claimed, settle what has ended.

        What was claimed by a gateway that died is submitted by the next, and what it submitted is
        settled by the next.
        """
        await self._claim()
        for pin, run in await self._store.under_way(RunState.DUE, MOST_RUNS):
            await self._tried(pin, run, self._submit)
        for pin, run in await self._store.under_way(RunState.RUNNING, MOST_RUNS):
            await self._tried(pin, run, self._settle)

    async def submit_of(self, board_id: str) -> None:
        """Submit what is due of one board, without waiting for the next step."""
        for pin, run in await self._store.under_way(RunState.DUE, MOST_RUNS, board_id):
            await self._tried(pin, run, self._submit)

    async def _claim(self) -> None:
        now = self._clock.now()
        for board in await self._store.due(now, MOST_BOARDS):
            await self._owners.review(board.board_id)
            # What was missed while no gateway ran is made up for once.
            await self._store.claim(board, board.schedule.next_after(now), now)

    async def _tried(self, pin: Pin, run: Run, work: Callable[[Pin, Run], Awaitable[None]]) -> None:
        with _on_behalf(pin, run):
            try:
                await work(pin, run)
            except AssayError as error:
                log.warning("run %s of a board is tried again: %s", run.run_id, error)
                await self._store.seen(run.run_id, self._clock.now())
            except Exception:
                # One that breaks this must not keep the others from being seen to.
                log.exception("run %s of a board cannot be taken further", run.run_id)
                await self._store.seen(run.run_id, self._clock.now())

    async def _submit(self, pin: Pin, run: Run) -> None:
        try:
            await self._owners.check(pin)
            await self._jobs.submit(pin, run.run_id)
        except AssayError as error:
            waited = self._clock.now() - run.due_at
            if error.reason.kind in _PASSING and waited < LONGEST_WAIT:
                raise
            words = in_sentences(error.message, error.remedy)
            await self._end(run, Result(reason=error.reason.code, failure=words))
            return
        await self._store.seen(run.run_id, self._clock.now(), running=True)

    async def _settle(self, pin: Pin, run: Run) -> None:
        result = await self._jobs.result(run.job_id)
        if result is None:
            await self._store.seen(run.run_id, self._clock.now())
        else:
            await self._end(run, result)

    async def _end(self, run: Run, result: Result) -> None:
        now = self._clock.now()
        await self._store.settle(
            run, lambda held, pin, before, base: judge(held, result, now, pin, before, base)
        )


@contextmanager
def _on_behalf(pin: Pin, run: Run) -> Iterator[None]:
    """As the mesh, on behalf of the tenant and user that pinned the answer."""
    here = replace(
        calls.current(),
        tenant=pin.tenant,
        user=pin.pinned_by,
        request_id=run.run_id,
        how=Established.MESH,
        role=Role.ANALYST,
    )
    with calls.entered(here), calls.changed(seconds=SECONDS):
        yield


async def repeat(
    step: Callable[[], Awaitable[None]], seconds: float, wake: asyncio.Event, what: str
) -> None:
    """One step after the other; sooner when woken. What goes wrong is told, and tried again."""
    while True:
        wake.clear()
        try:
            await step()
        except Exception:
            log.exception("%s; the next step tries again", what)
        try:
            await asyncio.wait_for(wake.wait(), seconds)
        except TimeoutError:
            continue
