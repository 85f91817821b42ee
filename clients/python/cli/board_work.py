"""What the commands of `assay board` do, over a connection."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from assay.gateway.v1 import board_service_pb2 as pb
from clients.python.cli.boards_shown import (
    board_object,
    boards_table,
    changes_table,
    needs_a_look,
    pin_object,
    show_board,
    show_pin,
)
from clients.python.cli.naming import whole_board_id, whole_by, whole_id
from clients.python.cli.screen import Screen
from clients.python.cli.words import short_id
from clients.python.client import AssayClient
from mesh.errors import ExitCode

Work = Callable[[AssayClient, Screen], Awaitable[int]]


async def listed(client: AssayClient, screen: Screen) -> int:
    """All boards."""
    found = await client.boards.all()
    if screen.as_json:
        screen.object({"boards": [board_object(one) for one in found]})
    elif not found:
        screen.show("no boards yet: make one, assay board create TITLE")
    else:
        screen.show(boards_table(found))
    return ExitCode.ANSWERED


def shown(text: str, version: int, *, changes: bool) -> Work:
    """A board, as it is or as it was set."""

    async def work(client: AssayClient, screen: Screen) -> int:
        found = await client.boards.get(await whole_board_id(client, text), version)
        _tell(screen, found)
        if changes and not screen.as_json:
            screen.show(changes_table(found))
        return ExitCode.ANSWERED

    return work


def created(title: str) -> Work:
    """An empty board."""

    async def work(client: AssayClient, screen: Screen) -> int:
        _tell(screen, await client.boards.create(title))
        return ExitCode.ANSWERED

    return work


def pinned(board: str, job: str, title: str, low: float | None, high: float | None) -> Work:
    """The answer of a job onto a board."""

    async def work(client: AssayClient, screen: Screen) -> int:
        board_id, job_id = await whole_board_id(client, board), await whole_id(client, job)
        made = await client.boards.pin(board_id, job_id, title=title, low=low, high=high)
        _tell_pin(screen, made)
        return ExitCode.ANSWERED

    return work


def unpinned(board: str, pin: str) -> Work:
    """A pin off its board."""

    async def work(client: AssayClient, screen: Screen) -> int:
        pin_id = await _pin_id(client, board, pin)
        await client.boards.unpin(pin_id)
        if screen.as_json:
            screen.object({"unpinned": pin_id})
        else:
            screen.row("unpinned", short_id(pin_id))
        return ExitCode.ANSWERED

    return work


def taken(board: str, pin: str) -> Work:
    """A pin asked on the caller's behalf."""

    async def work(client: AssayClient, screen: Screen) -> int:
        change = pb.UpdatePinRequest(pin_id=await _pin_id(client, board, pin), take_over=True)
        _tell_pin(screen, await client.boards.update_pin(change))
        return ExitCode.ANSWERED

    return work


def refreshed(board: str, *, wait: bool) -> Work:
    """All of a board asked again; with `wait` until that came to something."""

    async def work(client: AssayClient, screen: Screen) -> int:
        board_id = await whole_board_id(client, board)
        found = await client.boards.refresh(board_id)
        if wait:
            found = await client.boards.settled(board_id)
        _tell(screen, found)
        failed = wait and any(
            pin.HasField("pause") or (pin.runs and pin.runs[0].failure) for pin in found.pins
        )
        return ExitCode.COULD_NOT_ANSWER if failed else ExitCode.ANSWERED

    return work


def restored(board: str, version: int) -> Work:
    """A board as in a version."""

    async def work(client: AssayClient, screen: Screen) -> int:
        board_id = await whole_board_id(client, board)
        _tell(screen, await client.boards.restore(board_id, version))
        return ExitCode.ANSWERED

    return work


async def _pin_id(client: AssayClient, board: str, text: str) -> str:
    """The id of a board's pin that a person means. Raises AssayError."""
    pins = (await client.boards.get(await whole_board_id(client, board))).pins

    async def beginning(start: str) -> list[str]:
        return [one.pin_id for one in pins if one.pin_id.startswith(start)]

    return await whole_by("pin", "`assay board show BOARD` lists them.", text, beginning)


def _tell(screen: Screen, board: pb.Board) -> None:
    if screen.as_json:
        screen.object(board_object(board))
    else:
        show_board(screen, board)
        screen.line("alerts", needs_a_look(board))


def _tell_pin(screen: Screen, pin: pb.Pin) -> None:
    if screen.as_json:
        screen.object(pin_object(pin))
    else:
        show_pin(screen, pin)
