"""Where boards are kept, what runs need of the mesh, and how alerts leave it, as protocols."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from gateway.domain.board import Alert, Board, Delivery, Pin, PinShown, Result, Run, RunState
from gateway.domain.board_meaning import Judged
from gateway.domain.session import SessionFile

Judge = Callable[[Run, Pin, Run | None, Run | None], Judged]
"""Of a run, its pin, the answer before, and the one that its meaning is compared with."""


@dataclass(frozen=True, slots=True)
class Pinnable:
    """A job that can be pinned: its request as JSON, what was asked, and what came of it. It reads
    the uploads `file_ids`, and tables of `session_id` where that is set."""

    job_id: str
    question: str
    request: str
    session_id: str
    file_ids: tuple[str, ...]
    result: Result
    ended_at: datetime


@dataclass(frozen=True, slots=True)
class Sending:
    """An alert on its way, with what is told of it."""

    delivery: Delivery
    alert: Alert
    board: Board
    pin: Pin | None
    run: Run | None


class BoardStore(Protocol):
    """Boards in tables; every method is one transaction and names the tenant."""

    async def create(self, new: Board) -> Board:
        """Store a board, or give the one that the tenant has under its id already.

        Raises AssayError: NOT_FOUND for another tenant's id, RESOURCE_EXHAUSTED.
        """
        ...

    async def get(self, tenant: str, board_id: str) -> Board | None:
        """A board of the tenant's with its pins, their newest runs and its newest alerts."""
        ...

    async def page(self, tenant: str, size: int, token: str) -> tuple[list[Board], str]:
        """A tenant's boards without pins, newest first, and the token of the next page.

        Raises AssayError(INVALID_ARGUMENT) for a token that was never given.
        """
        ...

    async def update(
        self, tenant: str, board_id: str, change: Callable[[Board], Board]
    ) -> Board | None:
        """Change a board as it stands in that moment; None where the tenant has no such."""
        ...

    async def delete(self, tenant: str, board_id: str) -> bool:
        """Delete a board with all that hangs on it; whether there was one."""
        ...

    async def pin(self, new: Pin, first: Run, change: Callable[[Board], Board]) -> Pin | None:
        """Store a pin with its first run, or give the one that the tenant has under its id; None
        where the tenant has no such board.

        Raises AssayError: NOT_FOUND for another tenant's id, RESOURCE_EXHAUSTED.
        """
        ...

    async def get_pin(self, tenant: str, pin_id: str) -> PinShown | None:
        """A pin of the tenant's with its newest runs."""
        ...

    async def update_pin(
        self, tenant: str, pin_id: str, change: Callable[[Board, PinShown], tuple[Board, PinShown]]
    ) -> PinShown | None:
        """Change a pin, its newest answer and its board as they stand in that moment."""
        ...

    async def unpin(
        self, tenant: str, pin_id: str, now: datetime, change: Callable[[Board, Pin], Board]
    ) -> bool:
        """Take a pin off its board; whether there was one."""
        ...

    async def runs(
        self, tenant: str, pin_id: str, size: int, token: str
    ) -> tuple[list[Run], str] | None:
        """The history of a pin, newest first, and the token of the next page; None where the
        tenant has no such. Raises AssayError(INVALID_ARGUMENT)."""
        ...


class VersionStore(Protocol):
    """What was set of boards before, each method in one transaction."""

    async def at(self, tenant: str, board_id: str, version: int) -> Board | None:
        """A board of the tenant's with its pins as they were set in a version, without runs; None
        where there is no such, or it is not kept."""
        ...

    async def restore(
        self, tenant: str, board_id: str, former: Board, change: Callable[[Board], Board]
    ) -> Board | None:
        """Change a board, and have its pins be those of `former`, set as they are there; None
        where the tenant has no such board."""
        ...

    async def sweep(self, before: datetime) -> None:
        """Forget pins that were taken off before a moment, with their history."""
        ...


class RunStore(Protocol):
    """Runs of all tenants, as gateways take them further: each step is taken by one."""

    async def due(self, now: datetime, most: int) -> list[Board]:
        """Boards whose time has come."""
        ...

    async def pins(self, board_id: str) -> list[Pin]:
        """The pins of a board."""
        ...

    async def pause(self, pin: Pin, why: str, now: datetime) -> None:
        """Have a pin not asked any more, and tell so once; without `why` have it asked again. One
        whose owner is another by now stays as it is."""
        ...

    async def claim(self, board: Board, following: datetime | None, now: datetime) -> int | None:
        """Note runs of a due board's pins that are not paused; None where another gateway did."""
        ...

    async def start(self, tenant: str, board_id: str, now: datetime) -> bool:
        """Note runs of a board now; whether the tenant has such a one."""
        ...

    async def under_way(
        self, state: RunState, most: int, board_id: str = ""
    ) -> list[tuple[Pin, Run]]:
        """Runs that are due or running, those first that were not seen to for the longest time."""
        ...

    async def seen(self, run_id: str, now: datetime, *, running: bool = False) -> None:
        """Note that a run was seen to, or that its job is under way."""
        ...

    async def settle(self, run: Run, judge: Judge) -> Judged | None:
        """End a run with its alerts; None where another gateway did."""
        ...


class AlertStore(Protocol):
    """Alerts of all tenants on their way; each try is made by one gateway."""

    async def to_send(self, now: datetime, most: int) -> list[Sending]:
        """Alerts on their way whose time has come."""
        ...

    async def claim_delivery(self, one: Delivery, again_at: datetime) -> bool:
        """Take a delivery for this try; another gateway may from `again_at` on."""
        ...

    async def delivered(self, one: Delivery, try_at: datetime, *, recorded: bool = False) -> None:
        """Note what became of a try, and whether the audit log has it."""
        ...


class PinFiles(Protocol):
    """Uploads that outlive their sessions."""

    async def of(self, pin_id: str) -> dict[str, SessionFile]:
        """The files of a pin, by the ids that its request names."""
        ...


class BoardJobs(Protocol):
    """The planner and executor, as far as boards are concerned."""

    async def submit(self, pin: Pin, run_id: str) -> None:
        """Make a job of a pin's request, on behalf of who pinned it. Repeating it makes no second.

        Raises AssayError, retryable where trying again later helps.
        """
        ...

    async def result(self, job_id: str) -> Result | None:
        """What a job of the caller's came to; None while it is under way. Raises AssayError."""
        ...


class AlertSender(Protocol):
    """Ways out of the mesh."""

    def check(self, channel: str, target: str) -> None:
        """Raises AssayError(INVALID_ARGUMENT) for what the operator does not allow."""
        ...

    async def send(self, one: Sending) -> None:
        """Send an alert. Raises AssayError with why it was not taken."""
        ...


class AlertLog(Protocol):
    """The record of what was sent."""

    async def record(self, one: Sending) -> None:
        """Append once what became of a delivery. Raises AssayError."""
        ...
