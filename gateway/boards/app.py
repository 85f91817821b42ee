"""What the gateway does with boards when somebody asks: make, show, change, pin, refresh."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from gateway.admission.strangers import Strangers
from gateway.boards.owners import PinOwners
from gateway.boards.ports import AlertSender, BoardStore, Pinnable, RunStore
from gateway.boards.versions import check_version
from gateway.domain.board import (
    AlertKind,
    Board,
    Pin,
    PinShown,
    Range,
    Run,
    RunState,
    Targets,
    checked_range,
    checked_title,
)
from gateway.domain.board_meaning import accepted, is_outside, watched_by, watched_number
from gateway.domain.board_pause import taken_over
from gateway.domain.board_schedule import Schedule, checked_schedule
from gateway.domain.session import absent
from gateway.domain.standing import Known
from mesh import context as calls
from mesh.clock import Clock
from mesh.errors import ID_REUSED, INVALID_ARGUMENT, AssayError
from mesh.ids import new_id

MOST_EMAILS = 10
Find = Callable[[str, bool], Awaitable[Pinnable]]
"""A job of the caller's that can be pinned, by its id and whether the caller may name files of
this machine. Raises AssayError."""
MayAsk = Callable[[str, bool], None]
"""Whether one who may name files of this machine, or may not, may ask what a pin asks. Raises
AssayError(FILE_PATH_REFUSED)."""


@dataclass(frozen=True, slots=True)
class BoardEdit:
    """What is to be changed of a board; None leaves a thing as it is, version 0 is any."""

    title: str | None = None
    schedule: Schedule | None = None
    targets: Targets | None = None
    version: int = 0


@dataclass(frozen=True, slots=True)
class PinEdit:
    """What is to be changed of a pin; None leaves a thing as it is."""

    title: str | None = None
    range: Range | None = None
    accept_meaning: bool = False
    take_over: bool = False


class Boards:
    """The use cases of BoardService, for the caller of the running call."""

    def __init__(
        self,
        store: BoardStore,
        runs: RunStore,
        find: Find,
        may_ask: MayAsk,
        owners: PinOwners,
        sender: AlertSender,
        strangers: Strangers,
        clock: Clock,
    ) -> None:
        self._store = store
        self._runs = runs
        self._find = find
        self._may_ask = may_ask
        self._owners = owners
        self._sender = sender
        self._strangers = strangers
        self._clock = clock

    async def create(self, board_id: str, title: str) -> Board:
        """An empty board; repeating it gives the same. Raises AssayError."""
        title, caller = checked_title(title), calls.current()
        new = Board(board_id, caller.tenant, title, title, self._clock.now(), _user())
        with self._strangers.noticing("board", board_id):
            made = await self._store.create(new)
        if made.opened_title != title:
            raise _reused(board_id, "board of another title")
        return await self.get(board_id)

    async def get(self, board_id: str) -> Board:
        """A board with its pins. Raises AssayError(NOT_FOUND)."""
        with self._strangers.noticing("board", board_id):
            found = await self._store.get(calls.current().tenant, board_id)
            if found is None:
                raise absent("board", board_id)
        return found

    async def page(self, size: int, token: str) -> tuple[list[Board], str]:
        """The tenant's boards, newest first, and the token of the next page."""
        return await self._store.page(calls.current().tenant, size, token)

    async def update(self, board_id: str, edit: BoardEdit) -> Board:
        """Change a board. Raises AssayError: NOT_FOUND, BOARD_CHANGED, INVALID_ARGUMENT."""
        title = None if edit.title is None else checked_title(edit.title)
        schedule = None if edit.schedule is None else checked_schedule(edit.schedule)
        targets = None if edit.targets is None else self._checked_targets(edit.targets)
        now, by = self._clock.now(), _user()

        def change(board: Board) -> Board:
            check_version(board, edit.version)
            what: list[str] = []
            if title is not None and title != board.title:
                board, what = replace(board, title=title), ["title"]
            if schedule is not None and schedule != board.schedule:
                following = schedule.next_after(now)
                board = replace(board, schedule=schedule, next_run_at=following)
                what.append(f"schedule: {schedule.words()}")
            if targets is not None and targets != board.targets:
                board = replace(board, targets=targets)
                what.append("where alerts go")
            return board.changed(now, by, "; ".join(what)) if what else board

        with self._strangers.noticing("board", board_id):
            if await self._store.update(calls.current().tenant, board_id, change) is None:
                raise absent("board", board_id)
        return await self.get(board_id)

    async def delete(self, board_id: str) -> None:
        """Delete a board. Raises AssayError(NOT_FOUND)."""
        with self._strangers.noticing("board", board_id):
            if not await self._store.delete(calls.current().tenant, board_id):
                raise absent("board", board_id)

    async def pin(
        self, pin_id: str, board_id: str, job_id: str, title: str, watched: Range, *, local: bool
    ) -> PinShown:
        """Pin the answer of a job; repeating it gives the same pin. Raises AssayError."""
        wanted, now, by = checked_range(watched), self._clock.now(), _user()
        await self.get(board_id)
        found = await self._find(job_id, local)
        pin = Pin(
            pin_id=pin_id,
            board_id=board_id,
            tenant=calls.current().tenant,
            title=checked_title(title, found.question or found.result.understood or "Answer"),
            question=found.question,
            request=found.request,
            session_id=found.session_id,
            file_ids=found.file_ids,
            local=local,
            pinned_by=by,
            pinned_at=now,
            job_id=found.job_id,
            how=_how(),
            range=wanted,
        )
        first = _first_run(pin, found)
        if first.out_of_range:  # whoever pins it sees that
            pin = replace(pin, alerting=frozenset({AlertKind.OUT_OF_RANGE}))
        with self._strangers.noticing("pin", pin_id):
            made = await self._store.pin(
                pin,
                first,
                lambda board: board.changed(now, by, f"pinned: {pin.title}"),
            )
        if made is None:
            raise absent("board", board_id)
        if (made.board_id, made.job_id) != (board_id, found.job_id):
            raise _reused(pin_id, "pin of another answer")
        return await self._pin(pin_id)

    async def update_pin(self, pin_id: str, edit: PinEdit, *, local: bool) -> PinShown:
        """Change a pin. Raises AssayError: NOT_FOUND, INVALID_ARGUMENT, FILE_PATH_REFUSED."""
        title = None if edit.title is None else checked_title(edit.title)
        wanted = None if edit.range is None else checked_range(edit.range)
        now, by = self._clock.now(), _user()

        def change(board: Board, shown: PinShown) -> tuple[Board, PinShown]:
            pin, answer, what = shown.pin, shown.answer, list[str]()
            if title is not None and title != pin.title:
                what.append(f"title of {pin.title}")
                pin = replace(pin, title=title)
            if edit.range is not None and wanted != pin.range:
                pin, answer = watched_by(pin, wanted, answer)
                what.append(f"range of {pin.title}")
            if edit.accept_meaning and pin.changed:
                pin = accepted(pin)
                what.append(f"meaning of {pin.title} accepted")
            if edit.take_over:
                self._may_ask(pin.request, local)
                pin = taken_over(pin, by, _how(), local=local)
                what.append(f"taken over: {pin.title}")
            board = board.changed(now, by, "; ".join(what)) if what else board
            return board, replace(shown, pin=pin, answer=answer)

        with self._strangers.noticing("pin", pin_id):
            changed = await self._store.update_pin(calls.current().tenant, pin_id, change)
            if changed is None:
                raise absent("pin", pin_id)
        return changed

    async def unpin(self, pin_id: str) -> None:
        """Take a pin off its board. Raises AssayError(NOT_FOUND)."""
        now, by = self._clock.now(), _user()

        def change(board: Board, pin: Pin) -> Board:
            return board.changed(now, by, f"unpinned: {pin.title}")

        with self._strangers.noticing("pin", pin_id):
            if not await self._store.unpin(calls.current().tenant, pin_id, now, change):
                raise absent("pin", pin_id)

    async def refresh(self, board_id: str) -> Board:
        """Ask again for each pin that is not being asked for. Raises AssayError(NOT_FOUND)."""
        await self.get(board_id)
        await self._owners.review(board_id)
        with self._strangers.noticing("board", board_id):
            tenant = calls.current().tenant
            if not await self._runs.start(tenant, board_id, self._clock.now()):
                raise absent("board", board_id)
        return await self.get(board_id)

    async def history(self, pin_id: str, size: int, token: str) -> tuple[list[Run], str]:
        """What came of a pin, newest first. Raises AssayError: NOT_FOUND, INVALID_ARGUMENT."""
        with self._strangers.noticing("pin", pin_id):
            found = await self._store.runs(calls.current().tenant, pin_id, size, token)
            if found is None:
                raise absent("pin", pin_id)
        return found

    async def _pin(self, pin_id: str) -> PinShown:
        with self._strangers.noticing("pin", pin_id):
            found = await self._store.get_pin(calls.current().tenant, pin_id)
            if found is None:
                raise absent("pin", pin_id)
        return found

    def _checked_targets(self, given: Targets) -> Targets:
        """Raises AssayError(INVALID_ARGUMENT)."""
        emails = tuple(dict.fromkeys(one.strip() for one in given.emails if one.strip()))
        if len(emails) > MOST_EMAILS:
            raise AssayError(
                INVALID_ARGUMENT,
                f"alerts go to {MOST_EMAILS} addresses at most",
                fields={"alert_targets.emails": f"at most {MOST_EMAILS}"},
            )
        targets = Targets(given.webhook.strip(), emails)
        for channel, target in targets.all():
            self._sender.check(channel, target)
        return targets


def _first_run(pin: Pin, found: Pinnable) -> Run:
    """The answer that was pinned. Its id is one of its own: a job may be pinned more than once."""
    number = watched_number(found.result.numbers, pin.range)
    return Run(
        run_id=new_id(),
        job_id=found.job_id,
        pin_id=pin.pin_id,
        board_id=pin.board_id,
        due_at=found.ended_at,
        state=RunState.ANSWERED,
        ended_at=found.ended_at,
        result=found.result,
        number=number,
        out_of_range=is_outside(number, pin.range),
    )


def _user() -> str:
    here = calls.current()
    return here.user or here.tenant


def _how() -> Known:
    return Known(calls.current().how.value)


def _reused(request_id: str, what: str) -> AssayError:
    return AssayError(
        ID_REUSED,
        f"request id {request_id} was used before, for a {what}",
        fields={"request_id": "stands for something else already"},
    )
