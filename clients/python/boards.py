"""Boards: answers that are asked again, each run with a proof of its own."""

from __future__ import annotations

import asyncio

from assay.gateway.v1 import board_service_pb2 as pb
from assay.gateway.v1 import board_service_pb2_grpc
from clients.python.calls import answered
from mesh.ids import new_id

_LOOK_AGAIN_SECONDS = 0.5


class Boards:
    """BoardService as methods; every one raises AssayError."""

    def __init__(self, stub: board_service_pb2_grpc.BoardServiceStub) -> None:
        self._stub = stub

    async def create(self, title: str, *, board_id: str = "") -> pb.Board:
        """An empty board. With a `board_id` of the caller's, repeating it changes nothing."""
        request = pb.CreateBoardRequest(request_id=board_id or new_id(), title=title)
        return (await answered(self._stub.CreateBoard(request))).board

    async def all(self) -> list[pb.Board]:
        """The tenant's boards without their pins, newest first."""
        found: list[pb.Board] = []
        token = ""
        while True:
            page = await answered(self._stub.ListBoards(pb.ListBoardsRequest(page_token=token)))
            found += page.boards
            token = page.next_page_token
            if not token:
                return found

    async def get(self, board_id: str, version: int = 0) -> pb.Board:
        """A board with its pins as they are, or as what was set of it in a `version`."""
        request = pb.GetBoardRequest(board_id=board_id, version=version)
        return (await answered(self._stub.GetBoard(request))).board

    async def update(self, change: pb.UpdateBoardRequest) -> pb.Board:
        """Change what is set of title, schedule and alerts. Raises AssayError(BOARD_CHANGED) where
        it names another version than the board has."""
        return (await answered(self._stub.UpdateBoard(change))).board

    async def restore(self, board_id: str, version: int, from_version: int = 0) -> pb.Board:
        """Have a board set as in a version. Raises AssayError: NOT_FOUND, BOARD_CHANGED."""
        request = pb.RestoreBoardRequest(
            board_id=board_id, version=version, from_version=from_version
        )
        return (await answered(self._stub.RestoreBoard(request))).board

    async def delete(self, board_id: str) -> None:
        """Delete a board with its pins and their history."""
        await answered(self._stub.DeleteBoard(pb.DeleteBoardRequest(board_id=board_id)))

    async def pin(
        self,
        board_id: str,
        job_id: str,
        *,
        title: str = "",
        low: float | None = None,
        high: float | None = None,
        pin_id: str = "",
    ) -> pb.Pin:
        """Pin the answer of a job. A number below `low` or above `high` is an alert."""
        request = pb.PinAnswerRequest(
            request_id=pin_id or new_id(),
            board_id=board_id,
            job_id=job_id,
            title=title,
            range=pb.Range(low=low, high=high),
        )
        return (await answered(self._stub.PinAnswer(request))).pin

    async def update_pin(self, change: pb.UpdatePinRequest) -> pb.Pin:
        """Change a pin's title or range, accept what it means by now, or take it over."""
        return (await answered(self._stub.UpdatePin(change))).pin

    async def unpin(self, pin_id: str) -> None:
        """Take a pin off its board."""
        await answered(self._stub.Unpin(pb.UnpinRequest(pin_id=pin_id)))

    async def refresh(self, board_id: str) -> pb.Board:
        """Ask again for each pin now; returns at once."""
        request = pb.RefreshBoardRequest(board_id=board_id)
        return (await answered(self._stub.RefreshBoard(request))).board

    async def settled(self, board_id: str) -> pb.Board:
        """The board once nothing of it is under way."""
        while True:
            board = await self.get(board_id)
            if not any(pin.HasField("under_way") for pin in board.pins):
                return board
            await asyncio.sleep(_LOOK_AGAIN_SECONDS)

    async def runs(self, pin_id: str, most: int = 30) -> list[pb.Run]:
        """What came of a pin, newest first."""
        found: list[pb.Run] = []
        token = ""
        while len(found) < most:
            request = pb.ListRunsRequest(pin_id=pin_id, page_token=token)
            page = await answered(self._stub.ListRuns(request))
            found += page.runs
            token = page.next_page_token
            if not token:
                break
        return found[:most]
