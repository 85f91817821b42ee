"""BoardService: translates between the contract and the use cases of boards."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from grpc import aio

from assay.gateway.v1 import board_service_pb2 as pb
from assay.gateway.v1 import board_service_pb2_grpc
from gateway.boards.app import BoardEdit, Boards, PinEdit
from gateway.boards.messages import (
    board_message,
    pin_message,
    range_of,
    run_message,
    schedule_of,
    targets_of,
)
from gateway.boards.versions import BoardVersions
from gateway.domain.board import Board
from mesh import context as calls
from mesh.ids import parse_id
from mesh.paging import page_size
from mesh.roles import Role

Context = aio.ServicerContext[Any, Any]


class BoardServicer(board_service_pb2_grpc.BoardServiceServicer):
    """Serves assay.gateway.v1.BoardService. `wake` has runs submitted at once."""

    def __init__(
        self,
        boards: Boards,
        versions: BoardVersions,
        local_paths: Callable[[Context], bool],
        wake: asyncio.Event,
    ) -> None:
        self._boards = boards
        self._versions = versions
        self._local_paths = local_paths
        self._wake = wake

    async def CreateBoard(
        self, request: pb.CreateBoardRequest, context: Context
    ) -> pb.CreateBoardResponse:
        """Make a board."""
        board_id = parse_id(request.request_id, "request_id")
        made = await self._boards.create(board_id, request.title)
        return pb.CreateBoardResponse(board=_shown(made))

    async def GetBoard(self, request: pb.GetBoardRequest, context: Context) -> pb.GetBoardResponse:
        """A board with its pins, as it is or as it was set."""
        board_id = parse_id(request.board_id, "board_id")
        if request.version:
            found = await self._versions.at(board_id, request.version)
        else:
            found = await self._boards.get(board_id)
        return pb.GetBoardResponse(board=_shown(found))

    async def ListBoards(
        self, request: pb.ListBoardsRequest, context: Context
    ) -> pb.ListBoardsResponse:
        """The tenant's boards."""
        size = page_size(request.page_size, 100, 100)
        page, token = await self._boards.page(size, request.page_token)
        messages = [_shown(one) for one in page]
        for one in messages:
            one.ClearField("changes")
        return pb.ListBoardsResponse(boards=messages, next_page_token=token)

    async def UpdateBoard(
        self, request: pb.UpdateBoardRequest, context: Context
    ) -> pb.UpdateBoardResponse:
        """Change a board."""
        edit = BoardEdit(
            title=request.title if request.HasField("title") else None,
            schedule=schedule_of(request.schedule) if request.HasField("schedule") else None,
            targets=targets_of(request.alert_targets)
            if request.HasField("alert_targets")
            else None,
            version=request.version,
        )
        changed = await self._boards.update(parse_id(request.board_id, "board_id"), edit)
        return pb.UpdateBoardResponse(board=_shown(changed))

    async def RestoreBoard(
        self, request: pb.RestoreBoardRequest, context: Context
    ) -> pb.RestoreBoardResponse:
        """Have a board set as in a version."""
        board_id, here = parse_id(request.board_id, "board_id"), calls.current()
        by = here.user or here.tenant
        await self._versions.restore(board_id, request.version, request.from_version, by)
        return pb.RestoreBoardResponse(board=_shown(await self._boards.get(board_id)))

    async def DeleteBoard(
        self, request: pb.DeleteBoardRequest, context: Context
    ) -> pb.DeleteBoardResponse:
        """Delete a board."""
        await self._boards.delete(parse_id(request.board_id, "board_id"))
        return pb.DeleteBoardResponse()

    async def PinAnswer(
        self, request: pb.PinAnswerRequest, context: Context
    ) -> pb.PinAnswerResponse:
        """Pin an answer."""
        made = await self._boards.pin(
            parse_id(request.request_id, "request_id"),
            parse_id(request.board_id, "board_id"),
            parse_id(request.job_id, "job_id"),
            request.title,
            range_of(request.range),
            local=self._local_paths(context),
        )
        return pb.PinAnswerResponse(pin=pin_message(made))

    async def UpdatePin(
        self, request: pb.UpdatePinRequest, context: Context
    ) -> pb.UpdatePinResponse:
        """Change a pin."""
        edit = PinEdit(
            title=request.title if request.HasField("title") else None,
            range=range_of(request.range) if request.HasField("range") else None,
            accept_meaning=request.accept_meaning,
            take_over=request.take_over,
        )
        changed = await self._boards.update_pin(
            parse_id(request.pin_id, "pin_id"), edit, local=self._local_paths(context)
        )
        return pb.UpdatePinResponse(pin=pin_message(changed))

    async def Unpin(self, request: pb.UnpinRequest, context: Context) -> pb.UnpinResponse:
        """Take a pin off."""
        await self._boards.unpin(parse_id(request.pin_id, "pin_id"))
        return pb.UnpinResponse()

    async def RefreshBoard(
        self, request: pb.RefreshBoardRequest, context: Context
    ) -> pb.RefreshBoardResponse:
        """Ask again, now."""
        going = await self._boards.refresh(parse_id(request.board_id, "board_id"))
        self._wake.set()
        return pb.RefreshBoardResponse(board=_shown(going))

    async def ListRuns(self, request: pb.ListRunsRequest, context: Context) -> pb.ListRunsResponse:
        """The history of a pin."""
        size = page_size(request.page_size, 30, 100)
        pin_id = parse_id(request.pin_id, "pin_id")
        page, token = await self._boards.history(pin_id, size, request.page_token)
        return pb.ListRunsResponse(runs=map(run_message, page), next_page_token=token)


def _shown(board: Board) -> pb.Board:
    """A board as the caller may see it: a webhook's address is often a secret."""
    return board_message(board, targets=calls.current().role >= Role.ANALYST)
