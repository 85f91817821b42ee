"""A job with everything that proves it: a chain in a signed tree, frames, files and numbers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from google.protobuf.duration_pb2 import Duration

from assay.common.v1 import analysis_pb2, checks_pb2, data_pb2, job_pb2, proposals_pb2
from assay.gateway.v1 import audit_service_pb2 as pb
from clients.python import words_of
from clients.python.proposed import proposal_object
from mesh.digest import frame_digest
from mesh.proof.chain import GENESIS_HASH, AuditEntry, EventType, chain_json, entry_hash, leaf_bytes
from mesh.proof.checkpoint import Checkpoint, SignedNote, SigningKey, sign_checkpoint
from mesh.proof.cosignature import WitnessSigningKey
from mesh.proof.merkle import inclusion_proof, leaf_hash, root_of
from tests.unit.clients.fake_gateway import FakeGateway
from tests.unit.clients.script import JOB_ID

LOG_KEY = SigningKey("assay-1", bytes(range(32)))
WITNESS_KEY = WitnessSigningKey("w1", bytes(range(1, 33)))
COSIGNED_AT = 1_790_000_000

LOADED = pa.table({"month": ["1997-01", "1997-02"], "revenue": [21_688.3, 8_231.25]})
TOTAL = pa.table({"total": pa.array([29_919.55]), "months": pa.array([2])})
CHART = b"\x89PNG\r\n" + bytes(range(256)) * 3
TEXT = "Revenue was 29,920 EUR in 2 months."
REPORT = b"# Revenue\n\nRevenue was [29,920 EUR](#claim-1) in [2](#claim-2) months.\n"
QUESTION = "revenue in 1997"
CAVEAT = "Two rows have no amount."
UNDERSTOOD = "revenue, summed · 1997"
STEPS: list[dict[str, Any]] = [
    {
        "task_id": "load",
        "description": "what was sold",
        "tool_name": "sql.run",
        "arguments": {"query": 'SELECT * FROM "orders"'},
        "dependencies": [],
        "invariants": ["rows of 1997 only"],
        "estimated_cost_seconds": 0.1,
    },
    {
        "task_id": "total",
        "description": "the sum",
        "tool_name": "df.transform",
        "arguments": {"steps": [{"aggregate": {"total": ["sum", "revenue"]}}]},
        "dependencies": ["load"],
        "invariants": [],
        "estimated_cost_seconds": 0.2,
    },
    {
        "task_id": "chart",
        "description": "a picture",
        "tool_name": "plot.render",
        "arguments": {"kind": "bar"},
        "dependencies": ["load"],
        "invariants": [],
        "estimated_cost_seconds": 0.3,
    },
]


def call_id(number: int) -> str:
    """The id of a step's call."""
    return f"{number:032x}"


@dataclass
class Log:
    """Chains in one tree, as the audit service would keep them."""

    entries: list[AuditEntry] = field(default_factory=list)

    def add(
        self, event_type: EventType, data: dict[str, Any], actor: str, request_id: str = JOB_ID
    ) -> None:
        """Chain an event and make it the next leaf."""
        chain = [entry for entry in self.entries if entry.request_id == request_id]
        parent = chain[-1].hash if chain else GENESIS_HASH
        stamp = f"2026-03-01T12:00:{len(self.entries):02d}.000000Z"
        self.entries.append(
            AuditEntry(
                entry_id=hashlib.md5(f"{request_id}{len(chain)}".encode()).hexdigest(),
                request_id=request_id,
                sequence_number=len(chain) + 1,
                parent_hash=parent,
                timestamp=stamp,
                event_type=event_type,
                event_data=data,
                actor=actor,
                hash=entry_hash(parent, stamp, event_type, chain_json(data)),
            )
        )

    def add_call(self, number: int, inputs: dict[str, str]) -> None:
        """A step's call."""
        step = STEPS[number]
        data = {
            "call_id": call_id(number),
            "task_id": step["task_id"],
            "tool_name": step["tool_name"],
            "arguments": step["arguments"],
            "attempt_number": 1,
            "change_reason": "",
            "inputs": inputs,
        }
        self.add(EventType.TOOL_CALLED, data, "actor")

    def add_observation(self, number: int, digest: str | None) -> None:
        """What a call gave."""
        data = {"call_id": call_id(number), "status": "success", "frame_digest": digest}
        self.add(EventType.OBSERVATION_RECORDED, data, "actor")

    def leaves(self) -> list[bytes]:
        """Leaf hashes in order."""
        return [leaf_hash(leaf_bytes(entry)) for entry in self.entries]

    def checkpoint(self, size: int | None = None) -> Checkpoint:
        """Size and root of the tree, or of its beginning."""
        leaves = self.leaves()[:size]
        return Checkpoint(LOG_KEY.name, len(leaves), root_of(leaves))

    def note(self, witnesses: Sequence[WitnessSigningKey] = ()) -> str:
        """The signed checkpoint, cosigned."""
        note = SignedNote.parse(sign_checkpoint(self.checkpoint(), LOG_KEY))
        for key in witnesses:
            note = note.with_signature(key.cosign(note.text, COSIGNED_AT))
        return note.encode()

    def proof(self, index: int, size: int) -> list[bytes]:
        """The path from a leaf to the root."""
        leaves = self.leaves()[:size]
        return inclusion_proof(
            index,
            size,
            lambda level, place: root_of(leaves[place << level : (place + 1) << level]),
        )


def artifact(kind: str, name: str, content: bytes) -> analysis_pb2.Artifact:
    """A file of the job."""
    return analysis_pb2.Artifact(
        artifact_id=hashlib.md5(name.encode()).hexdigest(),
        job_id=JOB_ID,
        artifact_type=analysis_pb2.ArtifactType.Value(f"ARTIFACT_TYPE_{kind.upper()}"),
        content_ref=f"{kind}s/{JOB_ID}/{name}",
        content_hash=hashlib.sha256(content).hexdigest(),
        size_bytes=len(content),
        media_type="image/png" if kind == "chart" else "text/markdown",
    )


def file_event(file: analysis_pb2.Artifact) -> dict[str, Any]:
    """A file as the chain records it."""
    return {
        "artifact_id": file.artifact_id,
        "artifact_type": words_of.artifact_type(file.artifact_type),
        "content_ref": file.content_ref,
        "content_hash": file.content_hash,
        "media_type": file.media_type,
    }


def claims() -> list[analysis_pb2.Claim]:
    """The two numbers of the answer."""
    cells = [("29919.55", "29,920 EUR", "EUR", "total"), ("2", "2", "", "months")]
    return [
        analysis_pb2.Claim(
            claim_id=number,
            value=value,
            text=text,
            unit=unit,
            frame_digest=frame_digest(TOTAL),
            row=0,
            column=column,
            call_id=call_id(1),
        )
        for number, (value, text, unit, column) in enumerate(cells, start=1)
    ]


def assertions() -> list[analysis_pb2.Assertion]:
    """What the answer's words and the report's title stand on."""
    stated = analysis_pb2.Assertion(
        kind="value",
        place="text",
        start=0,
        end=len(TEXT),
        frame_digest=frame_digest(TOTAL),
        rows=[0],
        columns=["total", "months"],
    )
    return [
        analysis_pb2.Assertion(kind="quoted", place="title", start=0, end=7),
        stated,
        analysis_pb2.Assertion(kind="quoted", place="text", start=0, end=7),
        analysis_pb2.Assertion(kind="number", place="text", start=12, end=22, claim_id=1),
        analysis_pb2.Assertion(kind="number", place="text", start=26, end=27, claim_id=2),
    ]


def assertion_object(one: analysis_pb2.Assertion) -> dict[str, Any]:
    """An assertion as the chain records it."""
    told = {
        field.name: getattr(one, field.name) for field in analysis_pb2.Assertion.DESCRIPTOR.fields
    }
    return {**told, "rows": list(one.rows), "columns": list(one.columns)}


def claim_object(claim: analysis_pb2.Claim) -> dict[str, Any]:
    """A number as the chain records it."""
    fields = analysis_pb2.Claim.DESCRIPTOR.fields
    return {field.name: getattr(claim, field.name) for field in fields}


PROPOSAL = proposals_pb2.Proposal(
    proposer="rules",
    interpretation=UNDERSTOOD,
    statement="SELECT amount FROM orders",
    bindings=[
        proposals_pb2.Binding(
            words="revenue",
            fragment="amount",
            kind=proposals_pb2.BINDING_KIND_COLUMN,
            because="a synonym",
        )
    ],
    columns=[
        proposals_pb2.ProposedColumn(
            name="amount", role=proposals_pb2.COLUMN_ROLE_MEASURE, unit="EUR", additive=True
        )
    ],
    grain="one row of orders",
    findings=[
        checks_pb2.CheckFinding(
            code="A07",
            name="empty ones",
            severity=checks_pb2.CHECK_SEVERITY_NOTE,
            at="amount",
            said="3 of 9 are empty",
            sizes={"empty": 3.0},
        )
    ],
    others=[
        proposals_pb2.OtherProposal(
            proposer="model:m", compared=proposals_pb2.AGREEMENT_DIFFERS, told="5 instead of 6"
        ),
        proposals_pb2.OtherProposal(
            proposer="rules",
            interpretation="number of orders",
            compared=proposals_pb2.AGREEMENT_DIFFERS,
            glimpse="3 rows: North 2, South 1",
        ),
    ],
)


def proven_log() -> Log:
    """The job's chain, between the entries of others."""
    chart, report = artifact("chart", "revenue.png", CHART), artifact("report", "r.md", REPORT)
    loaded, total = frame_digest(LOADED), frame_digest(TOTAL)
    log = Log()
    log.add(EventType.REQUEST_SUBMITTED, {"intent": "another's"}, "system", "b" * 32)
    sources = [{"type": "csv", "name": "orders.csv", "place": "/data/orders.csv"}]
    log.add(EventType.REQUEST_SUBMITTED, {"intent": QUESTION, "data_sources": sources}, "system")
    log.add(
        EventType.PLAN_CREATED,
        {
            "plan_id": "1" * 32,
            "understood": UNDERSTOOD,
            "reasoning": "load, then sum",
            "answer_task": "total",
            "source_digests": ["5" * 64],
            "subtasks": STEPS,
            "proposal": {**proposal_object(PROPOSAL), "alternatives": [], "checked": []},
        },
        "planner",
    )
    log.add_call(0, {})
    log.add_observation(0, loaded)
    log.add_call(1, {"load": loaded})
    log.add_call(2, {"load": loaded})
    log.add_observation(2, None)
    log.add(EventType.ARTIFACT_GENERATED, file_event(chart), "actor")
    log.add(EventType.POLICY_DECISION, {"decision": "allowed"}, "safety", "b" * 32)
    log.add_observation(1, total)
    log.add(EventType.ARTIFACT_GENERATED, file_event(report), "planner")
    summary = {
        "artifact_type": "summary",
        "state": "completed",
        "text": TEXT,
        "claims": [claim_object(claim) for claim in claims()],
        "assertions": [assertion_object(one) for one in assertions()],
        "caveats": [CAVEAT],
        "empty_reason": None,
        "confidence": "high",
        "reasoner": "rules",
        "recipe": "recipe saved",
        "table": total,
        "display": None,
        "artifacts": [chart.artifact_id, report.artifact_id],
    }
    log.add(EventType.ARTIFACT_GENERATED, summary, "planner")
    log.add(EventType.POLICY_DECISION, {"decision": "allowed"}, "safety", "b" * 32)
    return log


def proven_job() -> job_pb2.Job:
    """The job as the planner tells it."""
    told_otherwise = {"arguments", "estimated_cost_seconds"}
    return job_pb2.Job(
        job_id=JOB_ID,
        state=job_pb2.JOB_STATE_COMPLETED,
        analysis=analysis_pb2.AnalysisRequest(intent=QUESTION),
        understood=UNDERSTOOD,
        plan=analysis_pb2.Plan(
            plan_id="1" * 32,
            reasoning="load, then sum",
            answer_task="total",
            proposal=PROPOSAL,
            subtasks=[
                analysis_pb2.Subtask(
                    **{key: step[key] for key in step.keys() - told_otherwise},
                    estimated_cost=Duration(nanos=round(step["estimated_cost_seconds"] * 1e9)),
                    arguments_json=json.dumps(step["arguments"]),
                )
                for step in STEPS
            ],
        ),
        answer=analysis_pb2.Answer(
            text=TEXT,
            table=data_pb2.FrameRef(digest=frame_digest(TOTAL)),
            artifacts=[
                artifact("chart", "revenue.png", CHART),
                artifact("report", "r.md", REPORT),
            ],
            claims=claims(),
            assertions=assertions(),
            caveats=[CAVEAT],
            confidence=analysis_pb2.CONFIDENCE_HIGH,
            reasoner="rules",
            recipe="recipe saved",
        ),
        audit_entries=11,
    )


def proven_gateway(witnesses: Sequence[WitnessSigningKey] = ()) -> FakeGateway:
    """A gateway that has the job and its proofs."""
    log, job = proven_log(), proven_job()
    own = [(place, e) for place, e in enumerate(log.entries) if e.request_id == JOB_ID]
    checkpoint = pb.GetCheckpointResponse(
        note=log.note(witnesses),
        verifier_key=LOG_KEY.verifier.encode(),
        witness_keys=[key.verifier.encode() for key in witnesses],
    )
    proofs = [
        pb.EntryProof(
            sequence_number=entry.sequence_number,
            leaf_index=place,
            hashes=log.proof(place, len(log.entries)),
        )
        for place, entry in own
    ]
    return FakeGateway(
        told=job,
        chain=[leaf_bytes(entry) + b"\n" for _, entry in own],
        proofs=[
            pb.ExportProofsResponse(checkpoint=checkpoint),
            *(pb.ExportProofsResponse(proof=proof) for proof in proofs),
        ],
        tables={frame_digest(TOTAL): TOTAL},
        contents={
            file.artifact_id: content
            for file, content in zip(job.answer.artifacts, (CHART, REPORT), strict=True)
        },
    )
