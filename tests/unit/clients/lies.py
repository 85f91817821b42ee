"""A recorder that lies: answers of the planner, changed, then logged, hashed and signed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from google.protobuf.duration_pb2 import Duration

from assay.common.v1 import analysis_pb2, job_pb2
from assay.gateway.v1 import audit_service_pb2 as pb
from clients.python.client import AssayClient
from mesh.digest import frame_digest
from mesh.proof.chain import EventType, leaf_bytes
from services.planner.contract.answers import answer_to
from services.planner.domain.analysis.narrate import narrate
from services.planner.domain.answer import Answer, Assertion
from services.planner.domain.calls import Artifact
from services.planner.domain.jobs.ended import Ended
from services.planner.domain.jobs.job import JobState
from services.planner.domain.reporting.evidence import ClaimBook, EvidenceTable
from services.planner.domain.reporting.story import Story
from services.planner.jobs.records import answered
from tests.unit.clients.fake_gateway import FakeGateway
from tests.unit.clients.proven import LOG_KEY, Log
from tests.unit.clients.script import JOB_ID
from tests.unit.planner.stories import NOW

Lie = Callable[[dict[str, Any]], None]


def call_id(number: int) -> str:
    return f"{number:032x}"


def true_to_its_frames(told: Story) -> Story:
    """The story with the digests and calls that its frames really have."""
    tables = {
        task: EvidenceTable(task, call_id(number), frame_digest(table.rows), table.rows)
        for number, (task, table) in enumerate(told.tables.items())
    }
    return Story(**{**vars(told), "tables": tables})


def answer_of(told: Story) -> Answer:
    """The answer that the planner gives."""
    book = ClaimBook()
    narration = narrate(told, book)
    return Answer(
        text=narration.text,
        claims=book.claims,
        assertions=tuple(Assertion.model_validate(o.as_object()) for o in narration.assertions),
        empty_reason=narration.empty_reason,
    )


class Recorder:
    """Logs a job with the planner's own records, and signs what it logged."""

    def __init__(self, told: Story, lie: Lie | None = None, report: str = "") -> None:
        self.story = true_to_its_frames(told)
        content = answer_of(self.story).model_dump(mode="json")
        if lie is not None:
            lie(content)
        self.answer = Answer.model_validate(content)
        self.report = report.encode()
        self._log = Log()
        self._write()

    def _write(self) -> None:
        log, tables = self._log, list(self.story.tables.values())
        request = self.story.request
        log.add(
            EventType.REQUEST_SUBMITTED, {"intent": request.intent, "data_sources": []}, "system"
        )
        steps = [
            {
                "task_id": table.task_id,
                "description": "",
                "tool_name": "sql.run",
                "arguments": {"query": str(self.story.intent)},
                "dependencies": [],
                "invariants": [],
                "estimated_cost_seconds": 0.1,
            }
            for table in tables
        ]
        plan = {
            "plan_id": "1" * 32,
            "understood": self.story.understood,
            "reasoning": "",
            "answer_task": "load",
            "source_digests": [],
            "subtasks": steps,
        }
        log.add(EventType.PLAN_CREATED, plan, "planner")
        for number, table in enumerate(tables):
            called = {
                "call_id": call_id(number),
                "task_id": table.task_id,
                "tool_name": "sql.run",
                "arguments": steps[number]["arguments"],
                "attempt_number": 1,
                "change_reason": "",
                "inputs": {},
            }
            log.add(EventType.TOOL_CALLED, called, "actor")
            seen = {"call_id": call_id(number), "status": "success", "frame_digest": table.digest}
            log.add(EventType.OBSERVATION_RECORDED, seen, "actor")
        end = Ended(state=JobState.COMPLETED, answer=self._with_report())
        for event in answered(JOB_ID, end):
            data = json.loads(json.dumps(event.event_data))
            log.add(EventType(event.event_type), data, event.actor)

    def _with_report(self) -> Answer:
        if not self.report:
            return self.answer
        import hashlib

        made = Artifact(
            artifact_id="9" * 32,
            request_id=JOB_ID,
            artifact_type="report",
            content_ref=f"reports/{JOB_ID}/report.md",
            content_hash=hashlib.sha256(self.report).hexdigest(),
            size_bytes=len(self.report),
            created_at=NOW,
            media_type="text/markdown",
        )
        return self.answer.model_copy(update={"artifacts": (made,)})

    def gateway(self) -> FakeGateway:
        """A gateway that believes the recorder."""
        log, told = self._log, self.story
        answer = answer_to(self._with_report())
        answer.ClearField("table")
        job = job_pb2.Job(
            job_id=JOB_ID,
            state=job_pb2.JOB_STATE_COMPLETED,
            analysis=analysis_pb2.AnalysisRequest(intent=told.request.intent),
            understood=told.understood,
            plan=analysis_pb2.Plan(
                plan_id="1" * 32,
                answer_task="load",
                subtasks=[
                    analysis_pb2.Subtask(
                        task_id=table.task_id,
                        tool_name="sql.run",
                        estimated_cost=Duration(nanos=100_000_000),
                        arguments_json=json.dumps({"query": str(told.intent)}),
                    )
                    for table in told.tables.values()
                ],
            ),
            answer=answer,
            audit_entries=len(log.entries),
        )
        proofs = [
            pb.EntryProof(
                sequence_number=entry.sequence_number,
                leaf_index=place,
                hashes=log.proof(place, len(log.entries)),
            )
            for place, entry in enumerate(log.entries)
        ]
        checkpoint = pb.GetCheckpointResponse(
            note=log.note(), verifier_key=LOG_KEY.verifier.encode()
        )
        return FakeGateway(
            told=job,
            chain=[leaf_bytes(entry) + b"\n" for entry in log.entries],
            proofs=[
                pb.ExportProofsResponse(checkpoint=checkpoint),
                *(pb.ExportProofsResponse(proof=proof) for proof in proofs),
            ],
            tables={table.digest: table.rows for table in told.tables.values()},
            contents={"9" * 32: self.report} if self.report else {},
        )


async def bundle_of(recorder: Recorder, folder: Path) -> Path:
    """What the recorder's job is exported as."""
    async with recorder.gateway().serving(folder) as target, AssayClient(target) as client:
        return await client.export(await client.get_job(JOB_ID), folder / "job.zip")
