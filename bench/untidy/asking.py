"""Asks every question of one warm mesh in this process, through its gateway."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bench.untidy.inputs import Asked, Input
from bench.untidy.judging import Reply, Verdict, judged
from mesh.errors import AssayError

if TYPE_CHECKING:
    from clients.python.client import AssayClient

_AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question over one input, what was said and the verdict."""

    input: Input
    asked: Asked
    reply: Reply
    verdict: Verdict


async def ask_all(inputs: Sequence[Input], function: Callable[[Outcome], None]) -> list[Outcome]:
    """The outcomes in the order of the inputs; `told` hears each as it comes."""
    from clients.python.client import AssayClient
    from services.__main__ import embedded

    with tempfile.TemporaryDirectory(prefix="assay-untidy-") as folder:
        below, turns = Path(folder), asyncio.Semaphore(_AT_ONCE)
        async with (
            embedded(below / "home") as mesh,
            AssayClient(mesh.target, same_machine=True, local_paths=True) as assay,
        ):

            async def one(given: Input, place: Path, asked: Asked) -> Outcome:
                async with turns:
                    reply = await _ask_question(assay, place, asked.question)
                outcome = Outcome(given, asked, reply, judged(asked, reply))
                function(outcome)
                return outcome

            laid = [(given, given.laid(below / "data")) for given in inputs]
            every = [one(given, at, asked) for given, at in laid for asked in given.asked]
            return list(await asyncio.gather(*every))


async def _ask_question(assay: AssayClient, place: Path, question: str) -> Reply:
    from assay.common.v1.job_pb2 import JobState
    from clients.python import words_of
    from clients.python.question import Question

    asked = Question(question, data=(str(place),), deliverables=("table", "summary"))
    try:
        job = await assay.submit(await assay.request(asked))
        async for _ in assay.watch(job.job_id):
            pass
        job = await assay.get_job(job.job_id)
        if job.HasField("clarification"):
            return Reply(refused=f"asked: {job.clarification.question}")
        if job.HasField("failure"):
            return Reply(refused=f"{job.failure.reason}: {job.failure.message}")
        if not job.HasField("answer"):
            return Reply(refused=f"no answer: {JobState.Name(job.state)}")
        table = await assay.read_frame(job.job_id, job.answer.table)
    except AssayError as error:
        return Reply(refused=f"{error.reason.code}: {error}")
    cells = [column.to_pylist() for column in table.columns]
    return Reply(
        rows=tuple(zip(*cells, strict=True)),
        columns=tuple(table.column_names),
        confidence=words_of.sureness(job.answer),
        notes=tuple(job.answer.caveats),
        text=f"{job.understood}: {job.answer.text}",
    )
