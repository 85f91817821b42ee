"""Calls of the rpcs about boards that name what is a tenant's, and what another gets."""

from __future__ import annotations

from google.protobuf.message import Message

from assay.gateway.v1 import board_service_pb2 as pb
from mesh.ids import new_id
from tests.mesh.case import NOTHING, Case, one
from tests.mesh.owned import Owned

SERVICE = "/assay.gateway.v1.BoardService"


def pinned_on_anns(owned: Owned) -> list[Message]:
    return [pb.PinAnswerRequest(request_id=new_id(), board_id=owned.board, job_id=owned.job)]


BOARD_CASES: dict[str, list[Case]] = {
    f"{SERVICE}/CreateBoard": [
        one(lambda o: pb.CreateBoardRequest(request_id=o.board, title="Bob's"), recorded="board")
    ],
    f"{SERVICE}/GetBoard": [one(lambda o: pb.GetBoardRequest(board_id=o.board), recorded="board")],
    f"{SERVICE}/ListBoards": [one(lambda o: pb.ListBoardsRequest(), NOTHING)],
    f"{SERVICE}/UpdateBoard": [
        one(lambda o: pb.UpdateBoardRequest(board_id=o.board, title="Bob's"), recorded="board")
    ],
    f"{SERVICE}/RestoreBoard": [
        one(lambda o: pb.RestoreBoardRequest(board_id=o.board, version=1), recorded="board")
    ],
    f"{SERVICE}/DeleteBoard": [
        one(lambda o: pb.DeleteBoardRequest(board_id=o.board), recorded="board")
    ],
    f"{SERVICE}/PinAnswer": [Case(pinned_on_anns, recorded="board")],
    f"{SERVICE}/UpdatePin": [
        one(lambda o: pb.UpdatePinRequest(pin_id=o.pin, title="Bob's"), recorded="pin")
    ],
    f"{SERVICE}/Unpin": [one(lambda o: pb.UnpinRequest(pin_id=o.pin), recorded="pin")],
    f"{SERVICE}/RefreshBoard": [
        one(lambda o: pb.RefreshBoardRequest(board_id=o.board), recorded="board")
    ],
    f"{SERVICE}/ListRuns": [one(lambda o: pb.ListRunsRequest(pin_id=o.pin), recorded="pin")],
}
