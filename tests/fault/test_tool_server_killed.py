"""An MCP server that is killed while it is asked: other domains answer, and the log says why."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.common.v1 import conversation_pb2, job_pb2
from assay.gateway.v1 import conversation_service_pb2 as pb
from mesh.ids import new_id
from mesh.testing.mcp_server import COMMAND
from tests.mesh.domain_world import SALES, data_domain, tool_domain, verified, world
from tests.mesh.support import Caller

pytest.importorskip("mcp")

# Notes its own process before it serves, so that it can be found and killed.
_NOTED = """
import os, sys
with open(os.environ["ASSAY_TEST_MCP_PIDS"], "a") as file:
    print(os.getpid(), file=file)
os.execv(sys.argv[1], sys.argv[1:])
"""


@pytest.fixture
def home() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        yield Path(folder)


async def told_while_killing(caller: Caller, pids: Path) -> conversation_pb2.AgentResponse:
    """The response to a question of two domains, one of whose servers is killed once it runs."""
    request = pb.AskRequest(
        request_id=new_id(), content="total amount by product and units in stock"
    )
    response = conversation_pb2.AgentResponse()
    async for told in caller.conversations.Ask(request):
        kind = told.WhichOneof("told")
        if kind == "response":
            response = told.response
        elif kind == "event" and told.event.WhichOneof("event") == "step":
            step = told.event.step
            if step.tool_name == "domain.call" and step.state == job_pb2.STEP_STATE_RUNNING:
                while not pids.read_text().strip():
                    await asyncio.sleep(0.05)
                os.kill(int(pids.read_text().split()[-1]), signal.SIGKILL)
    return response


async def test_a_server_killed_in_mid_call_leaves_a_partial_answer_that_is_proved(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_EMBEDDER", "hashed")
    pids = tmp_path / "pids"
    pids.write_text("")
    command = (sys.executable, "-c", _NOTED, *COMMAND)
    environment = {"ASSAY_TEST_MCP_PIDS": str(pids)}
    async with world(home, monkeypatch, environment=environment, command=command) as caller:
        await data_domain(caller, "trade", SALES, tmp_path)
        await tool_domain(caller, "stock", "warehouse", "hangs")
        pids.write_text("")

        told = await told_while_killing(caller, pids)

        assert told.partial_results and list(told.sources) == ["trade.trade"]
        assert "100" in told.answer
        (call,) = [one for one in told.tool_calls_made if one.tool_name == "hangs"]
        assert call.status == conversation_pb2.DOMAIN_CALL_STATUS_FAILED
        assert "ended before it had answered" in call.error
        await verified(caller, told.job_id)
