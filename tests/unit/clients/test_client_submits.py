"""A job is submitted again where no answer comes: what is lost on the way loses no question."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from clients.python import jobs
from clients.python.client import AssayClient
from clients.python.question import Question
from mesh.errors import TIMEOUT, AssayError
from tests.unit.clients.fake_gateway import FakeGateway
from tests.unit.clients.script import JOB_ID


class Silent(FakeGateway):
    """Lets the first submissions go unanswered."""

    unanswered = 0

    async def CreateJob(self, request: Any, context: Any) -> Any:
        if self.unanswered > 0:
            self.unanswered -= 1
            await asyncio.Event().wait()
        return await super().CreateJob(request, context)


@pytest.mark.parametrize("unanswered", [1, 5])
async def test_a_submission_without_an_answer_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unanswered: int
) -> None:
    monkeypatch.setattr(jobs, "SUBMIT_SECONDS", 0.3)
    (tmp_path / "a.csv").write_text("a\n1\n")
    gateway = Silent()
    gateway.unanswered = unanswered
    question = Question("revenue", data=(str(tmp_path / "a.csv"),))
    async with gateway.serving(tmp_path) as target, AssayClient(target) as client:
        request = await client.request(question)
        if unanswered == 1:
            assert (await client.submit(request)).job_id == JOB_ID
            assert len(gateway.requests) == 1
        else:
            with pytest.raises(AssayError) as raised:
                await client.submit(request)
            assert raised.value.reason is TIMEOUT
