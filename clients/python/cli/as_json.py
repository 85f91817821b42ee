"""A job and its result as one JSON object: the facts the terminal shows, for machines."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

from assay.common.v1.analysis_pb2 import (
    AnalysisRequest,
    Answer,
    EmptyReason,
    ModelUse,
    Plan,
    PlanState,
)
from assay.common.v1.causal_pb2 import CausalRequest
from assay.common.v1.investigation_pb2 import InvestigationRequest
from assay.common.v1.job_pb2 import Clarification, Job, JobState, Step, StepState
from assay.gateway.v1.audit_service_pb2 import VerifyJobResponse
from clients.python import words_of
from clients.python.cli.result import Result, failure_of, is_partial
from clients.python.cli.screen import error_object
from clients.python.cli.statements import statement_of
from clients.python.known_sources import place_of
from clients.python.proposed import proposal_object
from mesh.errors import CLARIFICATION_NEEDED, AssayError

if TYPE_CHECKING:
    import pyarrow as pa


def result_object(result: Result) -> dict[str, Any]:
    """Everything known of a job at its end, or as it stands."""
    job = result.job
    error = failure_of(job)
    if job.HasField("clarification"):
        error = AssayError(CLARIFICATION_NEEDED, job.clarification.question)
    return {
        "job": job.job_id,
        "state": state_name(job.state),
        "question": words_of.question(job),
        "statement": job.analysis.statement or None,
        "sources": sources_of(words_of.work(job)),
        "semantic_models": models_of(words_of.work(job)),
        "understood": job.understood or None,
        "plan": plan_object(job.plan) if job.HasField("plan") else None,
        "steps": [step_object(step) for step in job.steps],
        "answer": answer_object(job.answer) if job.HasField("answer") else None,
        "investigation": _beside(job, "investigation_result"),
        "causal": _beside(job, "causal_result"),
        "empty_reason": _kind_of_empty(job.answer.empty_reason or job.failure.empty_reason),
        "table": table_object(result.table) if result.table is not None else None,
        "artifacts": [
            {
                "id": artifact.artifact_id,
                "type": words_of.artifact_type(artifact.artifact_type),
                "path": str(path.absolute()),
                "sha256": artifact.content_hash,
                "bytes": artifact.size_bytes,
                "media_type": artifact.media_type,
                "partial": is_partial(artifact),
            }
            for artifact, path in result.files
        ],
        "clarification": clarification_object(job.clarification)
        if job.HasField("clarification")
        else None,
        "error": error_object(error) if error else None,
        "proof": proof_object(result.proof, entries_of(job)) if result.proof else None,
        **({"not_checked": result.unchecked} if result.unchecked else {}),
        "seconds": job.elapsed.ToTimedelta().total_seconds(),
        "trace": job.trace_id or None,
    }


def _beside(
    job: Job, field: Literal["investigation_result", "causal_result"]
) -> dict[str, Any] | None:
    """What a job of another kind has beside its answer, in the contract's names."""
    if not job.HasField(field):
        return None
    from google.protobuf import json_format

    return json_format.MessageToDict(getattr(job, field), preserving_proto_field_name=True)


def state_name(state: JobState.ValueType) -> str:
    """A job's state in lower-case words: "partial success"."""
    return JobState.Name(state).removeprefix("JOB_STATE_").lower().replace("_", " ")


def plan_state_name(state: PlanState.ValueType) -> str:
    """A plan's state in lower-case words."""
    return PlanState.Name(state).removeprefix("PLAN_STATE_").lower()


def sources_of(request: AnalysisRequest | InvestigationRequest | CausalRequest) -> list[str]:
    """What the question was asked of."""
    return [source.name or place_of(source) or "database" for source in request.data_sources]


def models_of(request: AnalysisRequest | InvestigationRequest | CausalRequest) -> list[str]:
    """The semantic models by which it was read."""
    return [model.name for source in request.data_sources for model in source.semantic_models]


def plan_object(plan: Plan) -> dict[str, Any]:
    """A plan with the drafted arguments of its steps."""
    return {
        "id": plan.plan_id or None,
        "state": plan_state_name(plan.state) if plan.state else None,
        "reasoning": plan.reasoning,
        "answer_step": plan.answer_task,
        "proposal": proposal_object(plan.proposal) if plan.HasField("proposal") else None,
        "estimated_seconds": plan.total_estimated_cost.ToNanoseconds() / 1e9,
        "steps": [
            {
                "id": subtask.task_id,
                "tool": subtask.tool_name,
                "description": subtask.description,
                "depends_on": list(subtask.dependencies),
                "arguments": json.loads(subtask.arguments_json or "{}"),
                "sql": statement_of(subtask),
            }
            for subtask in plan.subtasks
        ],
    }


def step_object(step: Step) -> dict[str, Any]:
    """A step as it stands."""
    return {
        "id": step.task_id,
        "tool": step.tool_name,
        "description": step.description,
        "state": StepState.Name(step.state).removeprefix("STEP_STATE_").lower(),
        "attempt": step.attempt,
        "rows": step.rows if step.HasField("rows") else None,
        "columns": step.columns if step.HasField("columns") else None,
        "detail": step.detail,
        "seconds": step.elapsed.ToTimedelta().total_seconds(),
        "sql": statement_of(step),
    }


def _kind_of_empty(reason: EmptyReason.ValueType) -> str | None:
    """Why there is nothing to show; None where there is something."""
    kind = EmptyReason.Name(reason).removeprefix("EMPTY_REASON_").lower()
    return None if kind == "unspecified" else kind


def answer_object(answer: Answer) -> dict[str, Any]:
    """The answer in words, with its claims and caveats."""
    return {
        "text": answer.text,
        "empty_reason": _kind_of_empty(answer.empty_reason),
        "caveats": list(answer.caveats),
        "read": [
            {
                "source": decision.source_name,
                "table": decision.table,
                "column": decision.column or None,
                "option": f"type.{decision.column}"
                if decision.subject == "types"
                else decision.subject.replace("_", "-"),
                "value": decision.value,
                "because": decision.because or None,
                "certain": decision.certain,
            }
            for decision in answer.decisions
        ],
        "formats": words_of.formats(answer),
        "confidence": words_of.sureness(answer) or None,
        "reasoner": answer.reasoner or None,
        "recipe": answer.recipe or None,
        "model_use": model_use_object(answer.model_use) if answer.HasField("model_use") else None,
        "claims": [
            {
                "id": claim.claim_id,
                "value": claim.value,
                "text": claim.text,
                "unit": claim.unit or None,
                "frame": claim.frame_digest,
                "row": claim.row,
                "column": claim.column,
                "call": claim.call_id,
            }
            for claim in answer.claims
        ],
    }


def clarification_object(clarification: Clarification) -> dict[str, Any]:
    """A question back, with its readings in order."""
    return {
        "question": clarification.question,
        "options": [
            {"id": o.option_id, "text": o.text, "glimpse": o.glimpse} for o in clarification.options
        ],
    }


def entries_of(job: Job) -> int | None:
    """Entries of its audit record; None where they were not counted."""
    return job.audit_entries if job.HasField("audit_entries") else None


def proof_object(proof: VerifyJobResponse, entries: int | None) -> dict[str, Any]:
    """What was checked, and whether it holds."""
    checks = [
        {"name": check.name, "ok": check.ok, "detail": check.detail} for check in proof.checks
    ]
    return {"ok": proof.ok, "entries": entries, "checks": checks}


def table_object(table: pa.Table) -> dict[str, Any]:
    """All rows as records; columns of the same name keep their place by position."""
    names = [*map(str, table.schema.names)]
    distinct = [
        name if names.index(name) == place else f"{name}_{place + 1}"
        for place, name in enumerate(names)
    ]
    columns = [[plain(value) for value in column.to_pylist()] for column in table.columns]
    return {
        "schema": [
            {"name": name, "type": str(field.type)}
            for name, field in zip(distinct, table.schema, strict=True)
        ],
        "rows": table.num_rows,
        "records": [
            dict(zip(distinct, cells, strict=True)) for cells in zip(*columns, strict=True)
        ],
    }


def plain(value: Any) -> Any:
    """A cell as JSON has it: times in ISO 8601, decimals as text unless a float holds them."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Decimal):
        if value.is_finite() and value == value.to_integral_value():
            return int(value)
        return float(value) if str(float(value)) == str(value.normalize()) else str(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def model_use_object(use: ModelUse) -> dict[str, Any]:
    """What a language model took; its cost is null where the price is not known."""
    return {
        "model": use.model,
        "requests": use.requests,
        "input_tokens": use.input_tokens,
        "output_tokens": use.output_tokens,
        "cost": use.cost if use.HasField("cost") else None,
        "currency": use.currency or None,
        "seconds": use.elapsed.ToTimedelta().total_seconds(),
    }
