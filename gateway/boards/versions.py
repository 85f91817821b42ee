"""Boards as they were before: seen, and had again."""

from __future__ import annotations

from dataclasses import replace

from gateway.admission.strangers import Strangers
from gateway.boards.ports import AlertSender, VersionStore
from gateway.domain.board import REMOVED_KEPT, Board
from gateway.domain.session import absent
from mesh import context as calls
from mesh.clock import Clock
from mesh.errors import BOARD_CHANGED, INVALID_ARGUMENT, NOT_FOUND, AssayError


class BoardVersions:
    """The use cases about versions of boards, for the caller of the running call."""

    def __init__(
        self, store: VersionStore, sender: AlertSender, strangers: Strangers, clock: Clock
    ) -> None:
        self._store = store
        self._sender = sender
        self._strangers = strangers
        self._clock = clock

    async def at(self, board_id: str, version: int) -> Board:
        """What was set of a board in a version. Raises AssayError(NOT_FOUND)."""
        with self._strangers.noticing("board", board_id):
            found = await self._store.at(calls.current().tenant, board_id, version)
            if found is None:
                raise AssayError(
                    NOT_FOUND,
                    f"there is no board {board_id}, or its version {version:,} is not kept",
                    hint="The board's changes say which versions are.",
                    fields={"version": "not kept"},
                )
        return found

    async def restore(self, board_id: str, version: int, from_version: int, by: str) -> None:
        """Have a board set as in a version. Raises AssayError: NOT_FOUND, BOARD_CHANGED.

        Alerts do not go where the operator does not allow it any more.
        """
        former, now = await self.at(board_id, version), self._clock.now()
        allowed = self._are_allowed(former)

        def change(board: Board) -> Board:
            check_version(board, from_version)
            targets = former.targets if allowed else board.targets
            set_again = replace(
                board,
                title=former.title,
                schedule=former.schedule,
                targets=targets,
                next_run_at=board.next_run_at
                if former.schedule == board.schedule
                else former.schedule.next_after(now),
            )
            return set_again.changed(now, by, _words(former, allowed))

        with self._strangers.noticing("board", board_id):
            tenant = calls.current().tenant
            if await self._store.restore(tenant, board_id, former, change) is None:
                raise absent("board", board_id)

    async def sweep(self) -> None:
        """Forget pins that were taken off long ago."""
        await self._store.sweep(self._clock.now() - REMOVED_KEPT)

    def _are_allowed(self, former: Board) -> bool:
        try:
            for channel, target in former.targets.all():
                self._sender.check(channel, target)
        except AssayError as error:
            if error.reason is not INVALID_ARGUMENT:
                raise
            return False
        return True


def check_version(board: Board, expected: int) -> None:
    """Raises AssayError(BOARD_CHANGED) for a board that has not the version that a change goes out
    from; 0 is any."""
    if expected and expected != board.version:
        raise AssayError(
            BOARD_CHANGED,
            f"the board is at version {board.version:,} now",
            metadata={"version": str(board.version)},
        )


def _words(former: Board, allowed: bool) -> str:
    gone = sum(1 for one in former.pins if one.gone)
    said = [f"as version {former.version:,} again"]
    if gone:
        said.append(f"{gone:,} answer{'s' * (gone != 1)} could not be brought back")
    if not allowed:
        said.append("alerts go where they went: where they did is not allowed any more")
    return "; ".join(said)
