"""A gateway that is killed in the middle of a turn: the turn is finished or told, once."""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
from collections.abc import AsyncIterator
from contextlib import aclosing, closing
from pathlib import Path

import pytest
import pytest_asyncio

from assay.common.v1.conversation_pb2 import AgentResponse
from assay.gateway.v1 import conversation_service_pb2 as pb
from clients.python.client import AssayClient
from clients.python.question import Question
from mesh.config import MeshSettings
from mesh.errors import CONVERSATION_BUSY, SERVICE_UNAVAILABLE, AssayError
from mesh.ids import derived_id, new_id
from mesh.testing.mesh import running_mesh
from services.__main__ import factories
from tests.fault.gateway_world import PATIENCE, QUICK
from tests.fault.supervised import Supervised, supervised

pytestmark = pytest.mark.asyncio(loop_scope="module")

PLACES = [
    "gateway: message-said, uncommitted",
    "gateway: message-said, committed",
    "gateway: message-answered, uncommitted",
    "gateway: message-answered, committed",
]
AT_WORK = "while its job is at work"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def around() -> AsyncIterator[MeshSettings]:
    """Everything but a gateway."""
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        async with running_mesh(
            Path(folder), factories, apart=True, without=["gateway"]
        ) as settings:
            yield settings


class Speaker:
    """Says something as a client does that wants an answer: again, under one id, until told."""

    def __init__(self, client: AssayClient, gateway: Supervised, terms: Question) -> None:
        self._client = client
        self._gateway = gateway
        self._terms = terms
        self.conversation = ""

    async def say(self, words: str, *, kill: bool = False) -> AgentResponse:
        """The response; with `kill` the gateway dies at the first event of the turn's job."""
        request_id = new_id()
        terms = await self._client.request(self._terms) if not self.conversation else None
        for delay in PATIENCE:
            try:
                said = self._client.conversations.send(
                    words, conversation_id=self.conversation, terms=terms, request_id=request_id
                )
                async with aclosing(said) as told:
                    async for one in told:
                        kind = one.WhichOneof("told")
                        if kind == "event" and kill:
                            kill = False
                            self._gateway.kill()
                        if kind == "response":
                            self.conversation = self.conversation or derived_id(
                                request_id, "conversation"
                            )
                            return one.response
            except AssayError as error:
                if error.reason not in (SERVICE_UNAVAILABLE, CONVERSATION_BUSY):
                    raise
            await asyncio.sleep(delay)
        raise AssertionError(f"no answer to {words!r}")


@pytest.mark.parametrize("place", [*PLACES, AT_WORK])
async def test_a_turn_whose_gateway_is_killed_is_answered_once(
    around: MeshSettings, sales: Path, place: str
) -> None:
    at_work = place == AT_WORK
    async with (
        supervised(around, "gateway", "" if at_work else place, QUICK) as gateway,
        AssayClient(
            around.address("gateway"), "ann", local_paths=True, resume_delays=PATIENCE
        ) as client,
    ):
        speaker = Speaker(client, gateway, Question("any", data=(str(sales),)))
        first = await speaker.say("total price by region", kill=at_work)
        await gateway.died()
        assert first.job_id and not first.HasField("failure"), first
        second = await speaker.say("only the North")
        third = await speaker.say("what did you assume?")
        assert third.about_job_id == second.job_id
        messages = list((await client.conversations.messages(speaker.conversation)).messages)
    assert [m.role for m in messages] == [pb.MESSAGE_ROLE_USER, pb.MESSAGE_ROLE_ASSISTANT] * 3
    assert [m.position for m in messages] == list(range(1, 7))
    answers = [m.content for m in messages[1::2]]
    assert answers == [first.answer, second.answer, third.answer]
    assert [m.job_id for m in messages[1::2]] == [first.job_id, second.job_id, ""]
    assert links(around.home, speaker.conversation) == [
        (first.job_id, "initiated"),
        (second.job_id, "forked"),
    ]
    assert jobs(around.home, speaker.conversation) == [first.job_id, second.job_id]


@pytest.mark.parametrize("place", ["uncommitted", "committed"])
async def test_what_is_told_of_a_finished_job_is_told_once(
    around: MeshSettings, sales: Path, place: str
) -> None:
    place = f"gateway: message-answered, {place}#2"
    async with (
        supervised(around, "gateway", place, QUICK) as gateway,
        AssayClient(
            around.address("gateway"), "ann", local_paths=True, resume_delays=PATIENCE
        ) as client,
    ):
        speaker = Speaker(client, gateway, Question("any", data=(str(sales),)))
        first = await speaker.say("total price by region")
        about = await speaker.say("how did you understand the question?")
        await gateway.died()
        assert about.about_job_id == first.job_id
        messages = list((await client.conversations.messages(speaker.conversation)).messages)
    assert [m.content for m in messages[1::2]] == [first.answer, about.answer]
    assert jobs(around.home, speaker.conversation) == [first.job_id]


def links(home: Path, conversation: str) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(home / "gateway" / "gateway.sqlite")) as database:
        return database.execute(
            "SELECT planner_id, relationship_type FROM router_planner_links "
            "WHERE router_id = ? ORDER BY link_id",
            (conversation,),
        ).fetchall()


def jobs(home: Path, conversation: str) -> list[str]:
    with closing(sqlite3.connect(home / "planner" / "planner.sqlite")) as database:
        found = database.execute(
            "SELECT planner_id FROM planners WHERE conversation_id = ? ORDER BY turn",
            (conversation,),
        ).fetchall()
    return [planner for (planner,) in found]
