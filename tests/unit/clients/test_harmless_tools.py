"""What `assay mcp` tells is shown by an agent's terminal, and not obeyed: answers, failures, and
how far a job is."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from assay.common.v1.job_pb2 import JobEvent
from clients.python.client import AssayClient
from clients.python.mcp_server.offered import Offered
from clients.python.mcp_server.server import made_server
from clients.python.mcp_server.tools import ToolContext
from clients.python.mcp_server.work import Progress
from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.text.harmless import harmless_value, is_harmless

pytest.importorskip("mcp")

EVIL = "x\x1b]52;c;aGk=\x07\x9b8m\u202ey\U000e0041\udc9b"
SHOWN = "x␛]52;c;aGk=␇\ufffd8m\ufffdy\ufffd\ufffd"


class Sources:
    """Sources with such names, or none because of one."""

    def __init__(self, *, failing: bool) -> None:
        self._failing = failing

    async def all(self) -> list[Any]:
        if self._failing:
            raise AssayError(INVALID_ARGUMENT, EVIL, hint=EVIL, fields={EVIL: EVIL})
        return []


def served(tmp_path: Path, *, failing: bool) -> Any:
    from mcp.client import Client

    class Mesh:
        sources = Sources(failing=failing)

    offered = Offered(places=(tmp_path / f"{EVIL}.csv",))

    @asynccontextmanager
    async def at_desk(_: Mapping[str, str], progress: Progress) -> AsyncGenerator[ToolContext]:
        await progress.take(JobEvent(understood=EVIL.replace("\udc9b", "")), EVIL)
        yield ToolContext(cast("AssayClient", Mesh()), offered, tmp_path, progress)

    return Client(made_server(at_desk))


@pytest.mark.parametrize("failing", [False, True])
async def test_what_tools_give_is_shown_and_not_obeyed(tmp_path: Path, failing: bool) -> None:
    told: list[str] = []

    async def progress(percent: float, total: float | None, words: str | None) -> None:
        told.append(words or "")

    async with served(tmp_path, failing=failing) as client:
        result = await client.call_tool("look", {}, progress_callback=progress)
        unknown = await client.call_tool(EVIL.replace("\udc9b", ""), {})
    assert bool(result.is_error) == failing
    for one in (result, unknown):
        assert json.loads(one.content[0].text) == one.structured_content
        assert harmless_value(one.structured_content) == one.structured_content
    assert SHOWN in result.content[0].text and "52;c" in unknown.content[0].text
    assert told and all(map(is_harmless, told))


def test_a_file_is_found_under_the_name_that_was_told(tmp_path: Path) -> None:
    place = tmp_path / f"{EVIL}.csv"
    offered = Offered(places=(place,))
    assert offered.chosen([f"{SHOWN}.csv"]).data == (str(place),)
