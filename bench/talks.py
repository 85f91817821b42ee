"""Does a conversation get slower as it grows, or as it goes on? `python -m bench.talks`

A whole mesh runs in a process of its own. Conversations of ten and of a thousand messages are
opened in turns, as a client does: `GetConversation` and the newest page of `ListMessages`; besides
they are compared by all messages read in pages, which must grow with them. Then questions about a
small file are asked in turns, each in a conversation of its own: whole ("total quantity by
region"), and as a follow-up ("and by region?" after "total quantity"), whose time is that of the
second turn. Targets: a thousand messages open in 1.5 times the time of ten, and a follow-up takes
no longer than the first question that asks the same.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median
from typing import Any

from assay.gateway.v1 import conversation_service_pb2 as pb
from bench.measure import arguments, keep, milliseconds, print_table
from bench.support_served import served_mesh
from bench.support_talks import stored_talk
from examples.retailer import write_retailer
from mesh.config import MeshSettings
from mesh.ids import new_id
from tests.mesh.support import Caller

SIZES, OPENINGS, PAGE = (10, 1_000), 60, 20
QUESTIONS = ("total quantity", "average unit_price", "number of orders")
ROUNDS = 4
TIMES = 1.5


async def opened(caller: Caller, talk: str) -> None:
    """Open a conversation as a client does."""
    await caller.conversations.GetConversation(pb.GetConversationRequest(conversation_id=talk))
    page = pb.ListMessagesRequest(conversation_id=talk, page_size=PAGE)
    await caller.conversations.ListMessages(page)


async def read(caller: Caller, talk: str) -> None:
    """Read a conversation from its end to its beginning."""
    page = pb.ListMessagesRequest(conversation_id=talk, page_size=PAGE)
    while True:
        found = await caller.conversations.ListMessages(page)
        if not found.next_page_token:
            return
        page.page_token = found.next_page_token


async def seconds_of(work: Awaitable[Any]) -> float:
    """How long something takes."""
    began = time.perf_counter()
    await work
    return time.perf_counter() - began


async def growing(settings: MeshSettings, caller: Caller) -> dict[str, dict[str, list[float]]]:
    """Seconds of opening and of reading conversations, by their messages."""
    talks = {str(size): await stored_talk(settings, "ann", size) for size in SIZES}
    ways: dict[str, tuple[Callable[[Caller, str], Awaitable[None]], int]] = {
        "opened": (opened, OPENINGS),
        "read": (read, OPENINGS // 10),
    }
    taken: dict[str, dict[str, list[float]]] = {way: {size: [] for size in talks} for way in ways}
    for way, (work, times) in ways.items():
        for number in range(times + 1):
            for size, talk in talks.items():
                seconds = await seconds_of(work(caller, talk))
                if number:
                    taken[way][size].append(seconds)
    return taken


async def send_message(caller: Caller, words: str, orders: Path, talk: str = "") -> str:
    """Say something and hear the answer; the conversation. Raises RuntimeError without one."""
    request = pb.AskRequest(request_id=new_id(), conversation_id=talk, content=words)
    if not talk:
        request.terms.data_sources.add(file_path=str(orders))
        request.terms.assume = True
    answer = None
    async for value in caller.conversations.Ask(request, timeout=120):
        if value.WhichOneof("told") == "asked":
            talk = value.asked.conversation.conversation_id
        elif value.WhichOneof("told") == "response":
            answer = value.response
    if answer is None or answer.HasField("failure"):
        raise RuntimeError(f"{words!r} was not answered: {answer}")
    return talk


async def going_on(caller: Caller, orders: Path) -> dict[str, list[float]]:
    """Seconds of first questions and of what follows them."""
    taken: dict[str, list[float]] = {"first": [], "follow-up": []}
    for number in range(ROUNDS + 1):
        for words in QUESTIONS:
            whole = await seconds_of(send_message(caller, f"{words} by region", orders))
            talk = await send_message(caller, words, orders)
            after = await seconds_of(send_message(caller, "and by region?", orders, talk))
            if number:
                taken["first"].append(whole)
                taken["follow-up"].append(after)
    return taken


async def measured(
    folder: Path,
) -> tuple[dict[str, dict[str, list[float]]], dict[str, list[float]]]:
    """Both, in one mesh."""
    orders = next(path for path in write_retailer(folder / "shop") if path.name == "orders.csv")
    async with served_mesh(folder / "home") as (settings, _), Caller(settings, "ann") as caller:
        return await growing(settings, caller), await going_on(caller, orders)


def main() -> None:
    """Print what was seen."""
    options = arguments("talks", __doc__).parse_args()
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        grown, asked = asyncio.run(measured(Path(folder)))
    least, most = map(str, SIZES)
    ratios = {way: median(values[most]) / median(values[least]) for way, values in grown.items()}
    rows = [
        (
            f"{way}, {size} messages",
            *milliseconds(times).values(),
            median(times) / median(values[least]),
        )
        for way, values in grown.items()
        for size, times in values.items()
    ]
    ratios["follow-up"] = median(asked["follow-up"]) / median(asked["first"])
    rows += [
        (name, *milliseconds(times).values(), median(times) / median(asked["first"]))
        for name, times in asked.items()
    ]
    print_table("conversations", ["what", "median ms", "fastest", "slowest", "times"], rows)
    print(f"  target {TIMES} of opening: {'met' if ratios['opened'] <= TIMES else 'missed'}")
    print(f"  target 1 of a follow-up: {'met' if ratios['follow-up'] <= 1 else 'missed'}")
    keep({"seconds": {**grown, "asked": asked}, "ratios": ratios}, options.json)


if __name__ == "__main__":
    main()
